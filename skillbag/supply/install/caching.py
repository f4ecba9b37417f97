"""`cache`: the folder and size of the cached sources and check results, and clearing it."""

from __future__ import annotations

import contextlib
import os
import time

from skillbag.kernel.base.user_dirs import cache_folder, compiled_folder
from skillbag.lint.cache import kept_dangers
from skillbag.lint.cache.store import FOLDER, clear, count
from skillbag.supply.install.outcome import Outcome

_DAY = 24 * 60 * 60


def describe_cache() -> Outcome:
    """The cache's folder and size in bytes, in total and for the results of checks."""
    folder = cache_folder()
    checks = os.path.join(folder, FOLDER)
    values: dict[str, str | int] = {"folder": folder, "bytes": size(folder), "checks": checks}
    values |= {"checks_files": count(checks), "checks_bytes": size(checks)}
    return Outcome("cache dir", text=f"{folder}\n", values=values)


def prune_cache(days: int = 0) -> Outcome:
    """Clear what was not used in the last `days` days.

    Raises:
        OSError: the cache can't be changed.
    """
    from skillbag.supply.sources.cache import prune

    folder = cache_folder()
    before, oldest = size(folder), time.time() - days * _DAY
    prune(folder, days)
    for name in (FOLDER, kept_dangers.FOLDER):
        clear(os.path.join(folder, name), oldest)
    _clear_compiled(compiled_folder(), oldest)
    after = size(folder)
    freed = before - after
    message = f"{freed / 1e6:.1f} MB freed, {after / 1e6:.1f} MB left."
    return Outcome("cache prune", notes=(message,), values={"folder": folder, "bytes": after, "freed": freed})


def _clear_compiled(folder: str, before: float) -> None:
    """Delete compiled files that are older than a time; Python compiles them again."""
    for path, _, names in os.walk(folder, topdown=False):
        for name in names:
            with contextlib.suppress(OSError):
                if os.lstat(os.path.join(path, name)).st_mtime <= before:
                    os.unlink(os.path.join(path, name))
        with contextlib.suppress(OSError):
            os.rmdir(path)


def size(folder: str) -> int:
    """Bytes of all files below `folder`, without those that are deleted meanwhile."""
    total = 0
    for path, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                total += os.lstat(os.path.join(path, name)).st_size
    return total
