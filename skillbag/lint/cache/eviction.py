"""The folder of all cache files: the file of each request, and the eviction of the least recently used ones."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence

from skillbag.kernel.base.user_dirs import named_cache_folder
from skillbag.kernel.workspace import git_state

FOLDER = "checks"
"""The folder of cache files, in the user's cache folder."""

MAX = 200
"""Files that are kept."""
MAX_BYTES = 1 << 29
"""Bytes of all files together (512 MiB)."""

_UNFINISHED = 600.0
"""Seconds after which an unfinished file is taken for that of a killed process."""


def evict(folder: str, now: float) -> None:
    """Keep the folder within its bounds; the most recently used file stays, whatever its size."""
    total = 0
    for number, (used, size, path) in enumerate(_within(folder)):
        total += size
        is_left = path.endswith(".tmp") and used < now - _UNFINISHED
        if is_left or number >= MAX or (total > MAX_BYTES and number):
            _remove(path)


def clear(folder: str, before: float) -> None:
    """Delete the files that were not used since `before`."""
    for used, _, path in _within(folder):
        if used <= before:
            _remove(path)


def count(folder: str) -> int:
    """The number of files."""
    return len(_within(folder))


def _within(folder: str) -> list[tuple[float, int, str]]:
    """The time of last use, size and path of each file, the most recently used one first."""
    files = []
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            with contextlib.suppress(OSError):
                status = entry.stat(follow_symlinks=False)
                files.append((status.st_mtime, status.st_size, entry.path))
    return sorted(files, reverse=True)


def _remove(path: str) -> None:
    with contextlib.suppress(OSError):
        os.unlink(path)


def place_of(request: Sequence[object]) -> str:
    """The absolute path of the file for a request (plain values), for this user, program version and environment.

    Raises:
        UserError: the configured cache folder is not an absolute path.
    """
    from _blake2 import blake2b

    ids = (os.geteuid(), os.getegid(), os.getgroups()) if hasattr(os, "geteuid") else ()
    environment = [os.environ.get(name) for name in ("PATH", "HOME", "XDG_CONFIG_HOME")]
    text = repr((_program(), (*ids, *environment, git_state.settings()), tuple(request)))
    name = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    return os.path.join(named_cache_folder(), FOLDER, f"{name}.checks")


JUDGING = (
    *("kernel/base", "kernel/documents", "kernel/fs", "kernel/manifest", "kernel/model", "kernel/secrets"),
    *("kernel/standard", "kernel/workspace"),
    *("lint/cache", "lint/checks", "lint/checks/children", "lint/engine", "lint/rules", "lint/signals"),
)
"""The packages on which a verdict depends."""


def _program() -> list[str]:
    """The version of this program: interpreter, libraries, modules and rules."""
    found = [f"{sys.version} {sys.platform} {sys.getfilesystemencoding()}"]
    # Installing another version of a library changes the names in the folder of libraries.
    for path in sys.path:
        if path.endswith("-packages") and os.path.isdir(path):
            found.append(f"{path} {os.stat(path).st_mtime_ns}")
    top = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))
    for name in JUDGING:
        with os.scandir(os.path.join(top, name)) as entries:
            for entry in entries:
                if entry.name.endswith((".py", ".json")):
                    status = entry.stat()
                    found.append(f"{entry.path} {status.st_mtime_ns} {status.st_size}")
    return sorted(found)
