"""What is worth keeping beyond a session: never a secret, and nothing unasked that rarely lasts."""

from __future__ import annotations

from skillbag.lifecycle import passing
from skillbag.lifecycle.secrecy import leaves, why_secret
from skillbag.lifecycle.value import Value

_LONGEST = 300
"""Characters of a value that a person types; a longer one is pasted."""

_MOST = 40
"""Items of a list likewise."""


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
    return next(filter(None, map(passing.why_passing, texts)), None)
