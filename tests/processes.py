"""Processes that tests wait for: whether they live, and what they have written."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path


def eventually(condition: Callable[[], object], seconds: float = 300) -> bool:
    """Whether the condition holds within these seconds."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if condition():
            return True
        time.sleep(0.01)
    return bool(condition())


def is_alive(process: int) -> bool:
    """Whether it still runs; a zombie does not."""
    return bool(fields_of(process))


def fields_of(process: int) -> list[str]:
    """Its state, parent, group, session and so on; none for a zombie, or if there is no such process."""
    with suppress(OSError):
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        return [] if fields[0] in "ZX" else fields
    return []


def all_processes() -> Iterator[int]:
    """The ids of all processes."""
    return (int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdecimal())


def running(*words: str) -> list[int]:
    """The processes whose command line contains all these words."""
    found = []
    for process in all_processes():
        with suppress(OSError):
            line = Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            if line and all(word in line for word in words):
                found.append(process)
    return found


def descriptors() -> set[tuple[int, int, int]]:
    """The open descriptors of this process with their files, to see which are new: others may be closed meanwhile."""
    found = set()
    for number in map(int, os.listdir("/dev/fd")):
        with suppress(OSError):
            file = os.fstat(number)
            found.add((number, file.st_dev, file.st_ino))
    return found


def ids_in(file: Path, count: int = 1, seconds: float = 300) -> list[int]:
    """The ids that processes write into the file, one a line, once there are so many."""
    read: list[str] = []

    def are_there() -> bool:
        read[:] = [file.read_text()] if file.exists() else [""]
        return read[0].count("\n") >= count

    # What was counted is what is returned: a process that begins anew empties the file.
    assert eventually(are_there, seconds), f"{file}: too few"
    return [int(line) for line in read[0].split()]
