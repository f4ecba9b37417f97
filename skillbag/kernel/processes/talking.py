"""A long-lived child that lines are exchanged with: bounded, never blocking, and its end noticed at once (POSIX only).

`send` never waits: what the child does not read yet is kept, and written while somebody receives. One thread at a time
receives; others may send, wake it, and kill the child.
"""

from __future__ import annotations

import contextlib
import os
import select
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import NamedTuple

from skillbag.kernel.processes.groups import has_ended, how_ended, kill_group, started
from skillbag.kernel.processes.output_capture import CapturedOutput, OutputLimit

LONGEST = 1 << 20
"""Bytes of the longest line (1 MiB), without its line end."""

KEPT = OutputLimit(0, 64 << 10)
"""What is kept of standard error: its last 64 KiB."""

ORDERLY = "ended with exit code 0"
"""The end of a child that did not fail."""

MAX_WAITING = 32 << 20
"""Bytes (32 MiB) that may wait for a child to read them; more end it."""

_PIECE = 1 << 16
"""Bytes per read."""

_POLL = 0.05
"""Seconds between looks for the end of the child, where the system can't report it."""

_ENDING = 0.1
"""Seconds that a child may take to end after it closed its output."""

_LAST_PIECES = 64
"""Pieces that are read after the end. A process that it left behind could write forever."""


class Program(NamedTuple):
    """The words of a command line, its environment, and the folder it works in. With `waits`, it begins when it has
    read an empty line."""

    words: Sequence[str]
    environment: Mapping[str, str]
    folder: str
    waits: bool = False


