"""Making written files durable before anything refers to them."""

from __future__ import annotations

import errno
import os

_FEW = 32
"""Up to this many files, each is synced by itself; that does not wait for other programs' writes."""

_UNSUPPORTED = frozenset(
    {errno.EINVAL, errno.EBADF, errno.EOPNOTSUPP, errno.ENOSYS, getattr(errno, "ENOTSUP", errno.EINVAL)}
)
"""Errors of network and user-space file systems that can't sync a folder."""

_FAILED = frozenset({errno.EIO, errno.ENOSPC, errno.EDQUOT})
"""Errors that another try would not clear: the data is not durable."""


def sync_tree(folder: str) -> None:
    """Make all files and folders at and below the absolute `folder` durable.

    Raises:
        OSError: the disk is full or broken, and the data may not be durable.
    """
    # Measured for 430 files, 12 MB, 20 folders on ext4 over virtio: fsync one by one 95 ms; by 16 threads 43 ms;
    # written back ahead by posix_fadvise, then fsync 38 ms; one syncfs 12 ms (and 2 ms to import ctypes); os.sync
    # 12 ms, but for every disk, and without reporting errors.
    folders, paths = [], []
    for path, _, names in os.walk(folder):
        folders.append(path)
        paths += [file for name in names if not os.path.islink(file := os.path.join(path, name))]
    # Folders after the files that they name; links live in their folders.
    paths += folders
    if len(paths) <= _FEW or not _sync_file_system(folder):
        for path in paths:
            sync(path)


def sync(path: str) -> None:
    """Make a file's content, or a folder's entries, durable, if the file system supports it."""
    if os.name == "nt" and os.path.isdir(path):
        # Windows can't open folders.
        return
    descriptor = os.open(path, os.O_RDWR if os.name == "nt" else os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _UNSUPPORTED:
            raise OSError(error.errno, error.strerror, path) from error
    finally:
        os.close(descriptor)


def _sync_file_system(folder: str) -> bool:
    """Sync the whole file system of `folder`; False if the system has no call for that."""
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
