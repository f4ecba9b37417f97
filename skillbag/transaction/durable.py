"""Making what was written durable, so that what refers to it may be written next."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable

_FEW = 32
"""Files up to which each is synced by itself, which does not wait for what others wrote to the file system."""


_NO_WAY = frozenset(
    {errno.EINVAL, errno.EBADF, errno.EOPNOTSUPP, errno.ENOSYS, getattr(errno, "ENOTSUP", errno.EINVAL)}
)
"""What network and user-space file systems answer that have no way to sync a folder."""

_FAILED = frozenset({errno.EIO, errno.ENOSPC, errno.EDQUOT})
"""What was written is not durable, and would not be after another try."""


def sync_tree(folder: str) -> None:
    """Make all files and folders at and below the absolute `folder` durable.

    Raises:
        OSError: the disk is full or broken: they may not be.
    """
    # Measured for 430 files, 12 MB, 20 folders on ext4 over virtio: fsync one by one 95 ms; by 16 threads 43 ms;
    # written back ahead by posix_fadvise, then fsync 38 ms; one syncfs 12 ms (and 2 ms to import ctypes); os.sync
    # 12 ms, but for every disk, and without word of an error.
    paths = list(_paths(folder))
    if len(paths) <= _FEW or not _sync_file_system(folder):
        for path in paths:
            sync(path)


def sync(path: str) -> None:
    """Make the file's content, or the folder's entries, durable, where the system has a way to.

    Raises:
        OSError: they may not be.
    """
    if os.name == "nt" and os.path.isdir(path):
        # Folders can't be opened there.
        return
    descriptor = os.open(path, os.O_RDWR if os.name == "nt" else os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _NO_WAY:
            raise OSError(error.errno, error.strerror, path) from error
    finally:
        os.close(descriptor)


def _paths(folder: str) -> Iterable[str]:
    """Regular files first, then the folders that name them; links live in their folders."""
    folders = []
    for path, _, names in os.walk(folder):
        folders.append(path)
        yield from (file for name in names if not os.path.islink(file := os.path.join(path, name)))
    yield from folders


def _sync_file_system(folder: str) -> bool:
    """Sync all that the file system of `folder` holds at once; False where the system offers no such call."""
    try:
        import ctypes

        call = ctypes.CDLL(None, use_errno=True).syncfs
    except (ImportError, OSError, AttributeError, TypeError):
        return False
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        done = bool(call(descriptor) == 0)
    finally:
        os.close(descriptor)
    code = ctypes.get_errno()
    if not done and code in _FAILED:
        raise OSError(code, os.strerror(code), folder)
    return done
