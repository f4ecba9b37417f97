"""The one reader of bytes and the one atomic writer; every path is checked against its root here.

Nothing in this module knows what a file means. Reads never block on a device or a pipe, never follow a link out of the
root they were given, and never load more than `LIMIT` bytes.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextvars import ContextVar
from enum import StrEnum
from functools import partial
from types import MappingProxyType

from skillbag.base.records import NamedTuple
from skillbag.fs import tracked

LIMIT = 1 << 20
"""Largest file that is read, in bytes (1 MiB)."""


class Unread(StrEnum):
    """Why a file could not be read."""

    MISSING = "missing"
    FOLDER = "folder"
    PERMISSION = "permission"
    OUTSIDE = "outside"
    LOOP = "loop"
    TOO_LARGE = "too-large"
    SPECIAL = "special"
    FAILED = "failed"


class Unreadable(NamedTuple):
    """A file that was not read: why, and the system's words where there are any."""

    reason: Unread
    detail: str = ""


_REASONS = {
    errno.ENOENT: Unread.MISSING,
    errno.ENOTDIR: Unread.MISSING,
    errno.EISDIR: Unread.FOLDER,
    errno.EACCES: Unread.PERMISSION,
    errno.EPERM: Unread.PERMISSION,
    errno.ELOOP: Unread.LOOP,
    errno.ENXIO: Unread.SPECIAL,
}
_FLAGS = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)


def is_within(root: str, path: str) -> bool:
    """Whether the real path of `path` is the real path of `root` or lies below it."""
    real_root, real = os.path.realpath(root), os.path.realpath(path)
    return real == real_root or real.startswith(real_root.rstrip(os.sep) + os.sep)


_NOTHING: Mapping[str, bytes] = MappingProxyType({})
_overlay: ContextVar[Mapping[str, bytes]] = ContextVar("overlay", default=_NOTHING)


@contextlib.contextmanager
def overlay(contents: Mapping[str, bytes]) -> Iterator[None]:
    """Within the block, `read` gives these bytes for these absolute paths, whatever is on the disk.

    Standard input stands in for its file this way, and fixes are tried out before anything is written.
    """
    token = _overlay.set({**_overlay.get(), **contents})
    try:
        yield
    finally:
        _overlay.reset(token)


def has_overlay() -> bool:
    """Whether anything stands in for a file."""
    return bool(_overlay.get())


def overlaid(path: str) -> bool:
    """Whether an overlay holds `path`."""
    return path in _overlay.get()


class Access(NamedTuple):
    """A file that was opened, and what for."""

    path: str
    why: str


_accesses: ContextVar[list[Access] | None] = ContextVar("accesses", default=None)
_why: ContextVar[str] = ContextVar("why", default="")


@contextlib.contextmanager
def traced() -> Iterator[list[Access]]:
    """Within the block, every file that `read` opens is added to the list that is given, in order."""
    accesses: list[Access] = []
    token = _accesses.set(accesses)
    try:
        yield accesses
    finally:
        _accesses.reset(token)


@contextlib.contextmanager
def because(why: str) -> Iterator[None]:
    """Files that are opened within the block are opened for this reason; the innermost one counts."""
    token = _why.set(why)
    try:
        yield
    finally:
        _why.reset(token)


def read(path: str, root: str) -> bytes | Unreadable:
    """The bytes of the regular file `path`, or why they can't be had.

    A symbolic link is followed only where it stays within `root`.
    """
    contents = _overlay.get()
    if contents and path in contents:
        # Not what is on the disk: no stamp tells when it changes.
        tracked.mark_uncacheable()
        data = contents[path]
        return data if len(data) <= LIMIT else Unreadable(Unread.TOO_LARGE, str(len(data)))
    trace = tracked.current()
    if trace is None:
        return _read_within(path, root)
    before = tracked.stamp(tracked.CONTENT, path)
    answer = _read_within(path, root)
    told = b"+" + answer if isinstance(answer, bytes) else f"-{answer.reason}{answer.detail}".encode()
    trace.note(tracked.CONTENT, path, before, told)
    return answer


def _read_within(path: str, root: str) -> bytes | Unreadable:
    try:
        return _read(path, _FLAGS | _NO_FOLLOW)
    except OSError as error:
        if error.errno != errno.ELOOP and not os.path.islink(path):
            return _unreadable(error)
    try:
        real = os.path.realpath(path, strict=True)
    except OSError as error:
        return _unreadable(error)
    if not is_within(root, real):
        return Unreadable(Unread.OUTSIDE, real)
    try:
        return _read(real, _FLAGS)
    except OSError as error:
        return _unreadable(error)


