"""The one atomic writer, and all renames: a crash at any moment leaves the old file or the new one."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import stat
from collections.abc import Iterable, Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.fs.read import FLAGS, NO_FOLLOW, is_within

CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | NO_FOLLOW
"""Flags to create a file, and fail where anything is."""


_TEMPORARY = late(r"\.skillbag-[0-9a-f]{16}\.tmp")


class RefusedWriteError(OSError):
    """A write that would leave its root, or go through a link."""


def write_atomic(
    path: str,
    data: bytes | Iterable[bytes],
    *,
    root: str,
    mode: int | None = None,
    overwrite: bool = True,
    durable: bool = True,
) -> None:
    """Write `data`, whole or in pieces, to `path`. The options and errors are those of `open_atomic`."""
    with open_atomic(path, root=root, mode=mode, overwrite=overwrite, durable=durable) as handle:
        handle.writelines([data] if isinstance(data, bytes) else data)


@contextlib.contextmanager
def open_atomic(
    path: str, *, root: str, mode: int | None = None, overwrite: bool = True, durable: bool = True
) -> Iterator[io.BufferedWriter]:
    """A file that takes its place at `path` when the block succeeds, so that a crash at any moment leaves the old file
    or the new one, and a temporary file that the next durable write in the folder deletes.

    The file keeps its mode (a new one gets `mode`, or 0o644 less the umask). Missing parent folders are created. If it
    is not `durable`, it does not wait for the disk, and survives a crash of the process, but not of the system.

    Raises:
        RefusedWriteError: the target or one of its folders is a link that leaves `root`.
        FileExistsError: `overwrite` is false and the file exists.
        OSError: the system's error (disk full, read-only, …); the old file is untouched.
    """
    real = os.path.realpath(path)
    if not is_within(root, real):
        raise RefusedWriteError(errno.EPERM, "refused: the path leaves its root", path)
    if not overwrite and os.path.lexists(path):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), path)
    folder = os.path.dirname(real)
    temporary = ""
    try:
        os.makedirs(folder, exist_ok=True)
        if durable:
            sweep(folder)
        descriptor, name = create_temporary(0o666 if mode is None else mode, folder)
        temporary = os.path.join(folder, name)
        with os.fdopen(descriptor, "wb") as handle:
            yield handle
            handle.flush()
            if durable:
                os.fsync(descriptor)
            with contextlib.suppress(FileNotFoundError):
                mode = stat.S_IMODE(os.stat(real).st_mode)
            if mode is not None:
                os.chmod(temporary, mode)
            if os.name == "posix":
                _put(temporary, real, overwrite)
        if os.name != "posix":
            # Windows can't rename an open file.
            _put(temporary, real, overwrite)
        if durable:
            _sync_folder(folder)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        if isinstance(error, OSError):
            # The caller does not know the temporary file.
            raise OSError(error.errno, error.strerror, path) from error
        raise


def _put(temporary: str, real: str, overwrite: bool) -> None:
    if overwrite:
        replace(temporary, real)
    else:
        os.link(temporary, real)
        os.unlink(temporary)


def create_temporary(mode: int, folder: str, *, beside: int | None = None) -> tuple[int, str]:
    """Create a file that will take the place of another one in `folder` (or the folder with the descriptor `beside`);
    its descriptor and name.

    It is locked until the descriptor is closed, so that `sweep` leaves it alone: close it once it has its place.
    """
    while True:
        name = f".skillbag-{os.urandom(8).hex()}.tmp"
        if beside is None:
            descriptor = os.open(os.path.join(folder, name), CREATE, mode)
        else:
            descriptor = os.open(name, CREATE, mode, dir_fd=beside)
        if not _lock(descriptor) or os.fstat(descriptor).st_nlink:
            return descriptor, name
        # Another writer has just swept it away.
        os.close(descriptor)


def sweep(folder: str) -> None:
    """Delete the temporary files in `folder` that killed processes have left (POSIX)."""
    with contextlib.suppress(OSError):
        for name in os.listdir(folder) if os.name == "posix" else ():
            if _TEMPORARY().fullmatch(name):
                with contextlib.suppress(OSError):
                    _sweep(os.path.join(folder, name))


def _sweep(path: str) -> None:
    descriptor = os.open(path, FLAGS | NO_FOLLOW)
    try:
        if _lock(descriptor, wait=False):
            os.unlink(path)
    finally:
        os.close(descriptor)


def _lock(descriptor: int, *, wait: bool = True) -> bool:
    """Lock the file; whether that was possible: some file systems have no locks."""
    if os.name != "posix":
        return False
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _sync_folder(folder: str) -> None:
    # Makes the rename itself durable; some platforms can't open folders.
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def rename(path: str, new: str, *, root: str) -> None:
    """Rename `path` to `new` in the same folder, also if only the case changes on a file system that ignores it.

    Raises:
        RefusedWriteError: `new` leaves `root`.
        FileExistsError: another file has the new name.
    """
    if not is_within(root, os.path.dirname(new)):
        raise RefusedWriteError(errno.EPERM, "refused: the path leaves its root", new)
    if os.path.lexists(new) and not os.path.samefile(path, new):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), new)
    move(path, new)
    _sync_folder(os.path.dirname(new))


def move(path: str, to: str) -> None:
    """Rename a file or folder to a path on the same file system. On POSIX a file there is replaced."""
    os.rename(path, to)


def replace(path: str, to: str, *, within: int | None = None) -> None:
    """Rename a file, in the folder with the descriptor `within` if given; another one there is replaced, on every
    system.
    """
    os.replace(path, to, src_dir_fd=within, dst_dir_fd=within)


def move_folder(folder: str, to: str) -> None:
    """Move a folder to the free path `to`, to another file system by copying it."""
    import shutil

    shutil.move(folder, to)
