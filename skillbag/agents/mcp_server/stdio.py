"""The protocol over standard input and output: bounded lines, errors for invalid ones, back-pressure.

The SDK's own transport reads lines of any length, drops invalid messages, reads on while the client reads no answers,
and its reader thread delays the end of the process.
"""

from __future__ import annotations

import json
import logging
import os
import re
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple, TypeVar

import anyio
from anyio.to_thread import run_sync
from mcp.server.lowlevel.server import Server
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from mcp_types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    RequestId,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError
from pydantic_core import from_json

from skillbag.agents.mcp_server.greeting import Greeting, write_all

LONGEST_LINE = 4 << 20
"""Bytes of a message, as the SDK bounds them over HTTP."""

MAX_REQUESTS = 256
"""Requests that may be unanswered; at the limit no more is read."""

_GRACE = 5.0
"""Seconds for answers to pending requests after the end of the input."""

_CHUNK = 1 << 16
_KEPT = 4096
"""Bytes kept of the beginning and of the end of a line that is too long: the id is in one of them."""

_CLOSED = (anyio.BrokenResourceError, anyio.ClosedResourceError)
T = TypeVar("T")
_log = logging.getLogger("skillbag.mcp")


class _BadMessageError(Exception):
    """A line that is no message, with the answer to it."""

    def __init__(self, code: int, message: str, request: RequestId | None = None) -> None:
        self.answer = JSONRPCError(jsonrpc="2.0", id=request, error=ErrorData(code=code, message=message))


async def serve_stdio(server: Server[Any], at_end: Callable[[], None], greeting: Greeting) -> None:
    """Serve one client until the input ends or the output is closed, after the `greeting`.

    `at_end` is called when the input ends, to end answers that would go on for ever (subscriptions).
    """
    transport = _Transport(greeting)
    async with anyio.create_task_group() as group:
        group.start_soon(transport.read, at_end)
        group.start_soon(transport.write)
        await server.run(transport.incoming, transport.outgoing, server.create_initialization_options())
        with anyio.move_on_after(_GRACE):
            await transport.written.wait()
        group.cancel_scope.cancel()


class _Transport:
    """Both directions, as the streams that the SDK's server runs over, and the number of unanswered requests."""

    def __init__(self, greeting: Greeting) -> None:
        self._source, self._sink, self._read, self._greeted = greeting
        self._threads = anyio.CapacityLimiter(2)
        self._room = anyio.Semaphore(MAX_REQUESTS)
        self._received, self.incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        self.outgoing, self._answers = anyio.create_memory_object_stream[SessionMessage](0)
        self._refusals = self.outgoing.clone()
        self.written = anyio.Event()

    async def read(self, at_end: Callable[[], None]) -> None:
        """Forward messages until the input ends; then wait a moment for pending answers."""
        async with self._received, self._refusals:
            with suppress(*_CLOSED, OSError):
                async for line in _lines(self._chunks()):
                    await self._take(line)
            at_end()
            with anyio.move_on_after(_GRACE):
                for _ in range(MAX_REQUESTS):
                    await self._room.acquire()

    async def write(self) -> None:
        """Write answers until they end. If the output is closed, reading ends as well."""
        async with self._answers:
            async for answer in self._answers:
                line = answer.message.model_dump_json(by_alias=True, exclude_unset=True) + "\n"
                try:
                    if not self._is_known(answer.message, line):
                        await self._off_loop(partial(write_all, self._sink, line.encode()))
                except OSError:
                    break
                if isinstance(answer.message, JSONRPCResponse | JSONRPCError) and answer.message.id is not None:
                    self._room.release()
        self.written.set()
        await self._received.aclose()

    def _is_known(self, message: JSONRPCMessage, line: str) -> bool:
        """Whether this is the answer that the client had before the SDK was there."""
        greeted = self._greeted
        if greeted is None or not isinstance(message, JSONRPCResponse | JSONRPCError) or message.id != greeted.id:
            return False
        self._greeted = None
        if line.encode() != greeted.line:
            _log.warning("the MCP SDK would have answered the first message otherwise: %s", line.strip())
        return True

    async def _take(self, line: bytes | _TooLong) -> None:
        if isinstance(line, bytes) and not line.strip():
            return
        try:
            message = _message(line)
        except _BadMessageError as error:
            if error.answer.id is not None:
                await self._room.acquire()
            await self._refusals.send(SessionMessage(error.answer))
            return
        metadata = None
        if isinstance(message, JSONRPCRequest):
            await self._room.acquire()
            metadata = ServerMessageMetadata(on_request_unanswered=self._make_room)
        await self._received.send(SessionMessage(message, metadata))

    async def _make_room(self) -> None:
        self._room.release()

    async def _chunks(self) -> AsyncIterator[bytes]:
        if self._read:
            yield self._read
        while chunk := await self._off_loop(lambda: os.read(self._source, _CHUNK)):
            yield chunk

    async def _off_loop(self, work: Callable[[], T]) -> T:
        # Abandoned at the end: a read may block for ever.
        return await run_sync(work, abandon_on_cancel=True, limiter=self._threads)


