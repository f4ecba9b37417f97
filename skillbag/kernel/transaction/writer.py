"""The writer lock of a workspace, in the user's state folder."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterator
from hashlib import sha256

from skillbag.kernel.base.user_dirs import STATE_VARIABLE, state_folder
from skillbag.kernel.fs.locking import acquire
from skillbag.kernel.transaction.locations import WORKSPACE, BusyError, Locations, Notice
from skillbag.kernel.transaction.pending import finish

_held: set[tuple[str, int]] = set()


@contextlib.contextmanager
def writing(
    root: str,
    wait: float = 60.0,
    on_wait: Callable[[], None] | None = None,
    notice: Notice | None = None,
    locations: Locations = WORKSPACE,
) -> Iterator[None]:
    """Exclude other processes from changing `root` within the block; an interrupted change is recovered first.

    `on_wait` is called once if the lock is not free, `notice` with a sentence about a recovery.

    Raises:
        BusyError: the lock was not free within `wait` seconds.
        OSError: the lock can't be made, or the workspace can't be recovered.
    """
    with locked(root, wait, on_wait, locations):
        finish(os.path.realpath(root), notice, locations)
        yield


@contextlib.contextmanager
def locked(
    root: str, wait: float, on_wait: Callable[[], None] | None = None, locations: Locations = WORKSPACE
) -> Iterator[None]:
    """The lock alone, without recovery; raises as `writing`."""
    path = _lock_file(root)
    try:
        lock = acquire(path, wait, on_wait)
    except TimeoutError as error:
        message = f"another process has been changing this {locations.root} for {wait:.0f} s"
        raise BusyError(f"{root}: {message}; wait for it, or end it, and run the command again") from error
    except OSError as error:
        raise _no_lock(error, path) from error
    key = _key(root)
    with lock:
        _held.add(key)
        try:
            yield
        finally:
            _held.discard(key)


def holds(root: str) -> bool:
    """Whether this thread holds the lock of the workspace."""
    return _key(root) in _held


def _key(root: str) -> tuple[str, int]:
    return os.path.realpath(root), threading.get_ident()


def _lock_file(root: str) -> str:
    """Named after the real path, so that a workspace has one lock under all its paths."""
    folder = os.path.join(state_folder(), "locks")
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise _no_lock(error, folder) from error
    return os.path.join(folder, f"{sha256(os.fsencode(os.path.realpath(root))).hexdigest()}.lock")


def _no_lock(error: OSError, path: str) -> OSError:
    message = f"can't make a lock here ({error.strerror}); set {STATE_VARIABLE} to a writable folder"
    return OSError(error.errno, message, path)
