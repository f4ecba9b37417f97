"""A backend whose code runs in a child process that speaks the protocol (skill runtime, section 7.1)."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Mapping

from skillbag.kernel.base.errors import format_error
from skillbag.kernel.base.time_limit import is_over, rest
from skillbag.kernel.processes.confinement import ProcessBounds
from skillbag.kernel.processes.talking import Program, TalkingChild
from skillbag.runtime.backends.answers import added, call_request, call_result, read_registration
from skillbag.runtime.backends.backend import WITHDRAWN, CallKind, HostFunctions, Launch, Registration
from skillbag.runtime.backends.connection import CANCEL_GRACE, Connection
from skillbag.runtime.backends.launching import bounds_of, explain_memory, refuse_unconfined
from skillbag.runtime.backends.restarts import ATTEMPTS, SYSTEM_CLOCK, Clock, Restarts
from skillbag.runtime.errors import ChildError, RuntimeFaultError, TimeLimitError
from skillbag.runtime.skill import Json

INITIALIZE_LIMIT, SHUTDOWN_LIMIT = 10.0, 2.0
"""Seconds."""

LIMITS: Mapping[CallKind, float] = {
    CallKind.TOOL: 10.0,
    CallKind.HOOK: 10.0,
    CallKind.WORKFLOW: 300.0,
    CallKind.SCAN: 10.0,
}
"""Seconds of a call, without those in which host functions wait."""

LONGEST_LIMIT = 3600.0
"""The most that a manifest's `timeout` counts for."""

PROTOCOL = 1


