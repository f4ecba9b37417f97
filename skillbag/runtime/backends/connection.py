"""Calls of a child and its host requests, over one pair of pipes (skill runtime, section 7.1).

Calls are nested and never overlap: a call is sent when the child runs none, or while the newest one waits for a host
function. The answer of a host function is sent when the call that it belongs to is the newest again. So a child needs
no threads, two skills that call each other from two threads never wait in a circle, and the thread of the newest call
is the only one that reads: a call costs no switch of threads. No lock is held while host functions run.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from skillbag.kernel.base.cancellation import WorkStoppedError, check_stop, on_stop
from skillbag.kernel.base.errors import UserError
from skillbag.kernel.base.time_limit import rest
from skillbag.kernel.processes.talking import ORDERLY, TalkingChild
from skillbag.kernel.secrets.detection import mask
from skillbag.runtime.backends.backend import HostFunctions
from skillbag.runtime.backends.jsonrpc import (
    INVALID_REQUEST,
    LONGEST_SENT,
    UNKNOWN_METHOD,
    NotJsonRpcError,
    RpcRequest,
    RpcResponse,
    encode,
    error_line,
    notification_line,
    parse,
    request_line,
    result_line,
)
from skillbag.runtime.backends.pending import PendingCall
from skillbag.runtime.errors import BadParametersError, ChildError, RuntimeFaultError, TimeLimitError
from skillbag.runtime.printable import printable
from skillbag.runtime.skill import Json

CANCEL_GRACE = 1.0
"""Seconds that a child has to answer a call that was cancelled, before it is killed."""

MAX_FAULTS = 3
"""So many faults of the protocol end the child."""

_HOST = "host/"
_LONGEST_LOG = 300
_WAITING = frozenset({"exec", "fetch", "llm_complete", "llm_json", "invoke_skill"})


class Connection:
    """Speaks with one child until it ends. `remark` gets a sentence about what went wrong without failing a call."""

    def __init__(
        self, child: TalkingChild, host: HostFunctions, remark: Callable[[str], None], grace: float = CANCEL_GRACE
    ) -> None:
        """`grace`: the seconds that the child has to answer a call that was cancelled."""
        self._child, self._host, self._remark, self._grace = child, host, remark, grace
        self._lock, self._reading = threading.RLock(), threading.Lock()
        self._changed = threading.Condition(self._lock)
        self._calls: list[PendingCall] = []
        self._number = self._faults = 0
        self._end: str | None = None

    @property
    def end(self) -> str | None:
        """How the child ended, such as `ended with exit code 1`; None while it lives. Does not wait."""
        return self._end or self._child.end or ("ended" if self._child.has_ended else None)

    def request(self, method: str, params: Json, limit: float) -> Json:
        """Send a request and return its result; as `ask`, and raises the error of the answer, if it is one."""
        answer = self.ask(method, params, limit)
        if answer.error is not None:
            raise answer.error
        return answer.result

    def ask(self, method: str, params: Json, limit: float, grace: float | None = None) -> RpcResponse:
        """Send a request and return the answer. `limit`: seconds, without those in which host functions wait.

        Raises:
            TimeLimitError: it took longer; the child has answered the cancellation within `grace` seconds (None: those
                of all calls), or is dead.
            ChildError: the child ended. BadParametersError: `params` is no JSON, or too long.
        """
        text = encode(params)
        if len(text) > LONGEST_SENT - 1000:
            raise BadParametersError(f'call "{method}": the arguments are longer than {LONGEST_SENT >> 20} MiB')
        call = self._begin(PendingCall(method, limit, self._grace if grace is None else grace), text)
        try:
            with on_stop(self._child.wake):
                return self._answer_to(call)
        except WorkStoppedError:
            self._cancel(call)
            raise
        except RuntimeFaultError:
            raise
        except BaseException:
            self._stop("was ended: a call was interrupted")
            raise
        finally:
            with self._lock:
                self._calls.remove(call)
                self._changed.notify_all()

    def shut_down(self, limit: float) -> None:
        """Ask the child to end, and wait for it. To end with exit code 0 is an answer, too.

        Raises:
            ChildError: it reported an error, or has not ended after `limit` seconds.
        """
        until = time.monotonic() + limit
        try:
            answer = self.ask("shutdown", {}, limit, grace=0)
        except RuntimeFaultError as error:
            if self._child.end == ORDERLY:
                return
            raise ChildError(f"the skill's process did not shut down: {error}") from error
        self._child.end_input()
        while self._child.end is None:
            if (rest := until - time.monotonic()) <= 0:
                raise ChildError(f"the skill's process did not end within {limit:g}s of its shutdown, and was killed")
            self._read(rest)
        if answer.error is not None and answer.error.code != UNKNOWN_METHOD:
            raise ChildError(f"the skill's process reported while it shut down: {answer.error}")

    def close(self, why: str) -> None:
        """Kill the child with its group; calls fail with the reason."""
        self._stop(why)
        with self._reading:
            self._child.close()

    def _begin(self, call: PendingCall, params: bytes) -> PendingCall:
        """Wait for the turn, and send."""
        with self._lock:
            while self._calls and not self._calls[-1].is_in_host:
                if not self._changed.wait(call.rest()):
                    raise call.timeout(": the skill is busy with other calls")
            self._raise_end(call.method)
            check_stop()
            self._number += 1
            call.number, call.began = self._number, time.monotonic()
            self._calls.append(call)
            self._child.send(request_line(call.number, call.method, params))
        return call

    def _answer_to(self, call: PendingCall) -> RpcResponse:
        """Read and serve host requests until the call is answered."""
        while True:
            check_stop()
            if (rest := call.rest()) <= 0:
                self._cancel(call)
                raise call.timeout()
            if call.requests:
                self._serve(call, call.requests.popleft())
            else:
                self._read(rest)
            if call.answer is not None:
                return call.answer
            self._raise_end(call.method)

    def _read(self, wait: float) -> None:
        """Read as the thread of the newest call."""
        with self._reading:
            lines = self._child.receive(wait) if self._end is None else []
        for line in lines:
            if self._end is not None:
                break
            self._take(line)

    def _take(self, line: bytes) -> None:
        try:
            message = parse(line)
        except NotJsonRpcError as error:
            self._fault(f"wrote a line that is no JSON-RPC: {error}")
            return
        if isinstance(message, RpcResponse):
            self._answered(message)
        elif message.id is not None:
            self._requested(message.id, message)

    def _answered(self, answer: RpcResponse) -> None:
        """An answer counts only for its id."""
        with self._lock:
            call = next((call for call in self._calls if call.number == answer.id), None)
        if call is not None and call.answer is None and not isinstance(answer.id, bool):
            call.answer = answer.to(call.method)
        else:
            if call is not None and call.answer is not None and call.method == "hook/handle":
                # Which one counts? What a guard meant is not known.
                call.answer = call.answer._replace(error=ChildError("its process answered twice"))
            self._fault("answered a call that nobody made, or twice")

    def _requested(self, number: int | str, request: RpcRequest) -> None:
        """A host request belongs to the call that it names, else to the newest."""
        named = request.params.get("call")
        with self._lock:
            calls = [call for call in self._calls if named in (None, call.number) and call.answer is None]
        if not request.method.startswith(_HOST):
            self._child.send(error_line(number, UNKNOWN_METHOD, f"the host has no method {request.method[:100]!r}"))
        elif not calls:
            self._child.send(error_line(number, INVALID_REQUEST, "the call that it belongs to is over"))
        else:
            calls[-1].requests.append(request)

    def _serve(self, call: PendingCall, request: RpcRequest) -> None:
        """Run a host function; answer when the call is the newest again."""
        function = request.method.removeprefix(_HOST)
        arguments = {name: value for name, value in request.params.items() if name != "call"}
        began = time.monotonic()
        with self._lock:
            call.is_in_host = True
            self._changed.notify_all()
        try:
            line = self._host_answer(request, function, arguments)
        finally:
            # To wait for the turn is excused in any case: that is the time of other calls.
            excused_from = began if _waits(function) else time.monotonic()
            with self._lock:
                if not self._changed.wait_for(lambda: self._calls[-1] is call, rest(threading.TIMEOUT_MAX)):
                    self._stop(f'was ended: call "{call.method}" took too long')
                call.is_in_host = False
                call.excuse(time.monotonic() - excused_from)
        self._child.send(line)

    def _host_answer(self, request: RpcRequest, function: str, arguments: dict[str, Json]) -> bytes:
        assert request.id is not None  # noqa: S101 - notifications are dropped
        try:
            return result_line(request.id, self._host(function, arguments))
        except UserError as error:
            return error_line(request.id, getattr(error, "code", RuntimeFaultError.code), str(error))

    def _cancel(self, call: PendingCall) -> None:
        """Give the child a moment to answer; what the answer is does not count. Kill it if it does not."""
        if call.answer is not None:
            return
        self._child.send(notification_line("$/cancel", {"id": call.number}))
        until = time.monotonic() + call.grace
        while call.answer is None and self._child.end is None and self._end is None:
            if (rest := until - time.monotonic()) <= 0:
                self._stop(f'was ended: call "{call.method}" took too long')
                return
            for request in call.requests:
                assert request.id is not None  # noqa: S101 - notifications are dropped
                self._child.send(error_line(request.id, TimeLimitError.code, "the call took too long"))
            call.requests.clear()
            self._read(rest)
        if call.answer is not None and call.answer.error is None:
            self._remark(f"the answer to call {call.number} came too late, and was dropped")

    def _fault(self, what: str) -> None:
        self._faults += 1
        self._remark(f"its process {what}")
        if self._faults == MAX_FAULTS:
            self._stop(f"was ended: it broke the protocol {MAX_FAULTS} times; the last time it {what}")

    def _stop(self, why: str) -> None:
        self._end = self._end or self._child.end or why
        self._child.kill()

    def _raise_end(self, method: str) -> None:
        if (end := self._end or self._child.end) is not None:
            raise ChildError(f'call "{method}": its process {end}{self._last_words()}')

    def _last_words(self) -> str:
        """The last line of its log, which mostly says why it ended."""
        lines = self._child.log().split("\n")
        last = next((line.strip() for line in reversed(lines) if line.strip() and not line.startswith("note: ")), "")
        return f": {printable(mask(last)[:_LONGEST_LOG])}" if last else ""


def _waits(function: str) -> bool:
    """Whether a host function waits for a program, an address, a model or a skill."""
    return function in _WAITING or function.startswith("git_")
