"""A process held to a limit of time and of output, which leaves nothing behind, even if we are killed meanwhile."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

_GLANCE = 0.05
"""Seconds between two looks at whether the process has ended, where its output does not tell."""

_MOMENT = 0.001
"""The same where its output is closed already, which mostly means that it ends at once."""

_CHUNK = 1 << 16
_MOST_ERRORS = 1 << 14
"""Bytes of standard error that are kept, the last ones."""

_WATCH = 'read -r group && [ "$group" ] && { read -r over || kill -KILL "-$group"; }'
"""Where we end without a word, our end of its pipe closes, and it kills the group that it was told."""


class Excess(StrEnum):
    """Why a process was killed."""

    TIME = "time"
    OUTPUT = "output"


class Ended(NamedTuple):
    """What a process has left: its exit code (negative for a signal), what it wrote, and why it was killed if so."""

    code: int
    output: bytes
    errors: bytes
    excess: Excess | None = None


def run_bounded(command: Sequence[str], stdin: bytes, environment: Mapping[str, str], limit: float, most: int) -> Ended:
    """Run a command in a process group of its own, for `limit` seconds and `most` bytes of standard output at most.

    All that it has started is dead at the end, unless it has left the group. That it does not read its standard input
    is no fault. For POSIX systems.

    Raises:
        OSError, ValueError: it can't be started.
    """
    deadline = time.monotonic() + limit
    talk = _Talk(stdin, most)
    with (
        _watch() as tell,
        subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            start_new_session=True,
        ) as process,
    ):
        try:
            tell(process.pid)
            excess = talk.hold(process, deadline)
        finally:
            _kill(process)
    return Ended(process.returncode, bytes(talk.output), bytes(talk.errors), excess)


class _Talk:
    """What is exchanged with a process, as far as it has come."""

    def __init__(self, stdin: bytes, most: int) -> None:
        self.output, self.errors = bytearray(), bytearray()
        self._rest = memoryview(stdin)
        self._most = most

    def hold(self, process: subprocess.Popen[bytes], deadline: float) -> Excess | None:
        """Exchange until the process has ended, or must be ended."""
        with selectors.DefaultSelector() as selector:
            for pipe, kept in ((process.stdout, self.output), (process.stderr, self.errors), (process.stdin, None)):
                assert pipe is not None  # noqa: S101 - for the type checker
                os.set_blocking(pipe.fileno(), False)
                event = selectors.EVENT_WRITE if kept is None else selectors.EVENT_READ
                selector.register(pipe, event, (pipe, kept))
            while True:
                # What it wrote before its end can be read by now; what others of its group write is not waited for.
                over = _has_ended(process)
                left = deadline - time.monotonic()
                if left <= 0:
                    return Excess.TIME
                if over:
                    _kill(process)
                pause = _GLANCE if selector.get_map() else _MOMENT
                read = self._exchange(selector, 0 if over else min(left, pause))
                if len(self.output) > self._most:
                    return Excess.OUTPUT
                if over and not read:
                    return None

    def _exchange(self, selector: selectors.BaseSelector, wait: float) -> int:
        """Read and write what can be; how many bytes were read."""
        read = 0
        for key, _ in selector.select(wait):
            pipe, kept = key.data
            if kept is None:
                going_on = self._write(key.fd)
            else:
                chunk = os.read(key.fd, _CHUNK)
                kept.extend(chunk)
                read += len(chunk)
                going_on = bool(chunk)
            if not going_on:
                selector.unregister(pipe)
                pipe.close()
        del self.errors[:-_MOST_ERRORS]
        return read

    def _write(self, descriptor: int) -> bool:
        """Whether there is more to write, and somebody who reads."""
        try:
            self._rest = self._rest[os.write(descriptor, self._rest[:_CHUNK]) :]
        except BrokenPipeError:
            return False
        return bool(self._rest)


def _has_ended(process: subprocess.Popen[bytes]) -> bool:
    """Looked at without taking note of it, so that the process keeps its id, and the id means its group."""
    if hasattr(os, "waitid"):
        return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    return process.poll() is not None


@contextlib.contextmanager
def _watch() -> Iterator[Callable[[int], None]]:
    """Within the block, a process group that is told is killed as soon as this process is no more."""
    watcher = subprocess.Popen(
        ["/bin/sh", "-c", _WATCH],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={},
        start_new_session=True,
    )
    assert watcher.stdin  # noqa: S101 - for the type checker
    pipe = watcher.stdin

    def tell(line: object) -> None:
        with contextlib.suppress(BrokenPipeError):
            pipe.write(f"{line}\n".encode())
            pipe.flush()

    try:
        yield tell
    finally:
        tell("")
        with contextlib.suppress(BrokenPipeError):
            pipe.close()
        watcher.wait()


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill the whole group; that it is gone already is no fault."""
    with contextlib.suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
