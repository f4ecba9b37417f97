"""The folder of all snapshots: what was not used for longest goes when there are too many, or too large ones."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

from skillbag.named import NamedTuple

FOLDER = "checks"
"""Where snapshots lie, in the user's cache folder."""

MOST = 200
"""Files that are kept."""
MOST_BYTES = 1 << 29
"""Bytes that they may have together (512 MiB)."""

_UNFINISHED = 600.0
"""Seconds after which a file that was not finished never will be: whoever was writing it was killed."""


class _File(NamedTuple):
    used: float
    size: int
    path: str


def bound(folder: str, now: float) -> None:
    """Keep the folder within its bounds; the file that was used last stays, whatever its size."""
    files = _within(folder)
    total = 0
    for number, file in enumerate(files):
        total += file.size
        is_left = file.path.endswith(".tmp") and file.used < now - _UNFINISHED
        if is_left or number >= MOST or (total > MOST_BYTES and number):
            _remove(file)


def clear(folder: str, before: float) -> None:
    """Delete what was not used since `before`. Whoever needs one of them just now has read it, or writes it anew."""
    for file in _within(folder):
        if file.used <= before:
            _remove(file)


def count(folder: str) -> int:
    """How many files there are."""
    return len(_within(folder))


def _within(folder: str) -> list[_File]:
    """The files of a folder, the one that was used last first."""
    return sorted(_files(folder), reverse=True)


def _files(folder: str) -> Iterator[_File]:
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            with contextlib.suppress(OSError):
                status = entry.stat(follow_symlinks=False)
                yield _File(status.st_mtime, status.st_size, entry.path)


def _remove(file: _File) -> None:
    with contextlib.suppress(OSError):
        os.unlink(file.path)