class TalkingChild:
    """A child in a process group of its own, which ends with `close` or with this process.

    Raises:
        OSError, ValueError: it can't be started.
    """

    def __init__(self, program: Program) -> None:
        self._closing = ExitStack()
        self._process = self._closing.enter_context(started(program.words, program.environment, program.folder))
        assert self._process.stdin and self._process.stdout and self._process.stderr  # noqa: S101, PT018 - for mypy
        self._input, self._output = self._process.stdin.fileno(), self._process.stdout.fileno()
        self._errors = self._process.stderr.fileno()
        self._log = CapturedOutput(KEPT)
        self._line, self._outbox = bytearray(), bytearray()
        self._guard = threading.Lock()
        """Guards the outbox and the closing of descriptors."""
        self._is_closed = self._is_flushing = False
        self._logs = self._has_input = True
        self._end: str | None = None
        try:
            self._prepare()
            if program.waits:
                self.send(b"")
        except BaseException:
            self._closing.close()
            raise

    def _prepare(self) -> None:
        for descriptor in (self._input, self._output, self._errors):
            os.set_blocking(descriptor, False)
        self._woken, self._waker = self._pipe()
        self._exit = self._closing.enter_context(_watched(self._process.pid))
        self._poll = select.poll()
        for descriptor in (self._output, self._errors, self._woken, *self._exit):
            self._poll.register(descriptor, select.POLLIN)

    def _pipe(self) -> tuple[int, int]:
        ends = os.pipe()
        for end in ends:
            self._closing.callback(os.close, end)
            os.set_blocking(end, False)
        return ends

    @property
    def process(self) -> int:
        """Its process id, which is that of its group."""
        return self._process.pid

    @property
    def end(self) -> str | None:
        """How it ended, such as `ended with exit code 1`; None while nobody has noticed an end."""
        return self._end

    @property
    def has_ended(self) -> bool:
        """Whether it has ended or was closed, noticed or not; does not wait."""
        with self._guard:
            return self._end is not None or self._is_closed or has_ended(self._process)

    def log(self) -> str:
        """The last 64 KiB of its standard error, as far as they were received."""
        return self._log.data.decode("utf-8", "replace")

    def send(self, line: bytes) -> None:
        """Send a line (given without its line end). It is dropped if the child has ended.

        A child that leaves more than `MAX_WAITING` unread is ended.
        """
        with self._guard:
            if self._is_closed or not self._has_input:
                return
            if len(self._outbox) + len(line) > MAX_WAITING:
                self._end = self._end or f"left more than {MAX_WAITING >> 20} MiB of its input unread"
                self._outbox.clear()
                self.kill()
                self._wake()
                return
            waiting = bool(self._outbox)
            self._outbox += line
            self._outbox += b"\n"
            if not waiting:
                self._write()
            if self._outbox:
                self._wake()

    def end_input(self) -> None:
        """Close its standard input; what it has not read yet is dropped."""
        assert self._process.stdin  # noqa: S101 - for the type checker
        with self._guard:
            self._outbox.clear()
            self._watch_input()
            self._has_input = False
            self._process.stdin.close()

    def receive(self, wait: float) -> list[bytes]:
        """The lines that came, without line ends, after at most `wait` seconds; none if it was woken, or has ended.

        One thread at a time may call it.
        """
        if self._end is not None:
            return []
        if not self._exit:
            wait = min(wait, _POLL)
        self._watch_input()
        lines: list[bytes] = []
        ready = dict(self._poll.poll(max(0.0, wait) * 1000))
        if self._input in ready:
            with self._guard:
                self._write()
        if self._woken in ready:
            with contextlib.suppress(BlockingIOError):
                os.read(self._woken, _PIECE)
        if self._errors in ready:
            self._keep_errors()
        if self._output in ready:
            self._take(lines)
        if not self._exit or self._exit[0] in ready:
            self._look_for_end(lines)
        return lines

    def wake(self) -> None:
        """Let `receive` return."""
        with self._guard:
            if not self._is_closed:
                self._wake()

    def kill(self) -> None:
        """Kill its process group; `receive` notices that."""
        kill_group(self._process.pid)

    def close(self) -> None:
        """Kill its process group and release all. Nobody may be receiving."""
        with self._guard:
            if self._is_closed:
                return
            self._is_closed = True
        self._closing.close()

    def _wake(self) -> None:
        with contextlib.suppress(BlockingIOError):
            os.write(self._waker, b"\0")

    def _watch_input(self) -> None:
        """Wait for room in its input if something has to be written, and only then."""
        if bool(self._outbox) != self._is_flushing:
            self._is_flushing = not self._is_flushing
            if self._is_flushing:
                self._poll.register(self._input, select.POLLOUT)
            else:
                self._poll.unregister(self._input)

    def _write(self) -> None:
        try:
            del self._outbox[: os.write(self._input, self._outbox)]
        except BlockingIOError:
            pass
        except BrokenPipeError:
            self._outbox.clear()

    def _take(self, lines: list[bytes]) -> bool:
        """Read what it wrote; whether there was something."""
        data = _read(self._output)
        if data is None:
            return False
        if not data and self._end is None:
            self._ended(self._how_it_closed())
        *whole, rest = data.split(b"\n")
        if whole:
            whole[0] = bytes(self._line) + whole[0]
            self._line.clear()
        self._line += rest
        # All others are within one piece.
        if len(self._line) > LONGEST or (whole and len(whole[0]) > LONGEST):
            whole = [line for line in whole if len(line) <= LONGEST]
            self._ended(f"wrote a line of more than {LONGEST >> 20} MiB")
        lines += whole
        return bool(data)

    def _keep_errors(self) -> bool:
        """Read what it logged; whether there was something."""
        data = _read(self._errors)
        if data == b"" and self._logs:
            self._logs = False
            self._poll.unregister(self._errors)
        self._log.take(data or b"")
        return bool(data)

    def _how_it_closed(self) -> str:
        """Its output is closed mostly because it ends, which takes it a moment."""
        until = time.monotonic() + _ENDING
        while not has_ended(self._process) and time.monotonic() < until:
            time.sleep(_ENDING / 50)
        return how_ended(self._process.pid) or "closed its output"

    def _look_for_end(self, lines: list[bytes]) -> None:
        """If it has ended, read what it wrote just before."""
        if not has_ended(self._process):
            return
        self._ended(how_ended(self._process.pid) or "ended")
        for _ in range(_LAST_PIECES):
            if not self._take(lines):
                break

    def _ended(self, how: str) -> None:
        if self._end is not None:
            return
        self._end = how
        self.kill()
        for _ in range(_LAST_PIECES):
            if not self._keep_errors():
                break


def _read(descriptor: int) -> bytes | None:
    """What can be read; nothing at its end, None if nothing came."""
    try:
        return os.read(descriptor, _PIECE)
    except BlockingIOError:
        return None


@contextlib.contextmanager
def _watched(process: int) -> Iterator[list[int]]:
    """Yield a descriptor that becomes readable when the process ends; none where the system has no such thing."""
    if not hasattr(os, "pidfd_open"):
        yield []
        return
    try:
        descriptor = os.pidfd_open(process)
    except OSError:
        yield []
        return
    try:
        yield [descriptor]
    finally:
        os.close(descriptor)
