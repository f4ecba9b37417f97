"""Open files below a folder and nothing else, with no gap between the check and the use.

The real path is checked first. Then it is opened name by name, each from the descriptor of the folder before it and
without following links, so that a link that is created in between makes the opening fail. The folder is given by its
real path: if it has become a link, it is refused as well.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Sequence

from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.fs.read import FLAGS, NO_FOLLOW

# A folder on the way need not be readable.
_PATH_ONLY = getattr(os, "O_PATH", 0)
_FOLDER = (_PATH_ONLY or os.O_RDONLY) | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0) | NO_FOLLOW
_BY_DESCRIPTOR = os.open in os.supports_dir_fd and bool(NO_FOLLOW)


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
    """Open the regular file at `path`, relative to the real path `folder` and with `/`, without blocking.

    Links are followed within the folder. Each name must be spelt as its folder lists it, even where the file system
    accepts other spellings.

    Raises:
        OutsideError: it leads out of the folder, or the folder is (or has become) a link.
        NoRegularFileError: it is a device, pipe or socket; IsADirectoryError: it is a folder.
        OSError: the system's error: missing, a circular link, no permission, …
    """
    try:
        if os.path.realpath(folder) != folder:
            raise OutsideError(errno.EXDEV, "its folder is named by a link", path)
        real = os.path.realpath(os.path.join(folder, path))
        names = _names_beneath(folder, real, path)
        _check_spelling(folder, path)
    except ValueError as error:
        # NUL, or characters that the system can't encode: there is no such file.
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
    """Raise for a name that its folder does not list: file systems may ignore case, or have short names."""
    folder = top
    for name in path.split("/"):
        if name not in os.listdir(folder):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        folder = os.path.join(folder, name)


def _walk(top: str, names: list[str]) -> int:
    folder = open_folder(top, names[:-1])
    try:
        return os.open(names[-1], FLAGS | NO_FOLLOW, dir_fd=folder)
    finally:
        os.close(folder)


def open_folder(top: str, names: Sequence[str], *, create: bool = False) -> int:
    """A descriptor of the folder `names` below the real path `top`, to open other names from; no link is followed.

    With `create`, missing folders are made. POSIX only; where the system allows, the folder need not be readable.

    Raises:
        OSError: the system's error; a link on the way is ELOOP or ENOTDIR.
    """
    above: list[str] = []
    if _PATH_ONLY and top != os.sep:
        # From the root of the file system, so that no link above the folder is followed either.
        top, above = os.sep, top.split(os.sep)[1:]
    folder = os.open(top, _FOLDER)
    for number, name in enumerate([*above, *names]):
        try:
            inner = _enter(folder, name, create and number >= len(above))
        finally:
            os.close(folder)
        folder = inner
    return folder


def _enter(folder: int, name: str, create: bool) -> int:
    try:
        return os.open(name, _FOLDER, dir_fd=folder)
    except FileNotFoundError:
        if not create:
            raise
    with contextlib.suppress(FileExistsError):
        os.mkdir(name, dir_fd=folder)
    return os.open(name, _FOLDER, dir_fd=folder)


def _open_plainly(real: str) -> int:
    # Without descriptors of folders (Windows), the opened file must be the one at the path afterwards, without links.
    # A link that exists only in between is not noticed.
    descriptor = os.open(real, FLAGS)
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
