"""Locks of the system: one thread of one process at a time holds the lock of a file."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager


def acquire(
    path: str, wait: float = 0.0, on_wait: Callable[[], None] | None = None, *, mode: int | None = None
) -> AbstractContextManager[object]:
    """Take the lock of the file `path`, in a folder that exists; the end of the block that it opens releases it.

    `on_wait` is called once if another holds it; `mode` are the permissions of a new file, by default
    those that the user's mask leaves.

    Raises:
        TimeoutError: another has held it for `wait` seconds.
        OSError: the file can't be made.
    """
    # Most commands take no lock, so that none of them pays for this import.
    from filelock import FileLock

    # Where a system has no locks, permissions that are given can't be set either.
    lock = FileLock(path) if mode is None else FileLock(path, mode=mode)
    try:
        return lock.acquire(timeout=0)
    except TimeoutError:
        if on_wait is not None:
            on_wait()
        return lock.acquire(timeout=wait)
