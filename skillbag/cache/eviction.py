"""The folder of all snapshots: which file is whose, and what was not used for longest goes when there are too many."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator, Sequence

from skillbag.base.records import NamedTuple
from skillbag.base.user_dirs import cache_folder
from skillbag.workspace import git_state

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


def evict(folder: str, now: float) -> None:
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


def place_of(request: Sequence[object]) -> str:
    """The absolute path of the file for a request (plain values) of this user to this program, in this environment.

    Raises:
        UserError: the cache folder is misnamed (see `user_folders`).
    """
    from _blake2 import blake2b

    text = repr((_program(), _user(), tuple(request)))
    name = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    return os.path.join(cache_folder(), FOLDER, f"{name}.checks")


def _user() -> tuple[object, ...]:
    """Who asks, and what the environment says to git and of where programs and settings are."""
    ids = (os.geteuid(), os.getegid(), os.getgroups()) if hasattr(os, "geteuid") else ()
    return *ids, *map(os.environ.get, ("PATH", "HOME", "XDG_CONFIG_HOME")), git_state.settings()


JUDGING = (
    *("base", "cache", "checks", "documents", "engine", "fs"),
    *("model", "rules", "secrets", "standard", "workspace"),
)
"""The packages that a verdict is made by."""


def _program() -> list[tuple[object, ...]]:
    """What distinguishes this program from another version of it: interpreter, libraries, its modules and its rules."""
    found: list[tuple[object, ...]] = [(sys.version, sys.platform, sys.getfilesystemencoding())]
    # Where libraries lie: to install another version of one changes the names in there.
    for path in sys.path:
        if path.endswith("-packages") and os.path.isdir(path):
            found.append((path, os.stat(path).st_mtime_ns))
    top = os.path.dirname(os.path.dirname(__file__))
    for name in JUDGING:
        with os.scandir(os.path.join(top, name)) as entries:
            for entry in entries:
                if entry.name.endswith((".py", ".json")):
                    status = entry.stat()
                    found.append((entry.path, status.st_mtime_ns, status.st_size))
    return sorted(found, key=str)
