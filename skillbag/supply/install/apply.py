"""Applying plans: everything in one transaction, or nothing."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from contextlib import nullcontext

from skillbag.kernel.base.cancellation import check_stop
from skillbag.kernel.standard.left_over import catalog_lines
from skillbag.kernel.standard.names import name_fault
from skillbag.kernel.transaction.journal import Transaction
from skillbag.kernel.transaction.writer import writing
from skillbag.kernel.workspace.lock_file import LOCK, BadLockError
from skillbag.kernel.workspace.placed import record_placed
from skillbag.supply.install.outcome import Outcome
from skillbag.supply.install.plan import InstallPlan, SkillChangeKind
from skillbag.supply.install.planner import finished_plan
from skillbag.supply.install.problems import quoted
from skillbag.supply.install.state import InstalledState
from skillbag.supply.install.tree_view import left_over_notes

_SHOWN = 10
"""The most skills that a note names."""


def apply(plan: InstallPlan) -> tuple[str, ...]:
    """Write what the plan says; the paths of the backups (relative to the root).

    The caller holds the writer lock (`skillbag.kernel.transaction.writer.writing`).

    Raises:
        ChangedError: something has changed since the plan was made.
        OSError: the system refused; the workspace is as it was.
    """
    check_stop()
    # Before the transaction: after a crash, what it has put there is known.
    record_placed(plan.root, dict(_placed(plan)))
    if not plan.paths:
        return ()
    with Transaction(plan.root) as transaction:
        for step in plan.changes:
            path = plan.at(step.name)
            if step.backup:
                transaction.back_up(path)
            if step.act is SkillChangeKind.PUT:
                own = step.fetched is not None and step.fetched.own and step.folder.startswith(f"{step.fetched.root}/")
                transaction.put_folder(path, step.folder, tree=step.tree, expected=step.before, move=own)
            else:
                transaction.remove(path, expected=step.before or "")
        for file in plan.files:
            if file.gone and file.before is not None:
                transaction.remove_file(file.path, expected=file.before)
            else:
                transaction.put_file(file.path, file.after, expected=file.before)
        return transaction.commit()


def _placed(plan: InstallPlan) -> Iterator[tuple[str, str | None]]:
    """The skills that come from a source, or are as the lock records them, each with its tree hash."""
    for step in plan.steps:
        path = plan.at(step.name)
        if step.act is SkillChangeKind.REMOVE:
            yield path, None
        elif step.locked is not None and step.row is not None:
            tree = step.tree if step.act is SkillChangeKind.PUT else step.row.tree
            # A merge is the user's own.
            if tree == step.locked.tree:
                yield path, tree


def sync(root: str, *, dry_run: bool = False, wait: float = 60.0, waiting: Callable[[], None] | None = None) -> Outcome:
    """Rewrite the catalog from the installed skills (clause install.catalog), unless it says the same already.

    `waiting` is called if another writer has to end first.

    Raises:
        UserError: the catalog can't be read, or the lock, which tells what is left over.
    """
    with nullcontext() if dry_run else writing(root, wait, waiting):
        state = InstalledState(root)
        if isinstance(unusable := state.workspace.lock, BadLockError):
            raise unusable
        plan = finished_plan(state, ())
        if not dry_run:
            apply(plan)
        message, listed = "The catalog is in sync.", dict(catalog_lines(state.inventory))
        if plan.files:
            message = f"The catalog {'would be' if dry_run else 'is'} rewritten: {len(listed)} skills."
        if missing := [name for name in state.lock.skills if not state.is_present(name)]:
            message += f" Not installed: {quoted(missing, _SHOWN)}; skillbag install brings what {LOCK} has."
        notes = (message, *_unlisted_notes(state, listed), *left_over_notes(state))
        return Outcome("sync", root, notes=notes, changed=tuple(file.path for file in plan.files), dry_run=dry_run)


def _unlisted_notes(state: InstalledState, listed: Container[str]) -> Iterator[str]:
    """Which skills get no line for their names, as `skill-name-invalid` says, and which since they can't be read."""
    out = [card for card in state.inventory.cards if card.folder not in listed and card.folder not in state.left_over]
    if names := [card.folder for card in out if card.valid]:
        faults = "; ".join(f"the skill's name `{name}` {name_fault(name)}" for name in names)
        yield f"Not in the catalog: {faults}. Rename the folder, and change `name` in SKILL.md with it."
    if names := [card.folder for card in out if not card.valid]:
        yield f"Not in the catalog, since they are not valid skills: {quoted(names)}. skillbag check says why."
