"""The one reader of bytes: never follows a link out of its root, never blocks, never loads more than `LIMIT` bytes.

An overlay replaces files, and `traced` records which files were opened, and why.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from enum import StrEnum
from types import MappingProxyType

from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.fs import other_disk, tracked
from skillbag.kernel.fs.trace import RECORDED, mark_uncacheable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from skillbag.kernel.fs.buffers import Buffers
    from skillbag.kernel.fs.past import Past

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
    """A file that was not read: why, and the system's message if there is one."""

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
FLAGS = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""Flags to open a file for reading without blocking."""
NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
"""The flag to refuse a link; 0 where the system has none."""


_amount = 0


def amount_read() -> int:
    """How many bytes this process has read so far."""
    return _amount


def is_within(root: str, path: str) -> bool:
    """Whether the real path of `path` is the real path of `root` or lies below it."""
    real_root, real = os.path.realpath(root), os.path.realpath(path)
    return real == real_root or real.startswith(real_root.rstrip(os.sep) + os.sep)


_NOTHING: Mapping[str, bytes] = MappingProxyType({})
_overlay: ContextVar[Mapping[str, bytes]] = ContextVar("overlay", default=_NOTHING)


@contextlib.contextmanager
def overlay(contents: Mapping[str, bytes]) -> Iterator[None]:
    """Within the block, `read` gives these bytes for these absolute paths: for standard input, and to try out fixes."""
    token = _overlay.set({**_overlay.get(), **contents})
    try:
        yield
    finally:
        _overlay.reset(token)


def has_overlay() -> bool:
    """Whether any file is replaced."""
    return bool(_overlay.get())


def overlaid(path: str) -> bool:
    """Whether an overlay holds `path`."""
    return path in _overlay.get()


class FileAccess(NamedTuple):
    """A file that was opened, and why."""

    path: str
    why: str


_accesses: ContextVar[list[FileAccess] | None] = ContextVar("accesses", default=None)
_why: ContextVar[str] = ContextVar("why", default="")


@contextlib.contextmanager
def traced() -> Iterator[list[FileAccess]]:
    """Within the block, every file that `read` opens is added to the list that is given, in order."""
    accesses: list[FileAccess] = []
    token = _accesses.set(accesses)
    try:
        yield accesses
    finally:
        _accesses.reset(token)


@contextlib.contextmanager
def because(why: str) -> Iterator[None]:
    """Within the block, files are opened for this reason; that of the innermost block counts."""
    token = _why.set(why)
    try:
        yield
    finally:
        _why.reset(token)


def read(path: str, root: str) -> bytes | Unreadable:
    """The bytes of the regular file `path`, or why it can't be read. No link out of `root` is followed."""
    contents = _overlay.get()
    if contents and path in contents:
        # An overlay has no stamp.
        mark_uncacheable()
        data = contents[path]
        return data if len(data) <= LIMIT else Unreadable(Unread.TOO_LARGE, str(len(data)))
    other = other_disk.LOOKED_AT.get()
    trace = RECORDED.get()
    if trace is None or (other and not other.is_stamped):
        return _read_of(other, path, root) if other else _read_within(path, root)
    before = tracked.stamp(tracked.CONTENT, path)
    result = _read_of(other, path, root) if other else _read_within(path, root)
    answer = b"+" + result if isinstance(result, bytes) else f"-{result.reason}{result.detail}".encode()
    trace.note(tracked.CONTENT, path, before, answer)
    return result


def _read_of(other: Past | Buffers, path: str, root: str) -> bytes | Unreadable:
    """As `_read_within`, of another disk."""
    place = other.real(path)
    if not other.differs(place):
        return _read_within(path, root)
    mode, top = other.mode(place), other.real(root).rstrip(os.sep)
    if not stat.S_ISREG(mode):
        return Unreadable(Unread.SPECIAL if mode else Unread.MISSING)
    if not place.startswith(top + os.sep):
        return Unreadable(Unread.OUTSIDE, place)
    data = other.content(place)
    if isinstance(data, int) or len(data) > LIMIT:
        return Unreadable(Unread.TOO_LARGE, str(data if isinstance(data, int) else len(data)))
    return data


def _read_within(path: str, root: str) -> bytes | Unreadable:
    try:
        try:
            return _read(path, FLAGS | NO_FOLLOW)
        except OSError as error:
            if error.errno != errno.ELOOP and not os.path.islink(path):
                raise
        real = os.path.realpath(path, strict=True)
        return _read(real, FLAGS) if is_within(root, real) else Unreadable(Unread.OUTSIDE, real)
    except OSError as error:
        return Unreadable(_REASONS.get(error.errno or 0, Unread.FAILED), error.strerror or "")
    except ValueError:
        # A NUL or half of a character is in no file's name.
        return Unreadable(Unread.MISSING)


def _read(path: str, flags: int) -> bytes | Unreadable:
    descriptor = os.open(path, flags)
    accesses = _accesses.get()
    if accesses is not None:
        accesses.append(FileAccess(path, _why.get()))
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return Unreadable(Unread.FOLDER if stat.S_ISDIR(status.st_mode) else Unread.SPECIAL)
        if status.st_size > LIMIT:
            return Unreadable(Unread.TOO_LARGE, str(status.st_size))
        # One more byte shows whether the file is growing.
        data = os.read(descriptor, status.st_size + 1)
        while len(data) < status.st_size and (more := os.read(descriptor, LIMIT)):
            data += more
        global _amount
        _amount += len(data)
        return data if len(data) <= LIMIT else Unreadable(Unread.TOO_LARGE, str(len(data)))
    finally:
        os.close(descriptor)