class _TooLong(NamedTuple):
    """The kept parts of a line that is too long."""

    head: bytes
    tail: bytes


async def _lines(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes | _TooLong]:
    """The lines; the last one may lack its line end."""
    head, line = b"", bytearray()
    async for chunk in chunks:
        *ends, rest = chunk.split(b"\n")
        for end in ends:
            yield _ended(head, line + end)
            head, line = b"", bytearray()
        line += rest
        if len(line) > LONGEST_LINE:
            head, line = head or bytes(line[:_KEPT]), line[-_KEPT:]
    if line or head:
        yield _ended(head, line)


def _ended(head: bytes, line: bytearray) -> bytes | _TooLong:
    if head or len(line) > LONGEST_LINE:
        return _TooLong(head or bytes(line[:_KEPT]), bytes(line[-_KEPT:]))
    return bytes(line)


def _message(line: bytes | _TooLong) -> JSONRPCMessage:
    if isinstance(line, _TooLong):
        message = f"a message is at most {LONGEST_LINE:,} bytes long"
        raise _BadMessageError(INVALID_REQUEST, message, id_of_parts(*line))
    try:
        values = from_json(line, allow_inf_nan=False)
    except ValueError as error:
        message = f"Parse error: this line is not the JSON of one message: {error}"
        raise _BadMessageError(PARSE_ERROR, message, request_id(line)) from error
    with suppress(ValidationError):
        parsed = jsonrpc_message_adapter.validate_python(values, by_name=False)
        # The SDK takes a request with an invalid id for a notification; its client would wait for ever.
        if not (isinstance(parsed, JSONRPCNotification) and "id" in values):
            return parsed
    request = values.get("id") if isinstance(values, dict) else None
    known = request if type(request) in (int, str) else None
    raise _BadMessageError(INVALID_REQUEST, "Invalid Request: a line is one message of JSON-RPC 2.0", known)


_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|[{}\[\]:,]|[^\s"{}\[\]:,]+', re.DOTALL)
# An unterminated string takes the rest of the line: searching from each quote again would be quadratic.
_LONGEST = 1024
"""Bytes of an id, or of a key."""

_LAST = re.compile(rb'\}\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?,\s*"id"\s*:\s*(-?\d{1,19}|"(?:[^"\\]|\\.){0,256}")\s*')
_END = re.compile(rb'(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*\Z')


def request_id(line: bytes) -> int | str | None:
    """The id of the request in a line; None if there is none that can be sent back."""
    tokens = _top_level_tokens(line)
    return _value(tokens["id"]) if tokens.keys() == {"id", "method"} else None


def id_of_parts(head: bytes, tail: bytes) -> int | str | None:
    """The same for the beginning and end of a long line: clients write the id first or last."""
    tokens = _top_level_tokens(head)
    if "id" in tokens:
        return _value(tokens["id"])
    last = [match for match in _LAST.finditer(tail) if _END.match(tail, match.end())]
    return _value(last[-1][1]) if last and "method" in tokens else None


def _top_level_tokens(line: bytes) -> dict[str, bytes]:
    """The tokens after the keys `id` and `method` of the outermost object; of a repeated key the last."""
    tokens: dict[str, bytes] = {}
    depth, before = 0, b""
    key: int | str | None = None
    for match in _TOKEN.finditer(line):
        token = match[0]
        if depth == 1 and before == b":" and (key == "id" or key == "method"):
            tokens[key] = token
        if depth == 1 and token == b":":
            key = _value(before)
        depth += (token in (b"{", b"[")) - (token in (b"}", b"]"))
        before = token
    return tokens


def _value(token: bytes) -> int | str | None:
    """A number or text that can be sent back."""
    try:
        value: Any = json.loads(token) if len(token) <= _LONGEST else None
        if isinstance(value, str):
            value.encode()
    except ValueError:
        return None
    return value if type(value) in (int, str) else None
