"""Run a command within limits of time and output and leave no process behind (POSIX only).

The command gets its own session. Its process group is killed when it has ended, exceeds a limit, when anything fails
here, and when this process dies in any way. A process that calls `setsid` escapes that, but can't delay the call.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from functools import partial
from selectors import EVENT_READ, EVENT_WRITE, BaseSelector, DefaultSelector
from typing import NamedTuple

from skillbag.processes.output_capture import CapturedOutput, OutputLimit

_PIECE = 1 << 20
"""Bytes per read: the capacity of a pipe."""

_POLL = 0.05
"""Seconds between checks for the end of a command whose output another process still holds open."""

_FIRST_POLL = 0.0002
"""The first interval if no process does: the command has mostly ended then."""

_WATCH = 'read -r group && { read -r _; kill -KILL "-$group"; }'
"""A watcher: when this process dies, its pipe closes and it kills the group that it read from it."""


class Command(NamedTuple):
    """The words of a command line, its environment, its standard input, and the folder it works in (None: ours)."""

    words: Sequence[str]
    environment: Mapping[str, str]
    stdin: bytes
    folder: str | None = None


class Limits(NamedTuple):
    """Limits of a command. `grace`: seconds in which its process group may still write after its end."""

    seconds: float
    output: OutputLimit
    errors: OutputLimit
    grace: float = 0.0


class Excess(StrEnum):
    """Why a command was killed."""

    TIME = "time"
    OUTPUT = "output"


class Ended(NamedTuple):
    """The result of a command: exit code (negative: the signal), its output, and why it was killed, if it was."""

    code: int
    output: CapturedOutput
    errors: CapturedOutput
    excess: Excess | None


_BEGINS = 'read -r _ && exec "$@"'
"""A shell that becomes the command when it reads a line."""


def awaiting(words: Sequence[str], environment: Mapping[str, str], stdin: bytes | None, folder: str) -> Command:
    """A command that starts when the watcher knows it: if this process is killed before, nothing has started.

    The first word is an absolute path. Without `stdin` there is nothing to read.
    """
    begins = f"{_BEGINS} </dev/null" if stdin is None else _BEGINS
    return Command(["/bin/sh", "-c", begins, "sh", *words], environment, b"\n" + (stdin or b""), folder)


def run_bounded(command: Command, limits: Limits) -> Ended:
    """Run a command within limits. It need not read its standard input.

    If this process is killed during the start, the command survives. A command that must not should wait for the first
    byte of its input, which is sent once the watcher knows it.

    Raises:
        OSError, ValueError: it can't be started.
    """
    until = time.monotonic() + limits.seconds
    with _started(command) as process, DefaultSelector() as streams:
        exchange = _Exchange(process, streams, command.stdin, limits)
        excess = exchange.run(until, limits.grace)
    return Ended(process.returncode, exchange.output, exchange.errors, excess)


def kill_running(thread: int | None = None) -> None:
    """Kill the process groups of all running commands, or of the one that the thread `thread` runs."""
    with _lock:
        for group, runner in _groups.items():
            if thread in (None, runner):
                _kill(group)


_lock = threading.RLock()
_groups: dict[int, int] = {}
"""The running process groups, each with the thread that waits for it."""


@contextlib.contextmanager
def _started(command: Command) -> Iterator[subprocess.Popen[bytes]]:
    with (
        _watcher() as watcher,
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
            with contextlib.suppress(BrokenPipeError):
                os.write(watcher, b"%d\n" % process.pid)
            with _lock:
                _groups[process.pid] = threading.get_ident()
            yield process
        finally:
            _end(process)


@contextlib.contextmanager
def _watcher() -> Iterator[int]:
    """Yield a descriptor: the process group written to it is killed if this process dies during the block."""
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
        try:
            yield watcher.stdin.fileno()
        finally:
            watcher.kill()


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill what is left of the group."""
    with _lock:
        _groups.pop(process.pid, None)
        _kill(process.pid)
    process.wait()
    # As process 1 of a container, reap the orphans.
    with contextlib.suppress(ChildProcessError):
        while True:
            os.waitpid(-process.pid, 0)


def _kill(group: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


def _has_ended(process: subprocess.Popen[bytes]) -> bool:
    """Checked without reaping, so that the process id still identifies the group."""
    if hasattr(os, "waitid"):
        return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    return process.poll() is not None


class _Exchange:
    """Input and output of a running command."""

    def __init__(self, process: subprocess.Popen[bytes], streams: BaseSelector, stdin: bytes, limits: Limits) -> None:
        assert process.stdin and process.stdout and process.stderr  # noqa: S101, PT018 - for the type checker
        self.output, self.errors = CapturedOutput(limits.output), CapturedOutput(limits.errors)
        self._process, self._streams, self._rest = process, streams, memoryview(stdin)
        os.set_blocking(process.stdin.fileno(), False)
        streams.register(process.stdin, EVENT_WRITE, (process.stdin, self._write))
        for stream, kept in ((process.stdout, self.output), (process.stderr, self.errors)):
            streams.register(stream, EVENT_READ, (stream, partial(_read, kept)))

    def run(self, until: float, grace: float) -> Excess | None:
        """Read and write until the command has ended and its output is read, or it exceeds a limit."""
        ended, pause = False, _FIRST_POLL
        while not self._is_flooded():
            now = time.monotonic()
            if not ended and _has_ended(self._process):
                ended, until = True, min(until, now + grace)
            if now >= until and not ended:
                return Excess.TIME
            if now >= until or (ended and not self._streams.get_map()):
                break
            if self._streams.get_map():
                self._transfer(min(until - now, _POLL))
            else:
                time.sleep(min(until - now, pause))
                pause = min(2 * pause, _POLL)
        # Read what it wrote just before its end.
        self._transfer(0)
        return Excess.OUTPUT if self._is_flooded() else None

    def _transfer(self, wait: float) -> None:
        """Read and write what is ready."""
        for key, _ in self._streams.select(wait):
            stream, transfer = key.data
            if not transfer(key.fd):
                self._streams.unregister(stream)
                stream.close()

    def _write(self, descriptor: int) -> bool:
        """Write; return whether there is more to write and a reader."""
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
    """Read; return whether more may come."""
    data = os.read(descriptor, _PIECE)
    kept.take(data)
    return bool(data)
