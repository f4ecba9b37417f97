"""What a skill can do is shown before it becomes a personal skill; where a risk is high, the user is asked. Personal
active skills guard the user's calls, so that only a person changes them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import closing

from skillbag.kernel.base.errors import NeedsPersonError
from skillbag.kernel.base.user_dirs import state_folder
from skillbag.kernel.workspace.target import MANIFEST_FILE
from skillbag.lint.capabilities.changes import change
from skillbag.lint.capabilities.collect import folder_facts
from skillbag.supply.install.confirmation import DeclinedError, Prompter
from skillbag.supply.install.outcome import Outcome, SkillRow, Status


def check_agreed(name: str, folder: str, before: Sequence[str], prompter: Prompter) -> None:
    """Ask the user, if there is one, about facts of high risk that the skill in `folder` has and the first of `before`
    has not. About an active skill, or one in its place, only a person decides.

    Raises:
        DeclinedError: the user did not agree. NeedsPersonError: nobody is there who could.
    """
    is_active = holds_active((folder, *before))
    if is_active:
        check_allowed(name, prompter)
    if not prompter.present:
        return
    found = change(name, folder_facts(before[0]) if before else None, folder_facts(folder))
    row = SkillRow(name, Status.UPGRADED if before else Status.INSTALLED)
    outcome = Outcome("personal add", skills=(row,), capabilities=(found,))
    if (found.is_risky or (is_active and not prompter.person)) and not prompter.plan(outcome):
        raise DeclinedError(f"{name}: it was not added, since you did not agree to what it can do")


def check_removal(name: str, folders: Iterable[str], prompter: Prompter) -> None:
    """Ask whether an active skill may be removed, unless a person has said so. Raises as `check_agreed`."""
    if not holds_active(folders):
        return
    check_allowed(name, prompter)
    planned = Outcome("personal remove", skills=(SkillRow(name, Status.REMOVED),))
    if not prompter.person and not prompter.plan(planned):
        raise DeclinedError(f"{name}: it was not removed, since you did not agree")


def forget_approvals(name: str) -> None:
    """Forget what the user has decided about an active skill that is removed: it is no guard that is missed.

    Raises:
        StoreError: the database of approvals can't be used.
    """
    from skillbag.runtime.broker.approvals import Approvals
    from skillbag.runtime.broker.store import RuntimeStore

    with closing(RuntimeStore(state_folder(), lambda sentence: None)) as store:
        approvals = Approvals(store)
        if approvals.list(name):
            approvals.revoke(name)


def check_allowed(name: str, prompter: Prompter) -> None:
    """Raises NeedsPersonError if nobody can be asked about an active skill."""
    if not (prompter.person or prompter.present):
        raise NeedsPersonError(f"changing {name}, an active skill of yours")


def holds_active(folders: Iterable[str]) -> bool:
    """Whether one of the folders is that of an active skill."""
    return any(os.path.lexists(os.path.join(folder, MANIFEST_FILE)) for folder in folders)
