"""List folders and write files below a folder and nowhere else; unlike `open_beneath`, no link is followed (POSIX)."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Sequence

from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.fs.atomic import create_temporary, replace
from skillbag.kernel.fs.confined import NoRegularFileError, open_folder

_READABLE = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)


class LinkError(OSError):
    """A link is on the way, or in the place of the file."""


class Item(NamedTuple):
    """What a folder holds under a name; a link is no folder, and its size is its own."""

    name: str
    is_dir: bool
    size: int


def list_folder(top: str, names: Sequence[str]) -> list[Item]:
    """What is in the folder `names` below the real path `top`, sorted by name.

    Raises:
        LinkError: a link is on the way. OSError: the system's error.
    """
    folder = _open(top, names, create=False)
    try:
        readable = os.open(".", _READABLE, dir_fd=folder)
    finally:
        os.close(folder)
    try:
        with os.scandir(readable) as entries:
            return sorted(_item(entry) for entry in entries)
    finally:
        os.close(readable)


def _item(entry: os.DirEntry[str]) -> Item:
    try:
        size = entry.stat(follow_symlinks=False).st_size
    except FileNotFoundError:
        # Removed just now.
        size = 0
    return Item(entry.name, entry.is_dir(follow_symlinks=False), size)


def write_beneath(top: str, names: Sequence[str], data: bytes) -> None:
    """Write the file `names` below the real path `top`, atomically; missing folders are made.

    It keeps its permissions; a new one gets 0o666 less the umask. A crash at any moment leaves the old file or the new
    one.

    Raises:
        LinkError: a link is on the way, or in its place.
        NoRegularFileError: a device, pipe or socket is in its place; IsADirectoryError: a folder.
        OSError: the system's error; the old file is untouched.
    """
    folder = _open(top, names[:-1], create=True)
    try:
        _replace(folder, names[-1], data)
    finally:
        os.close(folder)


def _open(top: str, names: Sequence[str], *, create: bool) -> int:
    try:
        return open_folder(top, names, create=create)
    except OSError as error:
        if error.errno == errno.ELOOP or _has_link(top, names):
            raise LinkError(errno.ELOOP, "a link is on the way", "/".join(names)) from error
        raise


def _has_link(top: str, names: Sequence[str]) -> bool:
    """Whether a link is on the way; only chooses the message."""
    return any(os.path.islink(os.path.join(top, *names[:count])) for count in range(1, len(names) + 1))


def _replace(folder: int, name: str, data: bytes) -> None:
    mode = _mode(folder, name)
    descriptor, temporary = create_temporary(0o666, "", beside=folder)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            if mode is not None:
                os.fchmod(file.fileno(), mode)
            file.flush()
            os.fsync(file.fileno())
            replace(temporary, name, within=folder)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary, dir_fd=folder)
        raise
    with contextlib.suppress(OSError):
        readable = os.open(".", _READABLE, dir_fd=folder)
        try:
            os.fsync(readable)
        finally:
            os.close(readable)


def _mode(folder: int, name: str) -> int | None:
    """The permissions of the file that is in the place, None if there is none."""
    try:
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    if stat.S_ISLNK(status.st_mode):
        raise LinkError(errno.ELOOP, "a link is in its place", name)
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), name)
    if not stat.S_ISREG(status.st_mode):
        raise NoRegularFileError(errno.EINVAL, "it is not a regular file", name)
    return stat.S_IMODE(status.st_mode) & 0o777
