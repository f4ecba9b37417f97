"""Running a command within limits of time and of output, so that nothing of it stays behind. For POSIX systems.

It gets a session of its own. Its whole process group is killed when it has ended, when it goes beyond its limits, when
anything goes wrong here, and when this process itself dies, however that happens. Only what makes a session of its own
in turn (`setsid`) is out of reach; it can't hold up the call.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import partial
from selectors import EVENT_READ, EVENT_WRITE, BaseSelector, DefaultSelector
from typing import NamedTuple

from skillbag.scripts.output_capture import CapturedOutput, OutputLimit

_PIECE = 1 << 20
"""Bytes that are read at once: all that a pipe can hold."""

_GLANCE = 0.05
"""Seconds after which it is seen that a command has ended whose output somebody else still holds open."""

_MOMENT = 0.0002
"""The same at first where nobody does, which mostly means that it ends at once."""

_WATCH = 'read -r group && { read -r _; kill -KILL "-$group"; }'
"""Where we end without a word, our end of its pipe closes, and it kills the group that it was told."""


class Command(NamedTuple):
    """The words of a command line, its environment, its standard input, and the folder it works in (None: ours)."""

    words: Sequence[str]
    environment: Mapping[str, str]
    stdin: bytes
    folder: str | None = None


class Limits(NamedTuple):
    """How long a command may take, and the room for what it writes.

    `grace` are the seconds in which others of its group may still write when it has ended.
    """

    seconds: float
    output: OutputLimit
    errors: OutputLimit
    grace: float = 0.0


class Excess(StrEnum):
    """Why a command was killed."""

    TIME = "time"
    OUTPUT = "output"


class Ended(NamedTuple):
    """What a command has left: its exit code (below zero: the signal), what it wrote, and why it was killed if so."""

    code: int
    output: CapturedOutput
    errors: CapturedOutput
    excess: Excess | None


def run_bounded(command: Command, limits: Limits) -> Ended:
    """Run a command within limits. That it does not read its standard input is no fault.

    Where this process is killed in the very moment of the start, the command is not killed with it. One that must be
    has to wait for the first byte of its input, which it is given as soon as it is guarded.

    Raises:
        OSError, ValueError: it can't be started.
    """
    until = time.monotonic() + limits.seconds
    with _started(command) as process, DefaultSelector() as streams:
        talk = _Talk(process, streams, command.stdin, limits)
        excess = talk.hold(until, limits.grace)
    return Ended(process.returncode, talk.output, talk.errors, excess)


def kill_running(thread: int | None = None) -> None:
    """Kill all that is being run, or what this thread runs, with its process group: nobody waits for it any more."""
    with _lock:
        for group, runner in _groups.items():
            if thread in (None, runner):
                _kill(group)


_lock = threading.RLock()
_groups: dict[int, int] = {}
"""The process groups that are running, each with the thread that waits for it."""


@contextlib.contextmanager
def _started(command: Command) -> Iterator[subprocess.Popen[bytes]]:
    with (
        _watch() as tell,
        subprocess.Popen(
            command.words,
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=command.folder,
            env=command.environment,
            start_new_session=True,
        ) as process,
    ):
        try:
            tell(process.pid)
            with _lock:
                _groups[process.pid] = threading.get_ident()
            yield process
        finally:
            _end(process)


@contextlib.contextmanager
def _watch() -> Iterator[Callable[[int], None]]:
    """Within the block, a process group that is told is killed as soon as this process is no more."""
    with subprocess.Popen(
        ["/bin/sh", "-c", _WATCH],
        bufsize=0,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={},
        start_new_session=True,
    ) as watcher:
        assert watcher.stdin  # noqa: S101 - for the type checker
        pipe = watcher.stdin.fileno()

        def tell(group: int) -> None:
            with contextlib.suppress(BrokenPipeError):
                os.write(pipe, b"%d\n" % group)

        try:
            yield tell
        finally:
            watcher.kill()


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill what is left of the group."""
    with _lock:
        _groups.pop(process.pid, None)
        _kill(process.pid)
    process.wait()
    # The first process of a container inherits what was left, and has to bury it.
    with contextlib.suppress(ChildProcessError):
        while True:
            os.waitpid(-process.pid, 0)


def _kill(group: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


def _has_ended(process: subprocess.Popen[bytes]) -> bool:
    """Looked at without taking note of it, so that the process keeps its id, and the id means its group."""
    if hasattr(os, "waitid"):
        return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    return process.poll() is not None


class _Talk:
    """What is exchanged with a command, as far as it has come."""

    def __init__(self, process: subprocess.Popen[bytes], streams: BaseSelector, stdin: bytes, limits: Limits) -> None:
        assert process.stdin and process.stdout and process.stderr  # noqa: S101, PT018 - for the type checker
        self.output, self.errors = CapturedOutput(limits.output), CapturedOutput(limits.errors)
        self._process, self._streams, self._rest = process, streams, memoryview(stdin)
        os.set_blocking(process.stdin.fileno(), False)
        streams.register(process.stdin, EVENT_WRITE, (process.stdin, self._write))
        for stream, kept in ((process.stdout, self.output), (process.stderr, self.errors)):
            streams.register(stream, EVENT_READ, (stream, partial(_read, kept)))

    def hold(self, until: float, grace: float) -> Excess | None:
        """Exchange until the command has ended and all is said, or it must be ended."""
        if not self._goes_on(until, grace):
            return Excess.TIME
        # What it wrote before its end can be read by now.
        self._exchange(0)
        return Excess.OUTPUT if self._is_flooded() else None

    def _goes_on(self, until: float, grace: float) -> bool:
        """Exchange until nothing more is to come; whether that was in time."""
        ended, pause = False, _MOMENT
        while not self._is_flooded():
            now = time.monotonic()
            if not ended and _has_ended(self._process):
                ended, until = True, min(until, now + grace)
            if now >= until or (ended and not self._streams.get_map()):
                return ended
            if self._streams.get_map():
                self._exchange(min(until - now, _GLANCE))
            else:
                time.sleep(min(until - now, pause))
                pause = min(2 * pause, _GLANCE)
        return True

    def _exchange(self, wait: float) -> None:
        """Read and write what can be."""
        for key, _ in self._streams.select(wait):
            stream, goes_on = key.data
            if not goes_on(key.fd):
                self._streams.unregister(stream)
                stream.close()

    def _write(self, descriptor: int) -> bool:
        """Whether there is more to write, and somebody who reads."""
        try:
            self._rest = self._rest[os.write(descriptor, self._rest) :]
        except BlockingIOError:
            return True
        except BrokenPipeError:
            return False
        return bool(self._rest)

    def _is_flooded(self) -> bool:
        return self.output.is_flood or self.errors.is_flood


def _read(kept: CapturedOutput, descriptor: int) -> bool:
    """Whether more may come."""
    data = os.read(descriptor, _PIECE)
    kept.take(data)
    return bool(data)
