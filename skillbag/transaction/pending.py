"""Finishing the transaction that a killed process left behind; its journal is not trusted."""

from __future__ import annotations

import contextlib
import os

from skillbag.base.errors import format_error
from skillbag.fs.atomic import RefusedWriteError
from skillbag.transaction import swap
from skillbag.transaction.errors import BadJournalError, RecoveryError
from skillbag.transaction.locations import CHECKED_FOLDER, WORKSPACE, Locations, Notice
from skillbag.transaction.state import state_of
from skillbag.transaction.steps import Journal, emptying, parse
from skillbag.transaction.store import Phase, Store

_DONE = {Phase.FORWARD: "completed", Phase.BACK: "rolled back", Phase.CLEANUP: "cleaned up"}


def finish(root: str, notice: Notice | None = None, locations: Locations = WORKSPACE) -> bool:
    """Finish the pending transaction of the workspace (or other kind of root) with the real path `root`; whether there
    was one. The caller holds the writer lock.

    Raises:
        BadJournalError: the journal is not ours; nothing was touched.
        OSError: it can be neither completed nor rolled back now.
    """
    store = Store(root, locations)
    if not os.path.lexists(store.stage):
        return False
    store.check()
    try:
        phase = store.phase()
        if phase is None:
            # The workspace is whole: staged files that can't be deleted, or are in use, need not stop a reader.
            with contextlib.suppress(OSError):
                with store.alone():
                    pass
                store.discard()
            return True
        journal = parse(store.read_journal(phase), locations)
        if phase is not Phase.CLEANUP:
            # After that nothing is moved into them, and those that became empty may be gone.
            store.check_parents(step.path for step in journal.steps if locations == CHECKED_FOLDER)
    except (BadJournalError, RefusedWriteError) as error:
        raise BadJournalError(
            f"{store.stage}: the journal of an interrupted change can't be followed: {format_error(error)}. Nothing "
            "was touched. If another version of skillbag left it, run that version here; if it came with a clone or a "
            "download, delete the folder; otherwise look at its folder old first, which holds the displaced files"
        ) from error
    _check_owner(store)
    with store.alone():
        done = _settle(store, phase, journal)
        kept = swap.finalize(store, journal)
        store.remove_emptied(emptying(journal, locations))
    # Outside the block: some systems can't delete an open file.
    store.discard()
    if notice:
        notice(f"{root}: an interrupted change was {_DONE[done]}" + (f"; kept: {', '.join(kept)}" if kept else ""))
    return True


def _settle(store: Store, phase: Phase, journal: Journal) -> Phase:
    """Reach the phase CLEANUP; returns the phase that led there."""
    if phase is Phase.FORWARD and _is_staged(store, journal):
        try:
            swap.commit(store, journal)
            return Phase.FORWARD
        except OSError as error:
            swap.rollback(store, journal, error)
            return Phase.BACK
    if phase is not Phase.CLEANUP:
        swap.rollback(store, journal)
        return Phase.BACK
    return phase


def _is_staged(store: Store, journal: Journal) -> bool:
    """Whether everything that is still to be placed has the state that the journal names."""
    new = [(store.new(number), step.after) for number, step in enumerate(journal.steps)]
    try:
        return all(state_of(path) == after for path, after in new if os.path.lexists(path))
    except OSError:
        return False


def _check_owner(store: Store) -> None:
    """In a folder that everyone may write to, don't move files for another user."""
    if os.name == "nt":
        return
    owner = os.lstat(store.stage).st_uid
    if owner not in (os.geteuid(), os.stat(store.root).st_uid):
        raise RecoveryError(
            f"{store.stage}: another user (uid {owner}) has begun a change that is not complete; ask them to run any "
            f"skillbag command here, or delete the folder if nothing in it is needed"
        )
