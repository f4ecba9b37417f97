"""Lines of JSON between a host and this process: requests one at a time, and questions in between.

`docs/runtime-hosts.md` describes the protocol.
"""

from __future__ import annotations

import json
import secrets
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from skillbag.kernel.base.errors import UserError

LONGEST = 4 << 20
"""Bytes of a line, without its end."""

PARSE, REQUEST, METHOD, PARAMETERS, INTERNAL = -32700, -32600, -32601, -32602, -32603
"""Codes of errors, as JSON-RPC has them."""

ANSWER = "answer"


class BadRequestError(UserError):
    """A request that is not understood; `code` says in which way."""

    def __init__(self, code: int, message: str) -> None:
        """A code of this module, and the message for the host."""
        super().__init__(message)
        self.code = code


class Request(NamedTuple):
    """What a host requests: `do` names it, `values` are all keys of the line."""

    do: str
    id: int | str | None
    values: Mapping[str, Any]

    def text(self, key: str, default: str | None = None) -> str:
        """The text of this key. Raises `BadRequestError`."""
        value = self.values.get(key, default)
        if not isinstance(value, str):
            raise BadRequestError(PARAMETERS, f"{self.do}: `{key}` must be a text")
        return value

    def texts(self, key: str) -> list[str]:
        """The texts of this key, none without it. Raises `BadRequestError`."""
        values = self.values.get(key, [])
        if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
            raise BadRequestError(PARAMETERS, f"{self.do}: `{key}` must be a list of texts")
        return values


class Lines:
    """Reads requests and writes answers. `read` gives a line, at most so many bytes of it, and nothing at the end."""

    def __init__(self, read: Callable[[int], bytes], write: Callable[[bytes], object]) -> None:
        self._read = read
        self._write = write
        self._waiting: deque[Request] = deque()
        self._current: int | str | None = None

    def request(self) -> Request | None:
        """The next request; None at the end. What is none is answered with an error."""
        request = self._waiting.popleft() if self._waiting else self._next()
        self._current = request and request.id
        return request

    def answer(self, result: object) -> None:
        """Answer the request."""
        self._send({"id": self._current, "result": result})

    def fail(self, code: int, message: str) -> None:
        """Answer the request with an error."""
        self._send({"id": self._current, "error": {"code": code, "message": message}})

    def ask(self, question: Mapping[str, object], answers: list[str]) -> str | None:
        """Ask the user before the request is answered; None without an answer. What is requested meanwhile waits."""
        # A name that nobody knows before: whoever writes all requests in advance has not read the question.
        name = f"q{secrets.token_hex(8)}"
        self._send({"id": self._current, "question": {"name": name, **question, "answers": answers}})
        while (request := self._next()) is not None:
            if request.do != ANSWER:
                self._waiting.append(request)
            elif request.values.get("question") == name:
                given = request.values.get("answer")
                return given if given in answers else None
        return None

    def _next(self) -> Request | None:
        while line := self._read(LONGEST + 2):
            if not line.strip():
                continue
            try:
                return _parsed(line)
            except BadRequestError as error:
                while not line.endswith(b"\n") and (line := self._read(LONGEST)):
                    pass
                self._send({"id": None, "error": {"code": error.code, "message": str(error)}})
        return None

    def _send(self, message: object) -> None:
        self._write(json.dumps(message).encode("ascii") + b"\n")


def _parsed(line: bytes) -> Request:
    if len(line.rstrip(b"\n")) > LONGEST:
        raise BadRequestError(REQUEST, f"a line has at most {LONGEST:,} bytes")
    try:
        request = json.loads(line)
    except (ValueError, RecursionError):
        raise BadRequestError(PARSE, "a line is one JSON object") from None
    if not isinstance(request, dict) or not isinstance(request.get("do"), str):
        raise BadRequestError(REQUEST, 'a request is an object with the text `do`, such as {"id": 1, "do": "tools"}')
    if request["do"] != ANSWER and type(request.get("id")) not in (int, str):
        raise BadRequestError(REQUEST, "a request has an `id`, a whole number or a text")
    return Request(request["do"], request.get("id"), request)
