"""Checks of values against schemas of skills, in a child process (skill runtime, sections 5 and 8).

A schema may hold expressions and references that take for ever, so the time and the memory of each check are bounded.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import closing

from skillbag.kernel.base.cancellation import check_stop, on_stop
from skillbag.kernel.base.time_limit import rest
from skillbag.kernel.processes.talking import Program, TalkingChild
from skillbag.kernel.secrets.detection import mask
from skillbag.runtime.errors import RuntimeFaultError, TimeLimitError
from skillbag.runtime.skill import Json

CHECK_SECONDS = 10.0
"""Limit of one check, in seconds, with the start of a process where one is started."""

FirstFault = Callable[[Mapping[str, Json], Json, str], tuple[str, str]]
"""The first fault of a value: `schema` or `value` for what is wrong, and why; empty if it matches. It is given the
schema, the value, and the name of the check for messages."""

_SHOWN = 300
_CHILD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "schema_child.py")


class SchemaChecks:
    """Runs each check in a process of its own; one that answered stays for the next check. Thread safe; close it."""

    def __init__(self) -> None:
        self._idle: TalkingChild | None = None
        self._is_closed = False
        self._guard = threading.Lock()

    def first_fault(self, schema: Mapping[str, Json], value: Json, what: str) -> tuple[str, str]:
        """See `FirstFault`.

        Raises:
            TimeLimitError: the check takes too long. RuntimeFaultError: it ended otherwise.
            RecursionError: the value nests too deep.
        """
        lines = [json.dumps(schema).encode(), json.dumps(value).encode()]
        until = time.monotonic() + rest(CHECK_SECONDS)
        child = self._take(what)
        try:
            for line in lines:
                child.send(line)
            answer = _answer(child, until, what)
        except BaseException:
            child.close()
            raise
        self._keep(child)
        kind, text = json.loads(answer)
        return kind, mask(text.strip())[:_SHOWN]

    def close(self) -> None:
        """End the process that waits for a check; those that run end with their check."""
        with self._guard:
            self._is_closed, child, self._idle = True, self._idle, None
        if child is not None:
            child.close()

    def _take(self, what: str) -> TalkingChild:
        """The process that waits, or a new one."""
        with self._guard:
            child, self._idle = self._idle, None
        if child is not None:
            if not child.has_ended:
                return child
            child.close()
        try:
            return TalkingChild(Program([sys.executable, "-I", _CHILD], os.environ, os.sep))
        except OSError as error:
            raise RuntimeFaultError(f"{what} can't be started: {error.strerror or error}") from error

    def _keep(self, child: TalkingChild) -> None:
        with self._guard:
            if self._idle is None and not self._is_closed:
                self._idle = child
                return
        child.close()


def first_fault(schema: Mapping[str, Json], value: Json, what: str) -> tuple[str, str]:
    """See `SchemaChecks.first_fault`; the process ends with the check."""
    with closing(SchemaChecks()) as checks:
        return checks.first_fault(schema, value, what)


def _answer(child: TalkingChild, until: float, what: str) -> bytes:
    with on_stop(child.wake):
        while True:
            check_stop()
            if lines := child.receive(until - time.monotonic()):
                return lines[0]
            if child.end is not None:
                raise RuntimeFaultError(f"{what} failed; simplify the schema")
            if time.monotonic() >= until:
                raise TimeLimitError(f"{what} took longer than {CHECK_SECONDS:g} s and was ended")
