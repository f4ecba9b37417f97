"""What is worth keeping beyond a session: never a secret, and only on request what rarely lasts."""

from __future__ import annotations

from skillbag.kernel.standard.declarations import Level
from skillbag.kernel.standard.reserved import PERSISTENCE
from skillbag.session.inputs.inputs import ResolvedInputs
from skillbag.session.persistence.ephemeral import why_ephemeral
from skillbag.session.persistence.secret_detection import why_secret
from skillbag.session.settings.settings import SessionSettings
from skillbag.session.settings.value import Value, same, typed

_NO = typed(False)


def where_unwanted(settings: SessionSettings, skill: str, resolution: ResolvedInputs | None = None) -> str:
    """The place that forbids keeping values of a skill (or of `*`); empty if there is none (clause bootstrap.persist).

    User context may forbid it for any skill, and so may the skill's own parameter of that name.
    """
    of_user = (value for value in settings.values(skill, PERSISTENCE) if value.level is Level.USER_CONTEXT)
    if (best := next(of_user, None)) and best.value and same(best.value, _NO):
        return str(best.place)
    inputs = resolution.inputs if resolution else ()
    own = next((input_.effective for input_ in inputs if input_.name == PERSISTENCE), None)
    return str(own.place or "the conversation") if own and same(own.value, _NO) else ""


def why_not_kept(name: str, value: Value) -> str | None:
    """Why a value should not be kept unless the user asks, in words that follow "it"; None if it may be kept.

    Nothing of the value is repeated (clauses inputs.no-secrets, inputs.persist-not).
    """
    return why_secret(name, value) or why_ephemeral(name, value)
