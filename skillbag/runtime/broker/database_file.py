"""The file of a database: private, the user's own, and set aside when it is damaged."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TypeAlias

from skillbag.kernel.fs.atomic import move
from skillbag.kernel.fs.locking import acquire
from skillbag.runtime.errors import RuntimeFaultError

Identity: TypeAlias = tuple[int, int]
"""Device and inode of a file."""

DAMAGED = ".damaged-"
"""What follows the name of a database that was set aside."""

_PARTS = ("", "-wal", "-shm")
"""The database and what SQLite writes beside it."""


class StoreError(RuntimeFaultError):
    """The database can't be used; the message says why and what to do. Nothing was changed."""


def busy_error(path: str, wait: float) -> StoreError:
    """The error that another process has not let go of the database for `wait` seconds."""
    return StoreError(f"{path}: another process has kept it locked for {wait:g} s; run the command again")


def make_private(folder: str) -> None:
    """Create the folder, or make sure that no other user can put files there.

    Raises:
        StoreError: it is another user's. OSError: the system's error.
    """
    os.makedirs(folder, mode=0o700, exist_ok=True)
    if os.name != "posix":
        return
    status = os.stat(folder)
    if status.st_uid != os.geteuid():
        raise StoreError(f"{folder} belongs to another user, who could put approvals there; use a folder of your own")
    if stat.S_IMODE(status.st_mode) & 0o022:
        os.chmod(folder, stat.S_IMODE(status.st_mode) & ~0o022)


def check_file(path: str) -> bool:
    """Whether there is a database; its mode becomes 0600.

    It is never opened here: closing a file drops all locks that this process has on it.

    Raises:
        StoreError: it, or a file of SQLite beside it, is a link, another user's, or writable by others.
    """
    found, *_ = [_check_own(path + part) for part in _PARTS]
    return found


def _check_own(path: str) -> bool:
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return False
    fault = ""
    if not stat.S_ISREG(status.st_mode):
        fault = "is a link or no regular file"
    elif os.name == "posix" and status.st_uid != os.geteuid():
        fault = "belongs to another user"
    elif os.name == "posix" and status.st_mode & 0o022:
        fault = "can be written by others"
    if fault:
        raise StoreError(f"{path} {fault}, so its approvals can't be trusted; remove it")
    if os.name == "posix" and status.st_mode & 0o077:
        os.chmod(path, 0o600)
    return True


def identity(path: str) -> Identity | None:
    """Which file is at the path; None if there is none."""
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino


@contextlib.contextmanager
def locked(path: str, wait: float) -> Iterator[None]:
    """Hold the lock under which the database is created and set aside.

    Raises:
        StoreError: another process has held it for `wait` seconds. OSError: the system's error.
    """
    try:
        lock = acquire(f"{path}.lock", wait, mode=0o600)
    except TimeoutError as error:
        raise busy_error(path, wait) from error
    with lock:
        yield


def set_aside(path: str) -> str:
    """Rename the database and the files beside it; gives the database's new path. Call it within `locked`."""
    now = datetime.now(UTC).strftime("%Y%m%dT%H%M%S")
    # The database first: without its log, it would look sound and have what was revoked last.
    kept = f"{path}{DAMAGED}{now}-{os.urandom(3).hex()}"
    for part in _PARTS:
        with contextlib.suppress(FileNotFoundError):
            move(path + part, kept + part)
    return kept
