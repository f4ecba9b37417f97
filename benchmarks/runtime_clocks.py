"""How the benchmark of the runtime times things: functions that give seconds."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import time
from collections.abc import Callable
from functools import partial
from typing import IO, cast

Time = Callable[[], float]
Clock = Callable[[], float]

MESSAGE = {"jsonrpc": "2.0", "id": 1, "method": "tool/execute", "params": {"name": "echo", "input": {"text": "hello"}}}
"""What a bare child is sent."""


def nothing() -> float:
    """What a bar in seconds is compared with."""
    return 0.0


def cpu(work: Callable[[], object]) -> Time:
    """The processor's time of one run."""
    return partial(_timed, time.process_time, 1, work)


def each(times: int, work: Callable[[], object]) -> Time:
    """The time of one of so many runs."""
    return partial(_timed, time.perf_counter, times, work)


def children() -> float:
    """The processor's time of processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _timed(clock: Clock, times: int, work: Callable[[], object]) -> float:
    start = clock()
    for _ in range(times):
        work()
    return (clock() - start) / times


class BareChild:
    """A child in plain Python, which answers each line with another one; both are JSON."""

    def __init__(self, program: str) -> None:
        self._process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        to, from_ = (cast("IO[bytes]", stream) for stream in (self._process.stdin, self._process.stdout))
        self._to, self._from = to.fileno(), from_.fileno()

    def ask(self) -> None:
        """Send a message, and read one."""
        os.write(self._to, json.dumps(MESSAGE).encode() + b"\n")
        if json.loads(os.read(self._from, 1 << 16))["id"] != MESSAGE["id"]:
            raise SystemExit("the bare child gave something else back")

    def end(self) -> None:
        """End it."""
        self._process.kill()
        self._process.communicate()


def first_answer(program: str) -> float:
    """From starting a program to its first line."""
    start = time.perf_counter()
    child = BareChild(program)
    child.ask()
    seconds = time.perf_counter() - start
    child.end()
    return seconds
