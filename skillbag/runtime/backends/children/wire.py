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


class Wire:
    """Reads requests and has them handled; a handler may call host functions, and be called within such a call.

    What the code writes to standard output goes to the log instead, and its standard input is empty.
    """

    def __init__(self, handle: Callable[[str, dict[str, Any]], Any]) -> None:
        self._handle = handle
        self._source, self._output = os.dup(0), os.dup(1)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.dup2(2, 1)
        self._input = bytearray()
        self._lines: list[bytes] = []
        self._ready = select.poll()
        self._ready.register(self._source, select.POLLIN)
        self._calls: list[int] = []
        self._cancelled: set[int] = set()
        self._number = 0

    def serve(self) -> None:
        """Answer requests until `shutdown` or the end of the input."""
        while (message := self._message()) is not None:
            self._incoming(message)
            if message.get("method") == "shutdown":
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
            if message.get("id") == number and "method" not in message:
                return _result(message)
            self._incoming(message)
            if call in self._cancelled:
                raise WireError("the call was cancelled", LATE)

    def is_cancelled(self) -> bool:
        """Whether the host has cancelled the newest call; does not wait."""
        while self._ready.poll(0):
            if not self._fill():
                raise SystemExit
            self._lines, lines = [], self._lines
            for line in lines:
                message = decode(line.decode())
                if message.get("method") == "$/cancel":
                    self._incoming(message)
                else:
                    self._lines.append(line)
        return bool(self._calls) and self._calls[-1] in self._cancelled

    def _incoming(self, message: dict[str, Any]) -> None:
        method, number = message.get("method"), message.get("id")
        if method == "$/cancel":
            self._cancelled.add(message["params"]["id"])
        elif method is not None and number is not None:
            self._calls.append(number)
            try:
                body = self._answer(method, message.get("params", {}))
            finally:
                self._calls.pop()
                self._cancelled.discard(number)
            self._write(b'{"jsonrpc":"2.0","id":%d,%s}\n' % (number, body))

    def _answer(self, method: str, params: dict[str, Any]) -> bytes:
        try:
            body = b'"result":' + _encoded(self._handle(method, params), "the result")
            if len(body) < LONGEST - 100:
                return body
            error = WireError("the result is larger than 1 MiB")
        except WireError as raised:
            error = raised
        return b'"error":' + _encoded({"code": error.code, "message": str(error)[:_LONGEST_MESSAGE]}, "the error")

    def _write(self, line: bytes) -> None:
        while line := line[os.write(self._output, line) :]:
            pass

    def _message(self) -> dict[str, Any] | None:
        """The next message; None at the end of the input."""
        while not self._lines:
            if not self._fill():
                return None
        message: dict[str, Any] = decode(self._lines.pop(0).decode())
        return message

    def _fill(self) -> bool:
        data = os.read(self._source, _PIECE)
        *lines, rest = data.split(b"\n")
        if lines:
            lines[0] = bytes(self._input) + lines[0]
            self._lines += lines
            self._input.clear()
        self._input += rest
        return bool(data)


def _encoded(value: Any, what: str) -> bytes:
    try:
        return encode(value).encode("utf-8", "replace")
    except (TypeError, ValueError, RecursionError) as error:
        raise WireError(f"{what} is no JSON value: {error}") from error


def _result(message: dict[str, Any]) -> Any:
    if "error" in message:
        raise WireError(message["error"]["message"], message["error"]["code"])
    return message["result"]
