"""What a skill can do is shown before it becomes a personal skill; where a risk is high, the user is asked."""

from __future__ import annotations

from skillbag.capabilities.changes import change
from skillbag.capabilities.collect import folder_facts
from skillbag.install.confirmation import DeclinedError, Prompter
from skillbag.install.outcome import Outcome, SkillRow, Status


def check_agreed(name: str, folder: str, before: str | None, prompter: Prompter) -> None:
    """Ask the user, if there is one, about facts of high risk that the skill in `folder` has and `before` has not.

    Raises:
        DeclinedError: the user did not agree.
    """
    if not prompter.present:
        return
    found = change(name, folder_facts(before) if before is not None else None, folder_facts(folder))
    row = SkillRow(name, Status.INSTALLED if before is None else Status.UPGRADED)
    outcome = Outcome("personal add", skills=(row,), capabilities=(found,))
    if found.is_risky and not prompter.plan(outcome):
        raise DeclinedError(f"{name}: it was not added, since you did not agree to what it can do")
