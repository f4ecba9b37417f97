"""Run a command within limits of time and output and leave no process behind (POSIX only).

The command gets its own session. Its process group is killed when it has ended, exceeds a limit, when anything fails
here, and when this process dies in any way. A process that calls `setsid` escapes that, but can't delay the call.
"""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import partial
from selectors import EVENT_READ, EVENT_WRITE, BaseSelector, DefaultSelector
from typing import NamedTuple

from skillbag.kernel.base.time_limit import rest
from skillbag.kernel.processes.groups import has_ended, started
from skillbag.kernel.processes.output_capture import CapturedOutput, OutputLimit

_PIECE = 1 << 20
"""Bytes per read: the capacity of a pipe."""

_POLL = 0.05
"""Seconds between checks for the end of a command whose output another process still holds open."""

_FIRST_POLL = 0.0002
"""The first interval if no process does: the command has mostly ended then."""


class CommandLine(NamedTuple):
    """The words of a command line, its environment, its standard input, and the folder it works in (None: ours)."""

    words: Sequence[str]
    environment: Mapping[str, str]
    stdin: bytes
    folder: str | None = None


class CommandLimits(NamedTuple):
    """Limits of a command. `grace`: seconds in which its process group may still write after its end."""

    seconds: float
    output: OutputLimit
    errors: OutputLimit
    grace: float = 0.0


class Excess(StrEnum):
    """Why a command was killed."""

    TIME = "time"
    OUTPUT = "output"


class CommandResult(NamedTuple):
    """The result of a command: exit code (negative: the signal), its output, and why it was killed, if it was."""

    code: int
    output: CapturedOutput
    errors: CapturedOutput
    excess: Excess | None


_BEGINS = 'read -r _ && exec "$@"'
"""A shell that becomes the command when it reads a line."""


def awaiting(words: Sequence[str], environment: Mapping[str, str], stdin: bytes | None, folder: str) -> CommandLine:
    """A command that starts when the watcher knows it: if this process is killed before, nothing has started.

    The first word is an absolute path. Without `stdin` there is nothing to read.
    """
    begins = f"{_BEGINS} </dev/null" if stdin is None else _BEGINS
    return CommandLine(["/bin/sh", "-c", begins, "sh", *words], environment, b"\n" + (stdin or b""), folder)


def run_bounded(command: CommandLine, limits: CommandLimits) -> CommandResult:
    """Run a command within limits. It need not read its standard input.

    If this process is killed during the start, the command survives. A command that must not should wait for the first
    byte of its input, which is sent once the watcher knows it. The time limit of the work it is part of holds, too.

    Raises:
        OSError, ValueError: it can't be started.
    """
    until = time.monotonic() + rest(limits.seconds)
    with (
        started(command.words, command.environment, command.folder, threading.get_ident()) as process,
        DefaultSelector() as streams,
    ):
        exchange = _Exchange(process, streams, command.stdin, limits)
        excess = exchange.run(until, limits.grace)
    return CommandResult(process.returncode, exchange.output, exchange.errors, excess)


class _Exchange:
    """Input and output of a running command."""

    def __init__(
        self, process: subprocess.Popen[bytes], streams: BaseSelector, stdin: bytes, limits: CommandLimits
    ) -> None:
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
            if not ended and has_ended(self._process):
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
