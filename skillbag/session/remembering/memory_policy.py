"""What may be remembered, and which values to suggest for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from skillbag.kernel.standard.declarations import Level
from skillbag.kernel.standard.reserved import PERSISTENCE
from skillbag.session.inputs.inputs import Input, ResolvedInputs
from skillbag.session.inputs.interface import DeclaredParameter, Interface
from skillbag.session.persistence.lasting import is_lasting, is_one_off, why_ephemeral
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


class MemorySuggestion(NamedTuple):
    """A value of the conversation that is worth remembering: `skillbag session remember NAME=VALUE --skill SKILL`."""

    name: str
    value: Value


def memory_suggestions(
    interface: Interface, resolution: ResolvedInputs, settings: SessionSettings
) -> Iterator[MemorySuggestion]:
    """Lasting values that only the conversation gives (clause inputs.persist-stable)."""
    if where_unwanted(settings, resolution.skill, resolution):
        return
    for input_ in resolution.inputs:
        parameter = interface.parameter(input_.name)
        if parameter and input_.effective and input_.effective.level is Level.CONVERSATION:
            value = input_.effective.value
            if _is_worth_storing(parameter, input_, value):
                yield MemorySuggestion(input_.name, value)


def _is_worth_storing(parameter: DeclaredParameter, input_: Input, value: Value) -> bool:
    """Whether the skill says so (clause inputs.skill-persistence), or the value lasts; never a secret.

    What each run needs is mostly its own matter, so that its name has to tell that it lasts; what has a default is a
    setting, unless its name tells that it belongs to one task.
    """
    if parameter.persist is False or not value.written.isprintable() or why_secret(parameter.name, value):
        return False
    if parameter.persist is None and not _lasts(parameter, value):
        return False
    below = (found for found in input_.hidden if found.level is not Level.CONVERSATION and not found.dropped)
    best = next(below, None)
    return best is None or not same(best.value, value)


def _lasts(parameter: DeclaredParameter, value: Value) -> bool:
    if parameter.required:
        return is_lasting(parameter.name, value, is_choice=bool(parameter.values))
    return not (is_one_off(parameter.name) or why_ephemeral(parameter.name, value))
