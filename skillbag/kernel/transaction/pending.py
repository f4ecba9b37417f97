"""Finishing the transaction that a killed process left behind; its journal is not trusted."""

from __future__ import annotations

import contextlib
import os
import stat

from skillbag.kernel.base.errors import format_error
from skillbag.kernel.base.ownership import is_ours
from skillbag.kernel.fs.atomic import RefusedWriteError
from skillbag.kernel.transaction import begun, swap
from skillbag.kernel.transaction.locations import (
    WORKSPACE,
    BadJournalError,
    BusyError,
    ForeignJournalError,
    Locations,
    Notice,
)
from skillbag.kernel.transaction.steps import Journal, emptying, parse
from skillbag.kernel.transaction.store import JournalPhase, TransactionStore
from skillbag.kernel.transaction.trees import state_of

_DONE = {JournalPhase.FORWARD: "completed", JournalPhase.BACK: "rolled back", JournalPhase.CLEANUP: "cleaned up"}


def finish(root: str, notice: Notice | None = None, locations: Locations = WORKSPACE, *, reading: bool = False) -> bool:
    """Finish the pending transaction of the workspace (or other kind of root) with the real path `root`; whether there
    was one. The caller holds the writer lock.

    Staged files without a journal are waste, which only a writer clears away if this user has not begun it.

    Raises:
        ForeignJournalError: this user has not begun it; nothing was touched.
        BadJournalError: the journal can't be followed; nothing was touched.
        OSError: it can be neither completed nor rolled back now.
    """
    store = TransactionStore(root, locations)
    if not os.path.lexists(store.stage):
        return False
    found = _begun(store)
    if found is None and reading and not begun.is_any_remembered(store.stage):
        return False
    if found is None:
        # The workspace is whole: staged files that can't be deleted, or are in use, need not stop a reader.
        with contextlib.suppress(OSError):
            store.check()
            with store.alone():
                pass
            store.discard()
        return True
    phase, journal = found
    with store.alone():
        done = _settle(store, phase, journal)
        kept = swap.finalize(store, journal)
        store.remove_emptied(emptying(journal, locations))
    # Outside the block: some systems can't delete an open file.
    store.discard()
    if notice:
        notice(f"{root}: an interrupted change was {_DONE[done]}" + (f"; kept: {', '.join(kept)}" if kept else ""))
    return True


def _begun(store: TransactionStore) -> tuple[JournalPhase, Journal] | None:
    """The journal that is there, None without one; raises as `finish` unless it can be followed."""
    is_known = begun.is_any_remembered(store.stage)
    if is_known:
        store.check()
    try:
        phase = store.phase()
        if phase is None:
            return None
        if not is_known:
            _refuse_if_alive(store)
        # What another user has put there need not even be readable.
        data = store.read_journal(phase) if is_known else b""
        if not begun.is_remembered(store.stage, data):
            raise BadJournalError("as far as this user's state folder knows, this user has not begun it")
        journal = parse(data, store.locations)
        if phase is not JournalPhase.CLEANUP:
            # After that nothing is moved into them, and those that became empty may be gone.
            store.check_parents(step.path for step in journal.steps)
    except (BadJournalError, RefusedWriteError) as error:
        kind = BadJournalError if is_known else ForeignJournalError
        raise kind(
            f"{store.stage}: the journal of an interrupted change can't be followed: {format_error(error)}. Nothing "
            "was touched. If another version of skillbag left it, run that version here; if it came with a clone or a "
            "download, delete the folder; otherwise look at its folder old first, which holds the displaced files"
        ) from error
    return phase, journal


def _refuse_if_alive(store: TransactionStore) -> None:
    """Raise a BusyError if a process of this user with another state folder (a container) makes it."""
    store.check()
    try:
        if is_ours(os.stat(store.stage)) and stat.S_ISREG(os.lstat(store.lock).st_mode):
            with store.alone():
                pass
    except BusyError:
        raise
    except OSError:
        # There is no lock, or it can't be opened: no process of this user holds it.
        return


def _settle(store: TransactionStore, phase: JournalPhase, journal: Journal) -> JournalPhase:
    """Reach the phase CLEANUP; returns the phase that led there."""
    if phase is JournalPhase.FORWARD and _is_staged(store, journal):
        try:
            swap.commit(store, journal)
            return JournalPhase.FORWARD
        except OSError as error:
            swap.rollback(store, journal, error)
            return JournalPhase.BACK
    if phase is not JournalPhase.CLEANUP:
        swap.rollback(store, journal)
        return JournalPhase.BACK
    return phase


def _is_staged(store: TransactionStore, journal: Journal) -> bool:
    """Whether everything that is still to be placed has the state that the journal names."""
    new = [(store.new(number), step.after) for number, step in enumerate(journal.steps)]
    try:
        return all(state_of(path) == after for path, after in new if os.path.lexists(path))
    except OSError:
        return False
