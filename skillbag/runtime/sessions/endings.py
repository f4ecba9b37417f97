"""Active skills that may not go on: those whose process died too often, and those that the user does not allow any more
(skill runtime, sections 4 and 5)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from skillbag.kernel.base.errors import NeedsPersonError
from skillbag.runtime.activation.active import SkillStates
from skillbag.runtime.activation.request import ToolRequest
from skillbag.runtime.broker.broker import Broker
from skillbag.runtime.hooks.guards import ending


@contextmanager
def step(end: Callable[[], None]) -> Iterator[None]:
    """A step of a conversation: skills that can't be used, or that the user does not allow any more, take no part in
    it, and those that fail in it are not active after it. `end` ends them."""
    end()
    try:
        yield
    finally:
        end()


def end_unusable(skills: SkillStates, broker: Broker, remarks: list[str]) -> None:
    """End the skills that can't be used, or that the user does not allow any more. `remarks` get a sentence about those
    that are not allowed."""
    # The decision first: its process, which has ended because of it, would count as lost.
    _end_lapsed(skills, broker, remarks)
    _end_failed(skills)


def _end_lapsed(skills: SkillStates, broker: Broker, remarks: list[str]) -> None:
    """End the skills that the user does not allow any more, and those that require them."""
    for name, lapse in broker.lapsed().items():
        for each in skills.withdraw(name, lapse.reason, chosen=lapse.chosen):
            remarks.append(ended(each, lapse.reason if each == name else requires(each, name)))


def _end_failed(skills: SkillStates) -> None:
    """End the skills whose backend can't be used any more."""
    for active in list(skills):
        if active.backend and (reason := active.backend.failure):
            skills.fail(active.found.name, reason)


def check_ending(skills: SkillStates, name: str, confirm: Callable[[ToolRequest], bool] | None) -> None:
    """Ask the user by `confirm` before a skill is deactivated, if guards end with it.

    Raises:
        NeedsPersonError: they did not allow it, or can't be asked.
    """
    ends = skills.guards_of(name)
    if ends and not (confirm and confirm(ToolRequest(name, "deactivate", {"skill": name}, ends))):
        raise NeedsPersonError(ending(ends))


def ended(skill: str, reason: str) -> str:
    """The sentence about a skill that was active."""
    return f'skill "{skill}" is not active any more: {reason}'


def requires(skill: str, needed: str) -> str:
    """The reason of a skill that can't go on without another one."""
    return f'skill "{skill}" requires "{needed}", which is not active any more'
