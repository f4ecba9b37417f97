"""`cache`: where fetched sources and the results of checks are kept, how much there is, and clearing it."""

from __future__ import annotations

import contextlib
import os
import time

from skillbag.base.user_dirs import cache_folder, compiled_folder
from skillbag.cache.eviction import FOLDER, clear, count
from skillbag.install.outcome import Outcome

_DAY = 24 * 60 * 60


def describe_cache() -> Outcome:
    """The cache's folder and its size in bytes, that of what checks have found out by itself."""
    folder = cache_folder()
    place = os.path.join(folder, FOLDER)
    values: dict[str, str | int] = {"folder": folder, "bytes": size(folder), "checks": place}
    values |= {"checks_files": count(place), "checks_bytes": size(place)}
    return Outcome("cache dir", text=f"{folder}\n", values=values)


def prune_cache(days: int = 0) -> Outcome:
    """Clear what was not used in the last `days` days.

    Raises:
        OSError: the cache can't be changed.
    """
    from skillbag.sources.cache import prune

    folder = cache_folder()
    before = size(folder)
    prune(folder, days)
    clear(os.path.join(folder, FOLDER), time.time() - days * _DAY)
    _clear_compiled(compiled_folder(), time.time() - days * _DAY)
    after = size(folder)
    freed = before - after
    message = f"{freed / 1e6:.1f} MB freed, {after / 1e6:.1f} MB left."
    return Outcome("cache prune", notes=(message,), values={"folder": folder, "bytes": after, "freed": freed})


def _clear_compiled(folder: str, before: float) -> None:
    """Delete what was compiled before a time; Python compiles it again."""
    for path, _, names in os.walk(folder, topdown=False):
        for name in names:
            with contextlib.suppress(OSError):
                if os.lstat(os.path.join(path, name)).st_mtime <= before:
                    os.unlink(os.path.join(path, name))
        with contextlib.suppress(OSError):
            os.rmdir(path)


def size(folder: str) -> int:
    """Bytes of all files below `folder`; what goes while it is counted is not counted."""
    total = 0
    for path, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(path, name)).st_size
            except OSError:
                continue
    return total
