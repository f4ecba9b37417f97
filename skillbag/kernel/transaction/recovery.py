"""Recovery of interrupted transactions, which every command does before it reads a workspace.

The import, and `recover` with nothing to do, are cheap.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterable

from skillbag.kernel.transaction.locations import (
    CHECKED_FOLDER,
    IGNORE,
    STORE,
    WORKSPACE,
    ForeignJournalError,
    Locations,
    Notice,
)
from skillbag.kernel.workspace.discovery import upward

_NOTHING = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP})
_announced: set[tuple[str, Locations]] = set()


def recover(root: str, wait: float = 60.0, notice: Notice | None = None, locations: Locations = WORKSPACE) -> bool:
    """Complete or roll back the interrupted transaction of `root`; whether there was one.

    A transaction that another process is making now is waited for, up to `wait` seconds. A journal that this
    user has not begun is reported once and left alone.

    Raises:
        OSError: neither is possible now, or the other process does not end; says what to do.
    """
    try:
        names = os.listdir(os.path.join(root, STORE))
    except OSError as error:
        if error.errno in _NOTHING or not _is_ours(root, locations):
            return False
        raise
    pending = [kind for kind in (locations, CHECKED_FOLDER) if kind.stage in names]
    if not pending and not set(names) - {IGNORE}:
        _tidy(root, locations)
    done = [_recover(root, wait, notice, kind) for kind in pending]
    return any(done)


def recover_all(roots: Iterable[str], notice: Notice | None = None) -> bool:
    """`recover` each of these folders, workspace or not; whether there was anything to do."""
    found = [recover(root, notice=notice) for root in roots]
    return any(found)


def recover_around(paths: Iterable[str], top: str | None = None, notice: Notice | None = None) -> bool:
    """`recover` each folder that may be the root of a workspace with one of these absolute paths.

    Call it before looking for the workspace: until then, the paths themselves may be displaced.
    """
    folders = {path if os.path.isdir(path) else os.path.dirname(path) for path in paths}
    return recover_all({root for folder in folders for root in upward(folder, top)}, notice)


def _recover(root: str, wait: float, notice: Notice | None, locations: Locations) -> bool:
    from skillbag.kernel.transaction.pending import finish
    from skillbag.kernel.transaction.writer import holds, locked

    if holds(root):
        # This thread is making the transaction.
        return False

    def waiting() -> None:
        if notice:
            notice(f"{root}: waiting for another process that is changing this {locations.root}…")

    try:
        with locked(root, wait, waiting, locations):
            return finish(os.path.realpath(root), notice, locations, reading=True)
    except ForeignJournalError as error:
        if notice and (root, locations) not in _announced:
            _announced.add((root, locations))
            notice(str(error))
        return False


def _is_ours(root: str, locations: Locations) -> bool:
    """Whether this user has begun a change in this folder, in which another user may have put anything."""
    from skillbag.kernel.transaction import begun
    from skillbag.kernel.transaction.store import TransactionStore

    kinds = (TransactionStore(os.path.realpath(root), kind) for kind in (locations, CHECKED_FOLDER))
    return any(begun.is_any_remembered(store.stage) for store in kinds)


def _tidy(root: str, locations: Locations) -> None:
    """Delete the empty folder that a transaction leaves if it is killed at its last step."""
    from skillbag.kernel.transaction.store import TransactionStore
    from skillbag.kernel.transaction.writer import locked

    with contextlib.suppress(OSError), locked(root, 0):
        TransactionStore(os.path.realpath(root), locations).tidy()
