"""A registry over HTTP: one request a connection, each within limits of size and time, however many are slow.

Connections wait in one event loop, so a slow client holds no thread; the store is read by a few threads. If there are
too many connections, a new one replaces the one whose client has sent and taken nothing for the longest time.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from http import HTTPStatus
from typing import Any, NamedTuple

from skillbag.supply.registry.access import Access
from skillbag.supply.registry.answers import JSON, RefusedError, Reply, answer
from skillbag.supply.registry.requests import LONGEST_HEAD, Request, read_request
from skillbag.supply.registry.store import DamagedError, Store

_END = b"\r\n\r\n"
_THREADS = 8
_MOST_CONNECTIONS = 256
_BACKLOG = 128
_OTHER_DESCRIPTORS = 32
"""Descriptors besides those of connections: streams, imported libraries, the store while it is searched."""

_PIECE = 1 << 18
"""Bytes of an archive that a client must take to count as one that reads."""

_REQUEST_SECONDS = 10.0
"""In which a connection must send its request."""

_ANSWER_SECONDS = 600.0
"""In which a client must take the answer: the longest download of `skillbag` itself."""

_LONGEST_LOGGED = 300

Log = Callable[[str], None]


class Registry(NamedTuple):
    """What is served, to whom, and where each request is logged: one line that may hold anything a client sends."""

    store: Store
    access: Access
    log: Log


def serve(registry: Registry, listener: socket.socket, ready: Callable[[], None]) -> None:
    """Serve until SIGINT, SIGTERM or SIGHUP; `ready` is called when these end it."""
    asyncio.run(_serve(registry, listener, ready))


async def _serve(registry: Registry, listener: socket.socket, ready: Callable[[], None]) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # Under `nohup` a signal is ignored, and stays so.
        if signal.getsignal(number) is not signal.SIG_IGN:
            asyncio.get_running_loop().add_signal_handler(number, stop.set)
    with ThreadPoolExecutor(_THREADS) as threads:
        connections = _Connections(registry, threads, _most_connections())
        asyncio.get_running_loop().set_exception_handler(connections.failed)
        # As many are accepted in one turn of the loop as there is room for; more may wait in the queue.
        burst = min(_BACKLOG, connections.most)
        server = await asyncio.start_server(connections.serve, sock=listener, limit=LONGEST_HEAD, backlog=burst)
        listener.listen(_BACKLOG)
        ready()
        await stop.wait()
        server.close()
        await connections.end()


def _most_connections() -> int:
    """The connections for which there are descriptors: each may have a file and a successor."""
    # Windows does not have this module; the command refuses to run there.
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _OTHER_DESCRIPTORS + 3 * _MOST_CONNECTIONS
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    if soft == resource.RLIM_INFINITY:
        return _MOST_CONNECTIONS
    return max(1, min(_MOST_CONNECTIONS, (soft - _OTHER_DESCRIPTORS) // 3))


class _Connections:
    """The open connections (at most `most`), and those that wait for their client, the longest wait first."""

    def __init__(self, registry: Registry, threads: ThreadPoolExecutor, most: int) -> None:
        self.most = most
        self._registry = registry
        self._threads = threads
        self._open: set[asyncio.Task[Any]] = set()
        self._waiting: dict[asyncio.Task[Any], None] = {}

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the one request of a connection."""
        task = _current_task()
        has_room = len(self._open) < self.most or self._displace()
        # Closing waits for nothing that a client does not take.
        writer.transport.set_write_buffer_limits(0)
        try:
            if has_room:
                self._open.add(task)
                await self._answer(reader, writer)
        except (OSError, TimeoutError, asyncio.CancelledError):
            # Gone, too slow, or displaced.
            writer.transport.abort()
        finally:
            self._waiting.pop(task, None)
            self._open.discard(task)
            writer.close()

    def _displace(self) -> bool:
        """Close the connection whose client we wait for the longest time, and whether there is one."""
        oldest = next(iter(self._waiting), None)
        if oldest is None:
            return False
        del self._waiting[oldest]
        self._open.discard(oldest)
        oldest.cancel()
        return True

    def failed(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Log that the system has no descriptor for another connection, and make room; anything else is a bug."""
        error = context.get("exception")
        if not isinstance(error, OSError) or "socket" not in context:
            loop.default_exception_handler(context)
            return
        self._registry.log(f"error: no connection can be accepted: {error.strerror}")
        self._displace()

    def _wait(self) -> None:
        """The current connection waits for its client from now on."""
        self._waiting.pop(task := _current_task(), None)
        self._waiting[task] = None

    async def end(self) -> None:
        """Close all connections."""
        for task in (waiting := tuple(self._open)):
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        begun = time.monotonic()
        request, reply = await self._reply(reader)
        if reply is None:
            return
        try:
            unchanged = reply.status == HTTPStatus.OK and _has(request, reply.tag)
            status = HTTPStatus.NOT_MODIFIED if unchanged else HTTPStatus(reply.status)
            size = len(reply.body) if isinstance(reply.body, bytes) else os.fstat(reply.body.fileno()).st_size
            async with asyncio.timeout(_ANSWER_SECONDS):
                writer.write(_head(status, reply, size))
                if not unchanged and (request is None or request.method != "HEAD"):
                    await self._send(writer, reply, size)
                self._wait()
                await writer.drain()
                writer.write_eof()
        finally:
            if not isinstance(reply.body, bytes):
                reply.body.close()
            peer = (writer.get_extra_info("peername") or ("-",))[0]
            # Without the query, which is what a person has typed.
            path = request.target.partition("?")[0][:_LONGEST_LOGGED] if request else ""
            asked = f"{request.method} {path}" if request else "-"
            took = (time.monotonic() - begun) * 1000
            self._registry.log(f"{peer} {asked} {status.value} {took:.0f} ms")

    async def _reply(self, reader: asyncio.StreamReader) -> tuple[Request | None, Reply | None]:
        """The request and its answer; neither if the client has closed the connection."""
        request = None
        try:
            self._wait()
            async with asyncio.timeout(_REQUEST_SECONDS):
                head = await reader.readuntil(_END)
            self._waiting.pop(_current_task(), None)
            request = read_request(head)
            self._registry.access.check(request.headers)
            if request.method not in ("GET", "HEAD"):
                raise RefusedError(405, "only GET and HEAD are known")
            loop = asyncio.get_running_loop()
            return request, await loop.run_in_executor(self._threads, answer, self._registry.store, request.target)
        except asyncio.IncompleteReadError:
            return None, None
        except asyncio.LimitOverrunError:
            return None, _refusal(431, f"a request has at most {LONGEST_HEAD >> 10} KiB")
        except TimeoutError:
            return None, _refusal(408, f"send a request within {_REQUEST_SECONDS:.0f} s")
        except RefusedError as error:
            return request, _refusal(error.status, str(error))
        except (DamagedError, OSError) as error:
            self._registry.log(f"error: {error}")
            return request, _refusal(500, "the registry can't read what was published; its log says more")

    async def _send(self, writer: asyncio.StreamWriter, reply: Reply, size: int) -> None:
        if isinstance(reply.body, bytes):
            writer.write(reply.body)
            return
        self._wait()
        await writer.drain()
        for at in range(0, size, _PIECE):
            await asyncio.get_running_loop().sendfile(writer.transport, reply.body, at, min(_PIECE, size - at))
            self._wait()


def _current_task() -> asyncio.Task[Any]:
    task = asyncio.current_task()
    assert task is not None  # noqa: S101 - a coroutine runs in a task
    return task


def _has(request: Request | None, tag: str) -> bool:
    """Whether the client has the content of this digest already."""
    named = request.headers.get("if-none-match", "") if request else ""
    return f'"{tag}"' in {each.strip().removeprefix("W/") for each in named.split(",")}


def _head(status: HTTPStatus, reply: Reply, size: int) -> bytes:
    headers = {"ETag": f'"{reply.tag}"', "Cache-Control": "no-cache", "Connection": "close"}
    if status is not HTTPStatus.NOT_MODIFIED:
        headers |= {"Content-Type": reply.type, "Content-Length": str(size), "X-Content-Type-Options": "nosniff"}
    if status is HTTPStatus.UNAUTHORIZED:
        headers["WWW-Authenticate"] = 'Bearer realm="skillbag"'
    if status is HTTPStatus.METHOD_NOT_ALLOWED:
        headers["Allow"] = "GET, HEAD"
    lines = [f"HTTP/1.1 {status.value} {status.phrase}", *(f"{name}: {value}" for name, value in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode("ascii")


def _refusal(status: int, message: str) -> Reply:
    data = json.dumps({"error": message}).encode("ascii")
    return Reply(status, JSON, sha256(data).hexdigest(), data)