def _read(path: str, flags: int) -> bytes | Unreadable:
    descriptor = os.open(path, flags)
    accesses = _accesses.get()
    if accesses is not None:
        accesses.append(Access(path, _why.get()))
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return Unreadable(Unread.FOLDER if stat.S_ISDIR(status.st_mode) else Unread.SPECIAL)
        if status.st_size > LIMIT:
            return Unreadable(Unread.TOO_LARGE, str(status.st_size))
        # One byte more than promised tells whether the file is growing under us.
        data = os.read(descriptor, status.st_size + 1)
        while len(data) < status.st_size and (more := os.read(descriptor, LIMIT)):
            data += more
        return data if len(data) <= LIMIT else Unreadable(Unread.TOO_LARGE, str(len(data)))
    finally:
        os.close(descriptor)


def _unreadable(error: OSError) -> Unreadable:
    return Unreadable(_REASONS.get(error.errno or 0, Unread.FAILED), error.strerror or "")


class RefusedWriteError(OSError):
    """A write that would have left its root, or would have gone through a link."""


def write_atomic(
    path: str,
    data: bytes | Iterable[bytes],
    *,
    root: str,
    mode: int | None = None,
    overwrite: bool = True,
    durable: bool = True,
) -> None:
    """Write `data`, whole or in pieces, to `path` so that a crash at any moment leaves the old file or the new one.

    The file keeps its mode (a new one gets `mode`, or 0o644 less the umask). Missing parent folders are made. What is
    not `durable` need not outlive a failure of the power, only one of the process: it does not wait for the disk.

    Raises:
        RefusedWriteError: the target or one of its folders is a link that leaves `root`.
        FileExistsError: `overwrite` is false and the file is there.
        OSError: what the system says (disk full, read-only, …); the old file is untouched.
    """
    real = os.path.realpath(path)
    if not is_within(root, real):
        raise RefusedWriteError(errno.EPERM, "refused: the path leaves its root", path)
    if not overwrite and os.path.lexists(path):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), path)
    folder = os.path.dirname(real)
    temporary = os.path.join(folder, f".skillbag-{os.urandom(8).hex()}.tmp")
    try:
        os.makedirs(folder, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        descriptor = os.open(temporary, flags, 0o666 if mode is None else mode)
        with os.fdopen(descriptor, "wb") as handle:
            handle.writelines([data] if isinstance(data, bytes) else data)
            handle.flush()
            if durable:
                os.fsync(handle.fileno())
        _set_mode(temporary, real, mode)
        if overwrite:
            os.replace(temporary, real)
        else:
            os.link(temporary, real)
            os.unlink(temporary)
        if durable:
            _sync_folder(folder)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        if isinstance(error, OSError):
            # The caller knows the file by its own name.
            raise OSError(error.errno, error.strerror, path) from error
        raise


def _set_mode(temporary: str, real: str, mode: int | None) -> None:
    with contextlib.suppress(FileNotFoundError):
        mode = stat.S_IMODE(os.stat(real).st_mode)
    if mode is not None:
        os.chmod(temporary, mode)


def _sync_folder(folder: str) -> None:
    # Folders can't be opened on every platform; where they can, the rename itself is made durable.
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def rename(path: str, new: str, *, root: str) -> None:
    """Rename `path` to `new` in the same folder; a change of case alone works where the file system ignores case.

    Raises:
        RefusedWriteError: `new` leaves `root`.
        FileExistsError: another file has the new name.
    """
    if not is_within(root, os.path.dirname(new)):
        raise RefusedWriteError(errno.EPERM, "refused: the path leaves its root", new)
    if os.path.lexists(new) and not os.path.samefile(path, new):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), new)
    os.rename(path, new)
    _sync_folder(os.path.dirname(new))


class Batch:
    """Writes that hold together: used as a context, it takes all of them back, last first, if the block fails.

    Every single write is atomic as well; what a batch adds is that an error midway leaves everything as it was.
    """

    def __init__(self, root: str) -> None:
        self.root = root
        self._undo: list[Callable[[], object]] = []

    def __enter__(self) -> Batch:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        for step in reversed(self._undo if kind else []):
            with contextlib.suppress(OSError):
                step()

    def write(self, path: str, data: bytes, *, overwrite: bool = True) -> None:
        """As `write_atomic`."""
        old = read(path, self.root)
        made = _missing_folders(os.path.dirname(path))
        self._undo += [partial(os.rmdir, folder) for folder in made]
        write_atomic(path, data, root=self.root, overwrite=overwrite)
        if isinstance(old, bytes):
            self._undo.append(partial(write_atomic, path, old, root=self.root))
        else:
            self._undo.append(partial(os.unlink, path))

    def chmod(self, path: str, mode: int) -> None:
        """Set the permission bits of `path`."""
        old = stat.S_IMODE(os.stat(path).st_mode)
        os.chmod(path, mode)
        self._undo.append(partial(os.chmod, path, old))

    def rename(self, path: str, new: str) -> None:
        """As the function `rename`."""
        rename(path, new, root=self.root)
        self._undo.append(partial(os.rename, new, path))


def _missing_folders(folder: str) -> list[str]:
    """The folders that have to be made for `folder`, outermost first."""
    missing = []
    while not os.path.lexists(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    return missing[::-1]
