"""What the system says of the files of a folder, by which they are known to be the same without being read."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

from skillbag.kernel.workspace.tree import PRUNED

Stamp = int
"""The hash, in this process, of each file and folder with its path, when it changed, its size, and which it is."""

_NS = 1_000_000_000
_SETTLED = 2 * _NS
"""Nanoseconds after a change in which a further one may have the same time: some file systems count by two seconds."""


def stamp_of(folder: str) -> Stamp | None:
    """The stamp of a folder as it is; None where the next one can't be compared with it: read the files then."""
    try:
        facts = tuple(sorted(_facts(folder)))
    except OSError:
        return None
    newest = max(max(fact[1], fact[2]) for fact in facts)
    return hash(facts) if newest < time.time_ns() - _SETTLED else None


def _facts(folder: str) -> Iterator[tuple[str, int, int, int, int]]:
    pending = [folder]
    while pending:
        path = pending.pop()
        status = os.stat(path)
        yield path, status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino
        with os.scandir(path) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    if entry.name not in PRUNED:
                        pending.append(entry.path)
                    continue
                status = entry.stat()
                yield entry.path, status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino
