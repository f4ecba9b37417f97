"""The child's side of the protocol, for children in Python (docs/runtime-protocol.md). Standard library only."""

from __future__ import annotations

import os
import select

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from skillbag.kernel.processes.plain_json import decode, encode
else:
    from plain_json import decode, encode

LONGEST = 1 << 20
"""Bytes of the longest line that the host takes (1 MiB)."""

FAILED, NO_METHOD, NO_PERMISSION, LATE, NOT_FOUND = -32603, -32601, -32001, -32003, -32004

_LONGEST_MESSAGE = 4000
_PIECE = 1 << 16


class WireError(Exception):
    """An error with its code in the protocol: one of the host, or one to answer with."""

    def __init__(self, message: str, code: int = FAILED) -> None:
        super().__init__(message)
        self.code = code


class Message:
    """A line of the host, read once: a request by its `method`, or without one an answer.

    `name` may be a phase, `value` the data of one or a text, `target` the request that is cancelled.
    """

    def __init__(self, line: bytes) -> None:
        read = decode(line.decode())
        params = read.get("params", {})
        self.number, self.method = read.get("id"), read.get("method", "")
        self.name = params.get("name") or params.get("phase", "")
        self.value = params.get("input", params.get("data", params.get("content")))
        self.handler, self.target = params.get("handler", 0), params.get("id")
        self.result, self.error = read.get("result"), read.get("error")


class Wire:
    """Reads requests and has them handled; a handler may call host functions, and be called within such a call.

    What the code writes to standard output goes to the log instead, and its standard input is empty.
    """

    def __init__(self, handle: Callable[[Message], Any]) -> None:
        self._handle = handle
        self._source, self._output = os.dup(0), os.dup(1)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.dup2(2, 1)
        self._input = bytearray()
        self._messages: list[Message] = []
        self._ready = select.poll()
        self._ready.register(self._source, select.POLLIN)
        self._calls: list[int] = []
        self._cancelled: set[int] = set()
        self._number = 0

    def serve(self) -> None:
        """Answer requests until `shutdown` or the end of the input."""
        while (message := self._message()) is not None:
            self._incoming(message)
            if message.method == "shutdown":
                return

    @property
    def depth(self) -> int:
        """How many calls run, one within the other."""
        return len(self._calls)

    def host(self, function: str, **arguments: Any) -> Any:
        """Call a host function. Raises `WireError` with the host's message and code."""
        self._number += 1
        number = f"h{self._number}"
        call = self._calls[-1]
        request = {"jsonrpc": "2.0", "id": number, "method": f"host/{function}", "params": {**arguments, "call": call}}
        line = _encoded(request, f"{function}: an argument")
        if len(line) > LONGEST:
            raise WireError(f"{function}: the arguments are larger than 1 MiB")
        self._write(line + b"\n")
        while True:
            message = self._message()
            if message is None:
                raise SystemExit
            if message.number == number and not message.method:
                if message.error:
                    raise WireError(message.error["message"], message.error["code"])
                return message.result
            self._incoming(message)
            if call in self._cancelled:
                raise WireError("the call was cancelled", LATE)

    def is_cancelled(self) -> bool:
        """Whether the host has cancelled the newest call; does not wait."""
        while self._ready.poll(0):
            if not self._fill():
                raise SystemExit
            self._messages, waiting = [], self._messages
            for message in waiting:
                if message.method == "$/cancel":
                    self._incoming(message)
                else:
                    self._messages.append(message)
        return bool(self._calls) and self._calls[-1] in self._cancelled

    def _incoming(self, message: Message) -> None:
        number = message.number
        if message.method == "$/cancel":
            self._cancelled.add(message.target)
        elif message.method and number is not None:
            self._calls.append(number)
            try:
                body = self._answer(message)
            finally:
                self._calls.pop()
                self._cancelled.discard(number)
            self._write(b'{"jsonrpc":"2.0","id":%d,%s}\n' % (number, body))

    def _answer(self, call: Message) -> bytes:
        try:
            body = b'"result":' + _encoded(self._handle(call), "the result")
            if len(body) < LONGEST - 100:
                return body
            error = WireError("the result is larger than 1 MiB")
        except WireError as raised:
            error = raised
        return b'"error":' + _encoded({"code": error.code, "message": str(error)[:_LONGEST_MESSAGE]}, "the error")

    def _write(self, line: bytes) -> None:
        while line := line[os.write(self._output, line) :]:
            pass

    def _message(self) -> Message | None:
        """The next message; None at the end of the input."""
        while not self._messages:
            if not self._fill():
                return None
        return self._messages.pop(0)

    def _fill(self) -> bool:
        data = os.read(self._source, _PIECE)
        *lines, rest = data.split(b"\n")
        if lines:
            lines[0] = bytes(self._input) + lines[0]
            self._messages += map(Message, lines)
            self._input.clear()
        self._input += rest
        return bool(data)


def _encoded(value: Any, what: str) -> bytes:
    try:
        return encode(value).encode("utf-8", "replace")
    except (TypeError, ValueError, RecursionError) as error:
        raise WireError(f"{what} is no JSON value: {error}") from error
