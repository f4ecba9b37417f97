"""Active skills that may not go on: those whose process died too often, and those that the user does not allow any
more; and guards of the user's that can't be active as they were (skill runtime, sections 4 to 6)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from skillbag.kernel.base.errors import NeedsPersonError
from skillbag.runtime.activation.active import SkillStates
from skillbag.runtime.activation.request import RuntimeRequest, ToolRequest
from skillbag.runtime.broker.approvals import Approvals
from skillbag.runtime.broker.broker import Broker
from skillbag.runtime.broker.database_file import StoreError
from skillbag.runtime.errors import RuntimeFaultError
from skillbag.runtime.hooks.guards import ending
from skillbag.runtime.remarks import Remarks
from skillbag.runtime.skill import FoundSkill, Grantee, is_of_user, own_origin


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


class MissedGuards(NamedTuple):
    """What is known of the guards of one session; `remarks` get a sentence about each that was changed."""

    request: RuntimeRequest
    approvals: Approvals
    skills: SkillStates
    grantee: Callable[[str], Grantee]
    remarks: Remarks

    def miss(self, found: Iterable[FoundSkill], failed: Collection[str]) -> None:
        """Let no call pass the guards that `failed`, and those that are gone or were edited, as those that are lost
        later: they may have been wanted here."""
        own = {each.name for each in found if is_of_user(each.origin)}
        try:
            known = {each.skill: each.origin for each in self.approvals.guards() if is_of_user(each.origin)}
        except StoreError:
            known = dict.fromkeys(own.intersection(failed), "")
        for name in sorted(known.keys() - self.request.settings.denied_skills):
            is_gone = name not in own and known[name] == own_origin(self.request.personal)
            is_changed = is_gone or (name in own and self._is_edited(name))
            if self.skills.get(name) or not (is_changed or name in failed):
                continue
            if name not in failed and name not in self.skills.lost:
                why = "is gone from your personal skills, or can't be used" if is_gone else "was edited"
                what = (
                    "repair it or put it back, or revoke its permissions"
                    if is_gone
                    else "activate it, or revoke its permissions"
                )
                self.remarks.append(f'the guard "{name}" {why}, so no call passes: {what}, on a terminal')
            self.skills.lost.add(name, is_guard=True, is_unknown=name not in failed)

    def _is_edited(self, name: str) -> bool:
        try:
            return self.approvals.is_replaced(self.grantee(name), self.request.session)
        except RuntimeFaultError:
            return True
