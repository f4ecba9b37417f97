"""What is to be removed, and what speaks against it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.workspace.lock_file import LOCK
from skillbag.kernel.workspace.target import BOOTSTRAP_SKILL, SKILL_ROOT
from skillbag.supply.install.outcome import Problem, ProblemKind
from skillbag.supply.install.request import check_name
from skillbag.supply.install.state import InstalledState


@dataclass(frozen=True, slots=True)
class Removal:
    """What to take out; `force` breaks what needs it, `overwrite` lets local edits go (a copy is kept)."""

    names: tuple[str, ...]
    force: bool = False
    overwrite: frozenset[str] = frozenset()
    dry_run: bool = False
    wait: float = 60.0


def check_removal(state: InstalledState, removal: Removal) -> None:
    """Refuse names that are no skill's or reserved, and options for others.

    Raises:
        UserError: there is one.
    """
    if others := sorted(removal.overwrite - set(removal.names)):
        raise UserError(f"--overwrite {', '.join(others)}: that is not among what shall be removed")
    for name in removal.names:
        check_name(name)
        if name == BOOTSTRAP_SKILL:
            raise UserError(f"{name} is reserved: every workspace has it (clause bootstrap.present)")
        state.check_known(name)


def objections(state: InstalledState, removal: Removal) -> Iterator[Problem]:
    """A question for each skill that is still needed, or that holds local edits."""
    going = set(removal.names)
    users = state.users if not removal.force else {}
    for name in removal.names:
        needed = [
            user
            for user in users.get(name, ())
            if user not in going and any(wanted.name == name and wanted.required for wanted in state.wants[user])
        ]
        if needed:
            yield Problem(
                ProblemKind.QUESTION,
                f"{name}: {', '.join(needed)} {'needs' if len(needed) == 1 else 'need'} it",
                fix=f"Remove {', '.join(needed)} as well, or --force takes {name} out all the same.",
            )
        is_ours = state.is_edited(name) and name not in state.left_over
        if is_ours and name not in removal.overwrite:
            what = f"it is your own skill, not in {LOCK}" if state.locked(name) is None else state.how_it_differs(name)
            yield Problem(
                ProblemKind.QUESTION,
                f"{name}: {what}; remove it anyway?",
                path=f"{SKILL_ROOT}/{name}",
                clause="resolution.local-edits",
                fix=f"--overwrite {name} removes it; a copy stays in .skillbag/backup/.",
            )
