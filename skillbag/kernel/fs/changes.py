"""New files, appended lines, copies and removals. Only the modules of this folder write or rename files."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from typing import BinaryIO

from skillbag.kernel.fs.atomic import CREATE, move
from skillbag.kernel.fs.read import NO_FOLLOW

REMOVED = ".old-"
"""Begins the name of what is being deleted; a process that is killed leaves it."""

_APPEND = os.O_RDWR | os.O_CREAT | os.O_APPEND | NO_FOLLOW | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def create(path: str, mode: int = 0o666) -> BinaryIO:
    """A new file, open for writing and reading, with the permissions `mode` less the umask.

    Raises:
        FileExistsError: anything is there, also a link to nothing.
    """
    return os.fdopen(os.open(path, CREATE ^ os.O_WRONLY | os.O_RDWR, mode), "w+b")


def write_new(path: str, data: bytes | Iterable[bytes], mode: int = 0o666) -> None:
    """Write a new file, whole or in pieces; raises as `create`. An error of the system names it."""
    descriptor = os.open(path, CREATE, mode)
    try:
        for piece in [data] if isinstance(data, bytes) else data:
            _write(descriptor, piece, path)
    finally:
        os.close(descriptor)


def _write(descriptor: int, data: bytes, path: str) -> None:
    left = memoryview(data)
    try:
        while left:
            left = left[os.write(descriptor, left) :]
    except OSError as error:
        raise OSError(error.errno, error.strerror, path) from error


def open_appending(path: str) -> BinaryIO:
    """A file whose end is written to, also by several processes at a time; it need not exist. No link is followed."""
    return os.fdopen(os.open(path, _APPEND, 0o666), "rb+")


def write_through(path: str, data: bytes) -> None:
    """Write into what is at the path, which stays the same file, pipe or device."""
    with open(path, "wb") as file:
        file.write(data)


def copy_folder(folder: str, to: str) -> None:
    """Copy a folder to the free path `to`, links as links."""
    import shutil

    shutil.copytree(folder, to, symlinks=True)


def put_folder(new: str, folder: str) -> None:
    """Put the folder `new` in the place of `folder`; what is there is deleted."""
    remove(folder)
    move(new, folder)


def remove(path: str) -> None:
    """Rename a folder or file away, then delete it, so that no part of it is ever at its path."""
    gone = os.path.join(os.path.dirname(path), f"{REMOVED}{os.urandom(8).hex()}")
    with contextlib.suppress(FileNotFoundError):
        move(path, gone)
        delete(gone)


def delete(path: str) -> None:
    """Delete a folder with its content, or a file or link; what can't be deleted stays."""
    if os.path.isdir(path) and not os.path.islink(path):
        import shutil

        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            os.unlink(path)