class ChildBackend(ABC):
    """Runs a skill's code in a child, and starts it again when it ends unexpectedly."""

    limits: Mapping[CallKind, float] = LIMITS
    bounds: ProcessBounds
    """Of the process, unless the manifest says otherwise."""
    grace = CANCEL_GRACE
    """Seconds that the child has to answer a call that was cancelled."""

    def __init__(self, launch: Launch, clock: Clock = SYSTEM_CLOCK) -> None:
        self._launch = launch
        self._clock = clock
        self._restarts = Restarts(clock)
        self._lock = threading.RLock()
        self._state = threading.Condition(self._lock)
        self._connection: Connection | None = None
        self._registration: Registration | None = None
        self._counted: Connection | None = None
        """The connection whose end was counted."""
        self._starter: int | None = None
        """The thread that starts the child now."""
        self._failure: str | None = None

    @abstractmethod
    def _program(self) -> Program:
        """What to run. Raises `ChildError` if the skill does not have it."""

    def _functions(self) -> HostFunctions:
        """What the child may call in the host."""
        return self._launch.host

    def load(self) -> Registration:
        """Start the child. Raises `ChildError` or `TimeLimitError`; nothing is left running then."""
        with self._lock:
            if self._registration is not None or self._starter is not None:
                raise ChildError("the skill's process is running already")
            self._starter = threading.get_ident()
            self._failure, self._restarts = None, Restarts(self._clock)
        connection = None
        try:
            refuse_unconfined(self._launch)
            connection, self._registration = self._start()
        finally:
            self._started(connection)
        return self._registration

    def call(self, kind: CallKind, name: str, value: Json, *, number: int = 0, timeout: float | None = None) -> Json:
        """Call what the skill registered; see `Backend.call`."""
        self._end_if_withdrawn()
        connection = self._connected()
        method, params = call_request(kind, name, value, number)
        try:
            answer = connection.ask(method, params, timeout if timeout is not None else self._limit(kind))
            return call_result(kind, answer)
        except TimeLimitError:
            self._note_end(connection)
            raise
        except ChildError as error:
            self._note_end(connection)
            raise explain_memory(error, self._memory_mb()) from error

    def unload(self) -> None:
        """Stop the child with its group. Raises `ChildError` if it had to be killed."""
        with self._lock:
            connection, self._connection = self._connection, None
            self._registration = None
            self._state.notify_all()
        if connection is None:
            return
        try:
            if connection.end is None and not is_over():
                connection.shut_down(SHUTDOWN_LIMIT)
        finally:
            connection.close("was ended: the skill is deactivated")

    @property
    def failure(self) -> str | None:
        """Why it can't be used any more; None while it can."""
        return self._failure

    def _limit(self, kind: CallKind) -> float:
        timeout = self._launch.implementation.timeout
        if kind is CallKind.TOOL and timeout:
            return min(timeout, LONGEST_LIMIT)
        return self.limits[kind]

    def _memory_mb(self) -> int:
        """The limit of the process's memory in MiB."""
        return bounds_of(self._launch.implementation.limits, self.bounds).memory_mb

    def _connected(self) -> Connection:
        """The connection to a living child, which is started again if need be."""
        with self._lock:
            while True:
                if self._failure is not None or self._registration is None:
                    raise ChildError(self._failure or "the skill's process does not run: the skill is not active")
                if self._starter is None:
                    break
                if self._starter == threading.get_ident():
                    raise ChildError("the skill's process is just being started")
                if not self._state.wait(rest(INITIALIZE_LIMIT)):
                    raise TimeLimitError("the skill's process is still being started")
            if self._connection is not None and self._connection.end is None:
                return self._connection
            self._starter, before = threading.get_ident(), self._connection
        connection = None
        try:
            connection = self._restarted(before)
        finally:
            self._started(connection)
        return connection

    def _restarted(self, before: Connection | None) -> Connection:
        if before is not None:
            self._note_end(before)
            before.close("was ended")
        self._raise_failure()
        assert self._registration is not None  # noqa: S101 - it was loaded
        self._verify()
        self._restarts.wait()
        try:
            connection, registration = self._start()
        except RuntimeFaultError as error:
            self._restarts.ended()
            self._fail_if_used_up(str(error))
            raise
        if new := added(self._registration, registration):
            connection.close("was ended: it registered something new")
            self._failure = f"after a restart the skill registered what it had not before: {', '.join(new[:5])}"
            self._raise_failure()
        return connection

    def _end_if_withdrawn(self) -> None:
        """What the system lets a process touch is fixed at its start: it can't go on with less."""
        if self._failure is not None or self._launch.still_granted():
            return
        with self._lock:
            self._failure, connection = WITHDRAWN, self._connection
        if connection is not None:
            connection.close(f"was ended: {WITHDRAWN}")

    def _verify(self) -> None:
        """What was approved is the content that the skill had."""
        try:
            self._launch.verify()
        except RuntimeFaultError as error:
            self._failure = str(error)
            raise

    def _start(self) -> tuple[Connection, Registration]:
        try:
            child = TalkingChild(self._program())
        except (OSError, ValueError) as error:
            raise ChildError(f"the skill's process can't be started: {format_error(error)}") from error
        connection = Connection(child, self._functions(), self._launch.remark, self.grace)
        try:
            result = connection.request("initialize", self._parameters(), INITIALIZE_LIMIT)
            registration = read_registration(result, self._launch.manifest, self._launch.directory)
        except BaseException as error:
            connection.close("was ended: it could not be initialized")
            if isinstance(error, RuntimeFaultError) and not isinstance(error, TimeLimitError):
                raise explain_memory(ChildError(str(error)), self._memory_mb()) from error
            raise
        self._restarts.started()
        return connection, registration

    def _parameters(self) -> dict[str, Json]:
        launch = self._launch
        return {
            "name": launch.manifest.name,
            "version": launch.manifest.version,
            "protocol": PROTOCOL,
            "workspace": launch.workspace,
            "skill_dir": launch.directory,
            "granted": sorted(launch.granted),
        }

    def _started(self, connection: Connection | None) -> None:
        with self._lock:
            self._connection, self._starter = connection, None
            unloaded = self._registration is None
            self._state.notify_all()
        if connection is not None and unloaded:
            connection.close("was ended: the skill is deactivated")

    def _note_end(self, connection: Connection) -> None:
        """Count an end, once."""
        with self._lock:
            if connection is not self._connection or connection is self._counted or connection.end is None:
                return
            self._counted = connection
            self._restarts.ended()
            self._fail_if_used_up(f"its process {connection.end}")

    def _fail_if_used_up(self, why: str) -> None:
        if self._restarts.is_used_up:
            used_up = f"the skill's process was restarted {ATTEMPTS} times in vain; the last time, {why}"
            self._failure = self._failure or used_up

    def _raise_failure(self) -> None:
        if self._failure is not None:
            raise ChildError(self._failure)
