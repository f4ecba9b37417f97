"""`remove`: take skills out, unless something still needs them or they hold local edits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, replace

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.documents.edit.lines import FileChange
from skillbag.kernel.transaction.writer import writing
from skillbag.kernel.workspace.lock_file import LOCK
from skillbag.kernel.workspace.target import BOOTSTRAP_SKILL
from skillbag.supply.install.apply import apply
from skillbag.supply.install.outcome import Outcome, Problem, ProblemKind, SkillRow, Status
from skillbag.supply.install.plan import SkillChange, SkillChangeKind
from skillbag.supply.install.plan_files import lock_files
from skillbag.supply.install.planner import finished_plan
from skillbag.supply.install.request import check_name
from skillbag.supply.install.state import InstalledState, locked_row
from skillbag.supply.install.tree_view import orphan_notes


def remove(root: str, removal: Removal, waiting: Callable[[], None] | None = None) -> Outcome:
    """Take the skills out of `.skills/`, the catalog, the lock and `CONTEXT.md`, all in one.

    `waiting` is called if another writer has to end first.

    Raises:
        UserError: a name is no skill's, is not there, or is reserved.
        OSError: the environment failed, or another writer took too long; the workspace is as it was.
    """
    with nullcontext() if removal.dry_run else writing(root, removal.wait, waiting):
        return _remove(InstalledState(root), replace(removal, names=tuple(dict.fromkeys(removal.names))))


def _remove(state: InstalledState, removal: Removal) -> Outcome:
    check_removal(state, removal)
    problems = tuple(objections(state, removal))
    if problems:
        return Outcome("remove", state.root, problems=problems, dry_run=removal.dry_run)
    steps = [_step(state, name, name in removal.overwrite) for name in removal.names]
    lock = lock_files(state, [*steps, *_still_locked(state, removal)])
    plan = finished_plan(state, steps, (*lock, *_undeclared(state, removal)))
    backups = () if removal.dry_run else apply(plan)
    # Skills that only the removed ones required are reported, and not removed.
    going = set(removal.names)
    locks = state.lock.skills.items()
    left = (
        name for name, locked in locks if name not in going and locked.asked_by and going.issuperset(locked.asked_by)
    )
    return Outcome(
        "remove",
        state.root,
        tuple(step.row for step in plan.steps if step.row),
        notes=(*orphan_notes(state, left, going), *_still_named(state, removal)),
        changed=plan.paths,
        backups=backups,
        dry_run=removal.dry_run,
    )


def _step(state: InstalledState, name: str, backup: bool) -> SkillChange:
    locked, before = state.locked(name), state.tree(name)
    row = locked_row(name, Status.REMOVED, locked) if locked else SkillRow(name, Status.REMOVED)
    row = row._replace(tree=before, asked_by=(), why="" if before else "it was not on the disk")
    act = SkillChangeKind.REMOVE if before is not None else SkillChangeKind.KEEP
    return SkillChange(name, act, row, before=before, backup=backup and state.is_edited(name))


def _still_locked(state: InstalledState, removal: Removal) -> Iterator[SkillChange]:
    """The other skills of the lock, with their requesters as they were, less those that go."""
    going = set(removal.names)
    for name, locked in state.lock.skills.items():
        if name not in going:
            kept = locked._replace(asked_by=tuple(by for by in locked.asked_by if by not in going))
            yield SkillChange(name, SkillChangeKind.KEEP, SkillRow(name, Status.CURRENT), locked=kept)


def _still_named(state: InstalledState, removal: Removal) -> Iterator[str]:
    for name in removal.names:
        for file in state.others_with(name):
            yield f"{file} still has {name}: its own program would install it again; remove it there, too."


def _undeclared(state: InstalledState, removal: Removal) -> Iterator[FileChange]:
    declared = {wanted.name for wanted in state.declarations.dependencies}
    names = [name for name in removal.names if name in declared]
    if names:
        from skillbag.supply.install.declare import undeclare

        if change := undeclare(state.root, names):
            yield change


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
            others = " and ".join(state.others_with(name))
            own = (
                f"it is not in {LOCK}, and skillbag adopt records it as {others} says"
                if others
                else f"it is your own skill, not in {LOCK}"
            )
            what = own if state.locked(name) is None else state.how_it_differs(name)
            yield Problem(
                ProblemKind.QUESTION,
                f"{name}: {what}; remove it anyway?",
                path=state.at(name),
                clause="resolution.local-edits",
                fix=f"--overwrite {name} removes it; a copy stays in .skillbag/backup/.",
            )
