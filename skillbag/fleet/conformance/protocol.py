"""A driver: a process that answers requests in JSON lines, as `conformance/PROTOCOL.md` describes.

Whatever it does (it crashes, hangs, prints garbage or floods its pipes), an exchange ends in time with an answer or a
`DriverError`, and only a short part of its output is kept.
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
from collections.abc import Sequence
from typing import NamedTuple

from skillbag.fleet.conformance.matching import JsonObject, short_json
from skillbag.kernel.base.errors import UserError
from skillbag.kernel.base.json_records import to_json

PROTOCOL = 1
LONGEST_LINE = 1 << 20
"""Bytes of an answer, its line end included."""

_TAIL = 2_000
"""Bytes that are kept of standard error."""

_REPEATED = 120
"""Characters of an answer that a message repeats."""

_END = 1.0
"""Seconds for a process to end."""

_POLL = 0.2
"""Seconds between checks whether it has ended."""


_MISLEADING = {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "SKILLBAG_SESSION"}
"""Variables that would lead a driver to another workspace than the one in its request."""


class NoDriverError(UserError):
    """The driver's command can't be started."""


class DriverError(Exception):
    """The driver has broken the protocol: what it did, in one phrase. It has to be started again."""


class HungError(DriverError):
    """There was no answer in time."""


class DriverInfo(NamedTuple):
    """Who answers: its name and version, and the operations that it knows."""

    name: str
    version: str
    operations: frozenset[str]


class Unsupported(NamedTuple):
    """What was asked is not supported, and why."""

    why: str


class DriverRequest(NamedTuple):
    """A request: absolute folders, the session, the inputs, and the parts of the outcome that are compared."""

    id: int
    operation: str
    workspace: str
    scratch: str
    session: str | None
    inputs: JsonObject
    wanted: tuple[str, ...]


class Driver:
    """One process of a driver. `failure` is how it broke the protocol, after which it answers no more."""

    def __init__(self, command: Sequence[str], timeout: float) -> None:
        """Start it; `timeout` is in seconds for each answer.

        Raises:
            NoDriverError: there is no such command, or it can't be executed.
        """
        self.failure: DriverError | None = None
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
                env={name: value for name, value in os.environ.items() if name not in _MISLEADING},
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else str(error)
            raise NoDriverError(f"--driver: {command[0][:200]!r} can't be started: {why}") from error
        assert self._process.stdin and self._process.stdout and self._process.stderr  # noqa: S101, PT018 - for mypy
        self._stdin, self._stdout, self._stderr = self._process.stdin, self._process.stdout, self._process.stderr
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def greet(self) -> DriverInfo:
        """Say hello.

        Raises:
            DriverError: it does not greet, or speaks another protocol.
        """
        answer = self._exchange({"protocol": PROTOCOL, "operation": "hello"})
        protocol, name, version, known = map(answer.get, ("protocol", "name", "version", "operations"))
        if protocol != PROTOCOL or isinstance(protocol, bool):
            raise DriverError(f"it speaks protocol {short_json(protocol, _REPEATED)}, not {PROTOCOL}")
        if not isinstance(name, str) or not isinstance(version, str) or not isinstance(known, list):
            raise DriverError("its answer to hello lacks name, version or operations")
        self._known = frozenset(operation for operation in known if isinstance(operation, str))
        return DriverInfo(name[:_REPEATED], version[:_REPEATED], self._known)

    def ask(self, request: DriverRequest) -> JsonObject | Unsupported:
        """The outcome of an operation.

        Raises:
            DriverError: there is no such answer; it is the `failure` from then on.
        """
        if request.operation not in self._known:
            return Unsupported(f"the driver does not know the operation {request.operation}")
        self._number += 1
        try:
            return self._read(self._exchange(to_json(request._replace(id=self._number))))
        except DriverError as error:
            self.failure = error
            raise

    def _read(self, answer: JsonObject) -> JsonObject | Unsupported:
        number, outcome, unsupported = map(answer.get, ("id", "outcome", "unsupported"))
        if number != self._number or isinstance(number, bool):
            raise DriverError(f"it answered request {self._number} with the id {short_json(number, _REPEATED)}")
        if isinstance(outcome, dict) and unsupported is None:
            return outcome
        if isinstance(unsupported, str) and outcome is None:
            return Unsupported(unsupported[:_REPEATED])
        raise DriverError("its answer has neither an outcome nor why it is unsupported")

    def close(self) -> None:
        """Close its input and give it a moment to end. Not after a failure."""
        with contextlib.suppress(OSError):
            self._stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_END)
        self.stop()

    def stop(self) -> None:
        """Kill the process group; it may have ended already."""
        with contextlib.suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()
        self._process.wait()

    def _exchange(self, request: JsonObject) -> JsonObject:
        """Send a line and read one, both in a thread that is left behind if the driver does neither."""
        answers: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        line = json.dumps(request, ensure_ascii=False).encode() + b"\n"
        threading.Thread(target=lambda: answers.put(self._talk(line)), daemon=True).start()
        latest = time.monotonic() + self._timeout
        while time.monotonic() < latest:
            # What a process that has ended leaves behind may hold its output open, so its end is looked for as well.
            ended = self._process.poll() is not None
            with contextlib.suppress(queue.Empty):
                return self._parse(answers.get(timeout=min(_POLL, self._timeout)))
            if ended:
                return self._parse(b"")
        raise HungError(f"it gave no answer within {self._timeout:g} s{self._words()}")

    def _talk(self, line: bytes) -> bytes:
        try:
            self._stdin.write(line)
            self._stdin.flush()
            return self._stdout.readline(LONGEST_LINE + 1)
        except (OSError, ValueError):
            return b""  # It has closed its input, or ended.

    def _parse(self, line: bytes) -> JsonObject:
        if not line:
            raise DriverError(f"it ended without an answer{self._exit()}{self._words()}")
        if len(line) > LONGEST_LINE:
            raise DriverError(f"it printed a line of more than {LONGEST_LINE} bytes")
        try:
            answer = json.loads(line.decode(), parse_constant=_refuse)
        except (ValueError, RecursionError):
            text = line.decode("utf-8", "replace").strip()
            raise DriverError(f"it printed a line that is not JSON: {short_json(text, _REPEATED)}") from None
        if not isinstance(answer, dict):
            raise DriverError(f"it printed JSON that is not an object: {short_json(answer, _REPEATED)}")
        return answer

    def _exit(self) -> str:
        try:
            code = self._process.wait(_END)
        except subprocess.TimeoutExpired:
            return ", its output closed"
        return f", by signal {-code}" if code < 0 else f", exit code {code}"

    def _words(self) -> str:
        """The last line of its standard error, if any."""
        if self._process.poll() is not None:
            self._listener.join(_END)
        lines = self._tail.decode("utf-8", "replace").split("\n")
        last = next((line.strip() for line in reversed(lines) if line.strip()), "")
        return f"; its last words: {short_json(last, _REPEATED)}" if last else ""

    def _listen(self) -> None:
        while data := self._stderr.read1(_TAIL):  # type: ignore[attr-defined] # a pipe's stream is buffered
            self._tail = (self._tail + data)[-_TAIL:]


def _refuse(constant: str) -> object:
    raise ValueError(constant)
