"""The one reader of bytes: never follows a link out of its root, never blocks, never loads more than `LIMIT` bytes.

An overlay stands in for files, and a trace records which files were opened, and why.
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
