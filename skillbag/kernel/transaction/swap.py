"""Swaps staged files with the current ones, forward and back, from any point of interruption.

Progress is read from what exists, never from a counter: a step whose `new/N` is gone has been placed, one whose
`old/N` exists has displaced something. A file or folder is displaced by a rename and compared afterwards, so that an
edit made in between is kept; replacing a file in place would lose it.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator

from skillbag.kernel.base.errors import format_error
from skillbag.kernel.fs.atomic import move
from skillbag.kernel.transaction.locations import ChangedError, CleanUpError, RecoveryError
from skillbag.kernel.transaction.steps import Journal, TransactionStep, emptying, makes_parent
from skillbag.kernel.transaction.store import JournalPhase, TransactionStore
from skillbag.kernel.transaction.trees import drop_rest, may_be_deleted, move_away


def commit(store: TransactionStore, journal: Journal) -> None:
    """From the phase FORWARD to CLEANUP, with all steps made.

    Raises:
        OSError: a step can't be made; the caller rolls all of them back.
    """
    if journal.makes_skill_root:
        with contextlib.suppress(FileExistsError):
            os.mkdir(store.skill_root)
    for number, step in enumerate(journal.steps):
        if step.after is None:
            _displace(store, number, step)
        else:
            _place(store, number, step)
    store.sync_swap(step.path for step in journal.steps)
    # Not synced: without this rename, a recovery would find all steps made and repeat it.
    store.mark(JournalPhase.FORWARD, JournalPhase.CLEANUP)


def rollback(store: TransactionStore, journal: Journal, error: BaseException | None = None) -> None:
    """From the phase FORWARD or BACK to CLEANUP, with no step made because of `error`; does nothing in other phases."""
    try:
        phase = store.phase()
        if phase is JournalPhase.FORWARD:
            store.mark(JournalPhase.FORWARD, JournalPhase.BACK)
            store.sync_journal()
        if phase in (JournalPhase.FORWARD, JournalPhase.BACK):
            for number, step in enumerate(journal.steps):
                _restore(store, number, step)
            if journal.makes_skill_root:
                # It stays if another process has written to it.
                with contextlib.suppress(OSError):
                    os.rmdir(store.skill_root)
            store.remove_emptied(emptying(journal, store.locations))
            store.sync_swap(step.path for step in journal.steps)
            store.mark(JournalPhase.BACK, JournalPhase.CLEANUP)
    except OSError as second:
        raise RecoveryError(
            f"{store.root}: a change was interrupted ({format_error(error or second)}) and can't be rolled back "
            f"({format_error(second)}). Nothing is lost: all files are in place or in {store.stage}/old. Fix the "
            "cause, and run any skillbag command here"
        ) from second


def _displace(store: TransactionStore, number: int, step: TransactionStep) -> None:
    target, old = store.target(step.path), store.old(number)
    if os.path.lexists(old):
        drop_rest(target, old)
    elif os.path.lexists(target):
        move_away(target, old)


def _place(store: TransactionStore, number: int, step: TransactionStep) -> None:
    target, new, old = store.target(step.path), store.new(number), store.old(number)
    is_placed = not os.path.lexists(new)
    if not os.path.lexists(target) and (is_placed or (step.before is not None and not os.path.lexists(old))):
        raise changed(step.path, "it has been deleted")
    if is_placed:
        return
    if step.before is not None:
        _displace(store, number, step)
    if os.path.lexists(target):
        kept = " (it is in .skillbag/backup now)" if step.before is not None else ""
        raise changed(step.path, f"something has just appeared there{kept}")
    if step.before is None and makes_parent(step, store.locations):
        store.make_parent(step.path)
    move(new, target)


def changed(path: str, why: str) -> ChangedError:
    """The error for a target that is not in the planned state."""
    return ChangedError(errno.EBUSY, f"{why}, so nothing was changed; run the command again", path)


def _restore(store: TransactionStore, number: int, step: TransactionStep) -> None:
    target, new, old = store.target(step.path), store.new(number), store.old(number)
    displaced = os.path.lexists(old)
    placed = step.after is not None and not os.path.lexists(new) and (displaced or step.before is None)
    if placed and os.path.lexists(target):
        move(target, new)
    if displaced:
        if os.path.lexists(target) and not drop_rest(target, old):
            # Another process wrote it while the path was free.
            store.keep(target, step.name)
        move(old, target)


def finalize(store: TransactionStore, journal: Journal) -> tuple[str, ...]:
    """In the phase CLEANUP: move to the backups what must not be deleted with the stage; the paths of the backups."""
    if store.phase() is not JournalPhase.CLEANUP:
        return ()
    try:
        return tuple(store.keep(path, name) for path, name in _to_keep(store, journal))
    except OSError as error:
        raise CleanUpError(
            f"{store.root}: the {store.locations.root} is whole, but displaced files can't be moved to "
            f".skillbag/backup ({format_error(error)}); they are in {store.stage}. Fix the cause, "
            "and run any skillbag command here"
        ) from error


def _to_keep(store: TransactionStore, journal: Journal) -> Iterator[tuple[str, str]]:
    for number, step in enumerate(journal.steps):
        old, new = store.old(number), store.new(number)
        if os.path.lexists(old) and (step.back_up or not may_be_deleted(old, step.before)):
            yield old, step.name
        if os.path.lexists(new) and not may_be_deleted(new, step.after):
            yield new, step.name
