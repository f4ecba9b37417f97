"""Opening what lies beneath a folder and nothing else, with no gap between the check and the use.

Where a path really leads is found first, and held to the folder. Then it is opened name by name, each from the
descriptor of the folder before it, and no link is followed any more: one that is put there in between makes the opening
fail. The folder is named by its real path, which the caller vouches for: one that is a link by now is refused as well.
"""

from __future__ import annotations

import errno
import os
import stat

from skillbag.base.records import NamedTuple

_FILE = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
# A folder that can be passed through need not be one that can be listed.
_PASSED = getattr(os, "O_PATH", 0)
_FOLDER = (_PASSED or os.O_RDONLY) | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0) | _NO_FOLLOW
_BY_DESCRIPTOR = os.open in os.supports_dir_fd and bool(_NO_FOLLOW)


class OutsideError(OSError):
    """The path leads out of the folder."""


class NoRegularFileError(OSError):
    """A device, a pipe or a socket."""


class TooLargeError(OSError):
    """The file is larger than it may be."""


class Opened(NamedTuple):
    """A regular file, open for reading; the descriptor is the caller's to close. `path` is its absolute real path."""

    descriptor: int
    path: str
    status: os.stat_result


def open_beneath(folder: str, path: str) -> Opened:
    """Open the regular file at `path`, relative to the real path `folder` and with `/`, without ever waiting for it.

    Links are followed where they stay within the folder. Each name must be spelt as its folder lists it, also where the
    file system takes other spellings for the same.

    Raises:
        OutsideError: it leads out of the folder, or the folder is named by a link, as it may be when it was replaced.
        NoRegularFileError: it is something of another kind; IsADirectoryError: it is a folder.
        OSError: what the system says: not there, a link in a circle, no permission, …
    """
    try:
        if os.path.realpath(folder) != folder:
            raise OutsideError(errno.EXDEV, "its folder is named by a link", path)
        real = os.path.realpath(os.path.join(folder, path))
        names = _names_beneath(folder, real, path)
        _check_spelling(folder, path)
    except ValueError as error:
        # NUL, or characters that the system has no bytes for: there can be no such file.
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path) from error
    descriptor = _walk(folder, names) if _BY_DESCRIPTOR else _open_plainly(real)
    try:
        return Opened(descriptor, real, _regular(descriptor, path))
    except BaseException:
        os.close(descriptor)
        raise


def read_beneath(folder: str, path: str, limit: int) -> bytes:
    """The bytes of the file at `path`, at most `limit`.

    Raises:
        TooLargeError: there are more. OSError: as `open_beneath`.
    """
    with os.fdopen(open_beneath(folder, path).descriptor, "rb") as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise TooLargeError(errno.EFBIG, os.strerror(errno.EFBIG), path)
    return data


def _names_beneath(top: str, real: str, path: str) -> list[str]:
    if real == top:
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    inside = os.path.join(top, "")
    if not real.startswith(inside):
        raise OutsideError(errno.EXDEV, "it leads out of its folder", path)
    return real.removeprefix(inside).split(os.sep)


def _check_spelling(top: str, path: str) -> None:
    """A file system may ignore case or the form of Unicode, or have short names beside the long ones."""
    folder = top
    for name in path.split("/"):
        if name not in os.listdir(folder):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        folder = os.path.join(folder, name)


def _walk(top: str, names: list[str]) -> int:
    if _PASSED:
        # From the root of the file system: above the folder as well, no link is followed.
        names = [*top.split(os.sep)[1:], *names] if top != os.sep else names
        top = os.sep
    folder = os.open(top, _FOLDER)
    try:
        for name in names[:-1]:
            inner = os.open(name, _FOLDER, dir_fd=folder)
            os.close(folder)
            folder = inner
        return os.open(names[-1], _FILE | _NO_FOLLOW, dir_fd=folder)
    finally:
        os.close(folder)


def _open_plainly(real: str) -> int:
    # Where folders have no descriptors (Windows): what was opened must be what the path leads to afterwards, without
    # any link. A link that is put there and taken away again in between goes unseen.
    descriptor = os.open(real, _FILE)
    try:
        if os.path.realpath(real) == real and os.path.samestat(os.fstat(descriptor), os.lstat(real)):
            return descriptor
        raise OutsideError(errno.EXDEV, "it was replaced while it was opened", real)
    except BaseException:
        os.close(descriptor)
        raise


def _regular(descriptor: int, path: str) -> os.stat_result:
    status = os.fstat(descriptor)
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if not stat.S_ISREG(status.st_mode):
        raise NoRegularFileError(errno.EINVAL, "it is not a regular file", path)
    return status
