"""Guards of the user's that should be active and can't be as they were: no call may pass them (skill runtime, section
6)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import NamedTuple

from skillbag.runtime.activation.active import SkillStates
from skillbag.runtime.activation.request import RuntimeRequest
from skillbag.runtime.broker.approvals import Approvals
from skillbag.runtime.broker.database_file import StoreError
from skillbag.runtime.errors import RuntimeFaultError
from skillbag.runtime.remarks import Remarks
from skillbag.runtime.skill import FoundSkill, Grantee, is_of_user, own_origin


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
