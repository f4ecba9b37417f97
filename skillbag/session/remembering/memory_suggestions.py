"""Which values of a conversation are worth remembering beyond it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from skillbag.kernel.standard.declarations import Level
from skillbag.session.inputs.inputs import Input, ResolvedInputs
from skillbag.session.inputs.interface import DeclaredParameter, Interface
from skillbag.session.persistence.secret_detection import why_secret
from skillbag.session.remembering.memory_policy import where_unwanted, why_not_kept
from skillbag.session.settings.settings import SessionSettings
from skillbag.session.settings.value import Value, same


class MemorySuggestion(NamedTuple):
    """A value of the conversation that is worth remembering: `skillbag remember NAME=VALUE --skill SKILL`."""

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
    """Whether the skill says so (clause inputs.skill-persistence), or it is optional and may last; never a secret."""
    if parameter.persist is False or not value.written.isprintable() or why_secret(parameter.name, value):
        return False
    if parameter.persist is None and (parameter.required or why_not_kept(parameter.name, value)):
        return False
    below = (found for found in input_.hidden if found.level is not Level.CONVERSATION and not found.dropped)
    best = next(below, None)
    return best is None or not same(best.value, value)
