"""Messages over standard input and output. A thread reads them: nothing that the client leaves open delays our end."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import re
import sys
import threading
from typing import BinaryIO

from pygls.lsp.server import LanguageServer

from skillbag.report.sanitize import shown

LARGEST = 1 << 26
"""Bytes of a message (64 MiB)."""
_MAX_WAITING = 256
_MAX_HEADERS = 1 << 12
_INVALID_REQUEST = -32600
_LONGEST_REASON = 300
_LENGTH = re.compile(rb"content-length:[ \t]*([0-9]{1,12})[ \t]*\r?\n", re.IGNORECASE)
_log = logging.getLogger(__name__)


class Output:
    """Standard output for messages. Nothing else may write there: `print` goes to standard error."""

    def __init__(self) -> None:
        self._stream = os.fdopen(os.dup(sys.stdout.fileno()), "wb", buffering=0)
        sys.stdout.flush()
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())

    def write(self, data: bytes) -> None:
        """Write a message; nothing if the client is gone."""
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[self._stream.write(rest) :]
        except OSError as error:
            _log.info("the client reads no more: %s", error)

    def close(self) -> None:
        """The last message was written."""
        self._stream.close()


async def serve(server: LanguageServer, ended: asyncio.Event) -> None:
    """Handle the messages on standard input, one after the other, until it ends or `ended` is set."""
    loop = asyncio.get_running_loop()
    # At the limit no more is read, so that the memory is bounded.
    room = threading.Semaphore(_MAX_WAITING)

    def take(body: bytes) -> None:
        room.release()
        if not ended.is_set():
            _handle(server, body)

    # Of its own: the interpreter can't close `sys.stdin` while a thread waits in it, and aborts.
    stream = os.fdopen(os.dup(sys.stdin.fileno()), "rb")

    def read() -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended
            while body := _next(stream):
                room.acquire()
                loop.call_soon_threadsafe(take, body)
            loop.call_soon_threadsafe(ended.set)

    threading.Thread(target=read, daemon=True).start()
    await ended.wait()


def _handle(server: LanguageServer, body: bytes) -> None:
    try:
        server.protocol.handle_message(json.loads(body, object_hook=server.protocol.structure_message))
    except Exception as error:
        # A message that is none, or that the protocol does not allow.
        reason = shown(f"{type(error).__name__}: {error}")[:_LONGEST_REASON]
        _log.warning("a message can't be read: %s", reason)
        if (request := _request_of(body)) is not None and (writer := server.protocol.writer):
            refusal = {"code": _INVALID_REQUEST, "message": f"The request can't be read: {reason}"}
            answer = json.dumps({"jsonrpc": "2.0", "id": request, "error": refusal}).encode()
            writer.write(b"Content-Length: %d\r\n\r\n%b" % (len(answer), answer))


def _request_of(body: bytes) -> int | str | None:
    """The id of a request that can't be read otherwise; None for anything else."""
    try:
        plain = json.loads(body)
    except (ValueError, RecursionError):
        return None
    number = plain.get("id") if isinstance(plain, dict) and "method" in plain else None
    return number if isinstance(number, int | str) else None


def _next(stream: BinaryIO) -> bytes | None:
    """The next message; None at the end, or where what comes is no message."""
    length = None
    for _ in range(_MAX_HEADERS):
        line = stream.readline(_MAX_HEADERS)
        if not line:
            return None
        if found := _LENGTH.fullmatch(line):
            length = int(found[1])
        elif not line.strip() and length is not None:
            break
    if length is None or not 0 < length <= LARGEST:
        _log.error("what comes on standard input is no message of the protocol")
        return None
    body = stream.read(length)
    return body if len(body) == length else None
