"""The protocol over standard input and output: bounded lines, answered garbage, no more work than is read.

The SDK's own transport reads lines of any length, drops what is no message, goes on reading while nobody takes the
answers, and its reading thread holds up the end of the process.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import NamedTuple, TypeVar

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from anyio.to_thread import run_sync
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

from skillbag.mcp_server.request_ids import id_of_parts, request_id

LONGEST_LINE = 4 << 20
"""Bytes of a message, as the SDK bounds them over HTTP."""

MOST_REQUESTS = 256
"""Requests that may wait for their answer; until one is written, no more is read."""

_GRACE = 3.0
"""Seconds in which what was asked before the end of the input is still answered."""

_CHUNK = 1 << 16
_KEPT = 4096
"""Bytes of the beginning and of the end of a line that is too long: its id stands there."""

_CLOSED = (anyio.BrokenResourceError, anyio.ClosedResourceError)
T = TypeVar("T")


class Streams(NamedTuple):
    """What the SDK's server is run over."""

    incoming: MemoryObjectReceiveStream[SessionMessage | Exception]
    outgoing: MemoryObjectSendStream[SessionMessage]


class _UnfitError(Exception):
    """A line that is no message, and what its sender is told."""

    def __init__(self, code: int, told: str, sender: RequestId | None = None) -> None:
        self.answer = JSONRPCError(jsonrpc="2.0", id=sender, error=ErrorData(code=code, message=told))


@asynccontextmanager
async def standard_streams(at_end: Callable[[], None]) -> AsyncIterator[Streams]:
    """Standard input and output as streams of messages, to be read until their end.

    `at_end` is called when the input ends, so that answers that never end can be brought to one.
    From here on both descriptors belong to the protocol alone: whoever else reads standard input finds its end, and
    what anybody prints goes to standard error.

    Raises:
        OSError: one of them can't be used.
    """
    transport = _Transport(_claimed(0, os.open(os.devnull, os.O_RDONLY)), _claimed(1, os.dup(2)))
    async with anyio.create_task_group() as group:
        group.start_soon(transport.read, at_end)
        group.start_soon(transport.write)
        yield transport.streams
        with anyio.move_on_after(_GRACE):
            await transport.written.wait()
        group.cancel_scope.cancel()


def _claimed(descriptor: int, stand_in: int) -> int:
    """A descriptor of our own for what is there, and the stand-in in its place."""
    own = os.dup(descriptor)
    os.set_blocking(own, True)
    os.dup2(stand_in, descriptor)
    os.close(stand_in)
    return own


class _Transport:
    """Both directions, and the room for requests between them."""

    def __init__(self, source: int, sink: int) -> None:
        self._source = source
        self._sink = sink
        self._threads = anyio.CapacityLimiter(2)
        self._room = anyio.Semaphore(MOST_REQUESTS)
        self._received, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        outgoing, self._answers = anyio.create_memory_object_stream[SessionMessage](0)
        self._refusals = outgoing.clone()
        self.streams = Streams(incoming, outgoing)
        self.written = anyio.Event()

    async def read(self, at_end: Callable[[], None]) -> None:
        """Hand on messages until the input ends; then wait a moment for what was asked to be answered."""
        async with self._received, self._refusals:
            with suppress(*_CLOSED, OSError):
                async for line in _lines(self._chunks()):
                    await self._take(line)
            at_end()
            with anyio.move_on_after(_GRACE):
                for _ in range(MOST_REQUESTS):
                    await self._room.acquire()

    async def write(self) -> None:
        """Write what is answered, until that ends; where nobody reads any more, it is the end of the input as well."""
        async with self._answers:
            async for one in self._answers:
                line = one.message.model_dump_json(by_alias=True, exclude_unset=True) + "\n"
                try:
                    await self._off_loop(partial(_write_all, self._sink, line.encode()))
                except OSError:
                    break
                if isinstance(one.message, JSONRPCResponse | JSONRPCError) and one.message.id is not None:
                    self._room.release()
        self.written.set()
        await self._received.aclose()

    async def _take(self, line: bytes | _TooLong) -> None:
        if isinstance(line, bytes) and not line.strip():
            return
        try:
            message = _message(line)
        except _UnfitError as unfit:
            if unfit.answer.id is not None:
                await self._room.acquire()
            await self._refusals.send(SessionMessage(unfit.answer))
            return
        metadata = None
        if isinstance(message, JSONRPCRequest):
            await self._room.acquire()
            metadata = ServerMessageMetadata(on_request_unanswered=self._make_room)
        await self._received.send(SessionMessage(message, metadata))

    async def _make_room(self) -> None:
        self._room.release()

    async def _chunks(self) -> AsyncIterator[bytes]:
        while chunk := await self._off_loop(lambda: os.read(self._source, _CHUNK)):
            yield chunk

    async def _off_loop(self, work: Callable[[], T]) -> T:
        # Abandoned where we end: a read may last for ever.
        return await run_sync(work, abandon_on_cancel=True, limiter=self._threads)


class _TooLong(NamedTuple):
    """What is kept of a line that is too long."""

    head: bytes
    tail: bytes


async def _lines(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes | _TooLong]:
    """The lines, the last one even if it does not end."""
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
        told = f"a message is at most {LONGEST_LINE:,} bytes long"
        raise _UnfitError(INVALID_REQUEST, told, id_of_parts(*line))
    try:
        values = from_json(line, allow_inf_nan=False)
    except ValueError as error:
        told = f"Parse error: this line is not the JSON of one message: {error}"
        raise _UnfitError(PARSE_ERROR, told, request_id(line)) from error
    with suppress(ValidationError):
        message = jsonrpc_message_adapter.validate_python(values, by_name=False)
        # To the SDK a request whose id is none is a notification, and whoever asked would wait for ever.
        if not (isinstance(message, JSONRPCNotification) and "id" in values):
            return message
    sender = values.get("id") if isinstance(values, dict) else None
    known = sender if type(sender) in (int, str) else None
    raise _UnfitError(INVALID_REQUEST, "Invalid Request: a line is one message of JSON-RPC 2.0", known)


def _write_all(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]
