"""Finishes the change that a killed process left behind; its journal is not trusted."""

from __future__ import annotations

import contextlib
import os

from skillbag.fs.atomic import RefusedWriteError
from skillbag.transaction import swap
from skillbag.transaction.errors import BadJournalError, RecoveryError
from skillbag.transaction.locations import CHECKED_FOLDER, WORKSPACE, Locations, Notice
from skillbag.transaction.state import state_of
from skillbag.transaction.steps import Journal, parse
from skillbag.transaction.store import Phase, Store

_DONE = {
    Phase.FORWARD: "a change that was interrupted has been completed",
    Phase.BACK: "a change that was interrupted has been taken back",
    Phase.CLEANUP: "a change that was interrupted has been cleared up",
}


def finish(root: str, notice: Notice | None = None, locations: Locations = WORKSPACE) -> bool:
    """Bring the pending change of the workspace (or what `locations` says) with the real path `root` to an end; whether
    there was one.

    The caller holds the writer lock.

    Raises:
        BadJournalError: what is there was not left by us; nothing was touched.
        OSError: it can be neither completed nor taken back now.
    """
    store = Store(root, locations)
    if not os.path.lexists(store.stage):
        return False
    store.check()
    try:
        phase = store.phase()
        if phase is None:
            _discard_waste(store)
            return True
        journal = parse(store.read_journal(phase), locations)
    except BadJournalError as error:
        raise BadJournalError(_not_ours(store, error)) from error
    _check_owner(store)
    try:
        store.check_ways(step.path for step in journal.steps if locations == CHECKED_FOLDER)
    except RefusedWriteError as error:
        raise BadJournalError(_not_ours(store, error)) from error
    with store.alone():
        done = _settle(store, phase, journal)
        kept = swap.finalize(store, journal)
    # Not within: there are systems that don't delete a file that is open.
    store.discard()
    if notice:
        notice(f"{root}: {_DONE[done]}" + (f"; kept: {', '.join(kept)}" if kept else ""))
    return True


def _discard_waste(store: Store) -> None:
    """The workspace is whole: what can't be deleted, or is just being staged, need not stop who only reads."""
    with contextlib.suppress(OSError):
        with store.alone():
            pass
        store.discard()


def _settle(store: Store, phase: Phase, journal: Journal) -> Phase:
    """Come to the phase CLEANUP; the one by which the change got there."""
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
    """Whether all that is still to be placed is what the journal says."""
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
            f"{store.stage}: a change that another user (uid {owner}) has begun is not complete; have them run any "
            f"skillbag command here, or delete the folder if you know that nothing in it is needed"
        )


def _not_ours(store: Store, error: OSError) -> str:
    return (
        f"{store.stage}: the journal of an interrupted change can't be followed: {error}. Nothing was touched. "
        f"If another version of skillbag left it, run that one here; if it came with a clone or a download, delete the "
        f"folder; otherwise look first into its folder old, which holds what was displaced"
    )
