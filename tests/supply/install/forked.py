"""Commands in a forked child: no interpreter starts, and a chosen call of the child is its last one, or fails."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from tests.kernel.transaction.faults import Act, at_calls


def start(folder: Path, *arguments: object, prepare: Callable[[], object] = int) -> int:
    """Start a command in a child with a process group of its own, after `prepare` in it; its process id."""
    child = os.fork()
    if child:
        return child
    code = 70
    try:
        from skillbag.doors.cli import main

        os.setpgid(0, 0)
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nowhere, stream)
        os.chdir(folder)
        sys.argv = ["skillbag", *map(str, arguments)]
        prepare()
        main()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    finally:
        # Without the clean-up of the test that was forked.
        os._exit(code)


def status_of(folder: Path, *arguments: object, acts: Mapping[int, Act] = {}) -> int:
    """The wait status of a command, in which `acts` happen at the calls with these numbers."""
    return os.waitpid(start(folder, *arguments, prepare=partial(at_calls, acts)), 0)[1]


def count_calls(folder: Path, *arguments: object) -> int:
    """How many calls that change the disk a command makes; it must succeed."""
    counted = folder.with_name("calls")

    def prepare() -> None:
        trace: list[str] = []
        at_calls({}, trace)
        real = os._exit

        def leave(code: int) -> None:
            counted.write_text(str(len(trace)))
            real(code)

        os._exit = leave  # type: ignore[assignment]

    child = start(folder, *arguments, prepare=prepare)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    return int(counted.read_text())
