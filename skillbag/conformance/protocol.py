"""A driver: a process that is asked and answers in JSON lines, as `conformance/PROTOCOL.md` has it.

Whatever it does (it crashes, hangs, prints garbage or floods its pipes), an exchange ends in time with an answer or a
`DriverError`, and what is kept of its words is short.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from typing import IO, Any, NamedTuple

from skillbag.base.errors import UserError

PROTOCOL = 1
LONGEST_LINE = 1 << 20
"""Bytes of an answer, its line end included."""

_TAIL = 2_000
_REPEATED = 120
_LAST_WORDS = 1.0
_GLANCE = 0.2
"""Bytes that are kept of standard error, characters of a line that are repeated; seconds for a process to end, and
between two looks at whether it has."""


class NoDriverError(UserError):
    """The driver's command can't be started."""


class DriverError(Exception):
    """The driver has broken the protocol: what it did, in one phrase. It has to be started anew."""


class HungError(DriverError):
    """There was no answer in time."""


class Greeting(NamedTuple):
    """Who answers: its name and version, and the operations that it knows."""

    name: str
    version: str
    operations: frozenset[str]


class Unsupported(NamedTuple):
    """What was asked is not supported, and why."""

    why: str


class Driver:
    """One process of a driver. `trouble` is why it can't be asked any more, once it has broken the protocol."""

    def __init__(self, command: Sequence[str], timeout: float) -> None:
        """Start it; `timeout` is in seconds for each answer.

        Raises:
            NoDriverError: there is no such command, or it can't be executed.
        """
        self.trouble: DriverError | None = None
        self._timeout = timeout
        self._number = 0
        self._known: frozenset[str] = frozenset()
        self._tail = b""
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=_environment(),
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else str(error)
            raise NoDriverError(f"--driver: {command[0][:200]!r} can't be started: {why}") from error
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def greet(self) -> Greeting:
        """Say hello.

        Raises:
            DriverError: it does not greet, or speaks another protocol.
        """
        said = self._exchange({"protocol": PROTOCOL, "operation": "hello"})
        protocol, name, version, known = map(said.get, ("protocol", "name", "version", "operations"))
        if protocol != PROTOCOL or isinstance(protocol, bool):
            raise DriverError(f"it speaks protocol {_short(protocol)}, not {PROTOCOL}")
        if not isinstance(name, str) or not isinstance(version, str) or not isinstance(known, list):
            raise DriverError("its answer to hello lacks name, version or operations")
        self._known = frozenset(one for one in known if isinstance(one, str))
        return Greeting(name[:_REPEATED], version[:_REPEATED], self._known)

    def ask(self, operation: str, request: Mapping[str, Any]) -> Mapping[str, Any] | Unsupported:
        """The outcome of an operation; `request` is the rest of what is sent.

        Raises:
            DriverError: there is no such answer; it is the `trouble` from then on.
        """
        if operation not in self._known:
            return Unsupported(f"the driver does not know the operation {operation}")
        self._number += 1
        try:
            return self._read(self._exchange({"id": self._number, "operation": operation, **request}))
        except DriverError as error:
            self.trouble = error
            raise

    def _read(self, said: Mapping[str, Any]) -> Mapping[str, Any] | Unsupported:
        number, outcome, unsupported = map(said.get, ("id", "outcome", "unsupported"))
        if number != self._number or isinstance(number, bool):
            raise DriverError(f"it answered request {self._number} with the id {_short(number)}")
        if isinstance(outcome, dict) and unsupported is None:
            return outcome
        if isinstance(unsupported, str) and outcome is None:
            return Unsupported(unsupported[:_REPEATED])
        raise DriverError("its answer has neither an outcome nor why it is unsupported")

    def close(self) -> None:
        """Close its input, upon which it should end; it gets a moment for that. Not where there is trouble."""
        with contextlib.suppress(OSError):
            if self._process.stdin is not None:
                self._process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_LAST_WORDS)
        self.stop()

    def stop(self) -> None:
        """End the process and all that it has started; it may have ended already."""
        with contextlib.suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()
        self._process.wait()

    def _exchange(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Send a line and read one, both in a thread that is left behind if the driver does neither."""
        said: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        line = json.dumps(request, ensure_ascii=False).encode() + b"\n"
        threading.Thread(target=lambda: said.put(self._talk(line)), daemon=True).start()
        latest = time.monotonic() + self._timeout
        while time.monotonic() < latest:
            # What a process that has ended leaves behind may hold its output open, so its end is looked for as well.
            ended = self._process.poll() is not None
            with contextlib.suppress(queue.Empty):
                return self._answer(said.get(timeout=min(_GLANCE, self._timeout)))
            if ended:
                return self._answer(b"")
        raise HungError(f"it gave no answer within {self._timeout:g} s{self._words()}")

    def _talk(self, line: bytes) -> bytes:
        to, back = self._process.stdin, self._process.stdout
        try:
            if to is not None and back is not None:
                to.write(line)
                to.flush()
                return back.readline(LONGEST_LINE + 1)
        except (OSError, ValueError):
            # It has closed its input, or ended.
            pass
        return b""

    def _answer(self, line: bytes) -> dict[str, Any]:
        if not line:
            raise DriverError(f"it ended without an answer{self._exit()}{self._words()}")
        if len(line) > LONGEST_LINE:
            raise DriverError(f"it printed a line of more than {LONGEST_LINE} bytes")
        try:
            said = json.loads(line.decode(), parse_constant=_refused)
        except (ValueError, RecursionError):
            raise DriverError(
                f"it printed a line that is no JSON: {_short(line.decode('utf-8', 'replace').strip())}"
            ) from None
        if not isinstance(said, dict):
            raise DriverError(f"it printed JSON that is no object: {_short(said)}")
        return said

    def _exit(self) -> str:
        try:
            code = self._process.wait(_LAST_WORDS)
        except subprocess.TimeoutExpired:
            return ", its output closed"
        return f", by signal {-code}" if code < 0 else f", exit code {code}"

    def _words(self) -> str:
        """The last line of its standard error, where there is one."""
        if self._process.poll() is not None:
            self._listener.join(_LAST_WORDS)
        lines = self._tail.decode("utf-8", "replace").split("\n")
        last = next((line.strip() for line in reversed(lines) if line.strip()), "")
        return f"; its last words: {_short(last)}" if last else ""

    def _listen(self) -> None:
        stream: IO[bytes] | None = self._process.stderr
        if stream is not None:
            while heard := stream.read1(_TAIL):  # type: ignore[attr-defined] # a pipe's stream is buffered
                self._tail = (self._tail + heard)[-_TAIL:]


def _environment() -> dict[str, str]:
    """Ours, without what would lead a driver to another place than the one it is told."""
    misleading = {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "SKILLBAG_SESSION"}
    return {name: value for name, value in os.environ.items() if name not in misleading}


def _refused(constant: str) -> object:
    raise ValueError(constant)


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _REPEATED else text[: _REPEATED - 1] + "…"
