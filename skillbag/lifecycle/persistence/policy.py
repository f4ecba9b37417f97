"""What is worth keeping beyond a session: never a secret, and nothing unasked that rarely lasts."""

from __future__ import annotations

from skillbag.lifecycle.inputs import Resolution
from skillbag.lifecycle.persistence import ephemeral
from skillbag.lifecycle.persistence.secret_detection import leaves, why_secret
from skillbag.lifecycle.settings import Settings
from skillbag.lifecycle.value import Value, same, typed
from skillbag.standard.declarations import Level
from skillbag.standard.reserved import PERSISTENCE

_NO = typed(False)

_LONGEST = 300
"""Characters of a value that a person types; a longer one is pasted."""

_MOST = 40
"""Items of a list likewise."""


def where_unwanted(settings: Settings, skill: str, resolution: Resolution | None = None) -> str:
    """Where it is said that nothing of a skill (or of `*`) is to be kept; empty where that is said nowhere.

    User context may say so of any skill, and the skill's own parameter of that name. (Clause bootstrap.persist.)
    """
    said = next((one for one in settings.values(skill, PERSISTENCE) if one.level is Level.USER_CONTEXT), None)
    if said and said.value and same(said.value, _NO):
        return str(said.place)
    own = next((one.effective for one in resolution.inputs if one.name == PERSISTENCE), None) if resolution else None
    return str(own.place or "the conversation") if own and same(own.value, _NO) else ""


def why_not_kept(name: str, value: Value) -> str | None:
    """Why a value should not be written down unasked, in words that follow "it"; None where it may.

    Nothing of the value is repeated. (Clauses inputs.no-secrets, inputs.persist-not.)
    """
    return why_secret(name, value) or why_passing(name, value)


def why_passing(name: str, value: Value) -> str | None:
    """Why a value is of one occasion and not of many, in words that follow "it"."""
    texts = [str(leaf).strip() for _, leaf in leaves(name, value)]
    if len(texts) > _MOST or sum(map(len, texts)) > _LONGEST or any("\n" in text or "\r" in text for text in texts):
        return "is as long as pasted text"
    return next(filter(None, map(ephemeral.why_passing, texts)), None)
