"""A registry over HTTP: an application for uvicorn, one request a connection. uvicorn is an extra: import this late.

A slow client holds no thread: connections wait in uvicorn's event loop, the store is read by a few threads.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

import uvicorn

from skillbag.kernel.base.http_connections import patient_protocol
from skillbag.supply.registry.access import ClientAccess
from skillbag.supply.registry.answers import JSON, HttpResponse, RequestRefusedError, answer
from skillbag.supply.registry.store import DamagedVersionError, RegistryStore

if TYPE_CHECKING:
    from uvicorn._types import ASGIReceiveCallable, ASGISendCallable, HTTPScope, Scope

_MAX_CONNECTIONS = 256
_BACKLOG = 128
_OTHER_DESCRIPTORS = 32
"""Descriptors besides those of connections: streams, imported libraries, the store while it is searched."""

_PIECE = 1 << 18
_REQUEST_SECONDS = 10.0
"""In which a connection must send its request."""

_ANSWER_SECONDS = 600.0
"""In which a client must take the answer: the longest download of `skillbag` itself."""

_LONGEST_TARGET = 4096
_LONGEST_LOGGED = 300

Log = Callable[[str], None]


class RegistryService(NamedTuple):
    """What is served, to whom, and where each request is logged: one line that may hold anything a client sends."""

    store: RegistryStore
    access: ClientAccess
    log: Log


def serve(registry: RegistryService, listener: socket.socket, ready: Callable[[], None]) -> None:
    """Serve until SIGINT, SIGTERM or SIGHUP; `ready` is called when these end it."""
    most = _most_connections()
    config = uvicorn.Config(
        _application(registry),
        http=patient_protocol(most, _REQUEST_SECONDS, _ANSWER_SECONDS),
        # As many are accepted in one turn of the loop as there is room for.
        backlog=min(_BACKLOG, most),
        limit_concurrency=2 * most,
        log_config=None,
        log_level="error",
        access_log=False,
        lifespan="off",
        loop="asyncio",
        ws="none",
        proxy_headers=False,
        server_header=False,
        date_header=False,
    )
    _Server(config, ready).run(sockets=[listener])


class _Server(uvicorn.Server):
    """A server that a signal ends at once, with exit code 0."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for connection in tuple(self.server_state.connections):
            connection.transport.abort()
        await super().shutdown(sockets)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """End by our signals, without raising them again afterwards."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            # Under `nohup` a signal is ignored, and stays so.
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self.handle_exit)
        yield


def _most_connections() -> int:
    """The connections for which there are descriptors: each may have a file and a successor."""
    # Windows does not have this module; the command refuses to run there.
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _OTHER_DESCRIPTORS + 3 * _MAX_CONNECTIONS
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    if soft == resource.RLIM_INFINITY:
        return _MAX_CONNECTIONS
    return max(1, min(_MAX_CONNECTIONS, (soft - _OTHER_DESCRIPTORS) // 3))


def _application(registry: RegistryService) -> Callable[[Scope, ASGIReceiveCallable, ASGISendCallable], object]:
    """The registry as an ASGI application."""

    async def serve_one(scope: Scope, _receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
        if scope["type"] != "http":
            return
        begun = time.monotonic()
        headers = _headers(scope)
        reply = await asyncio.to_thread(_reply, registry, scope, headers)
        status = 304 if reply.status == 200 and _has(headers, reply.tag) else reply.status
        try:
            await _send(reply, status, send, with_body=status != 304 and scope["method"] != "HEAD")
        finally:
            if not isinstance(reply.body, bytes):
                reply.body.close()
            # Without the query, which is what a person has typed.
            path = scope["raw_path"].decode("latin-1")[:_LONGEST_LOGGED]
            took = (time.monotonic() - begun) * 1000
            peer = (scope["client"] or ("-",))[0]
            registry.log(f"{peer} {scope['method']} {path} {status} {took:.0f} ms")

    return serve_one


def _headers(scope: HTTPScope) -> Mapping[str, str]:
    """The headers by their names in lower case; the values of one that is given several times are joined."""
    found: dict[str, str] = {}
    for raw_name, raw_value in scope["headers"]:
        name, value = raw_name.decode("latin-1"), raw_value.decode("latin-1")
        found[name] = f"{found[name]}, {value}" if name in found else value
    return found


def _reply(registry: RegistryService, scope: HTTPScope, headers: Mapping[str, str]) -> HttpResponse:
    """The answer to a request, also where it is refused."""
    try:
        registry.access.check(headers)
        if "transfer-encoding" in headers or headers.get("content-length", "0") != "0":
            raise RequestRefusedError(400, "a request has no body")
        if scope["method"] not in ("GET", "HEAD"):
            raise RequestRefusedError(405, "only GET and HEAD are known")
        target = b"?".join(filter(None, (scope["raw_path"], scope["query_string"]))).decode("latin-1")
        if len(target) > _LONGEST_TARGET or not target.startswith("/"):
            raise RequestRefusedError(400, f"a request is for a path of at most {_LONGEST_TARGET} bytes")
        return answer(registry.store, target)
    except RequestRefusedError as error:
        return _refusal(error.status, str(error))
    except (DamagedVersionError, OSError) as error:
        registry.log(f"error: {error}")
        return _refusal(500, "the registry can't read what was published; its log says more")


def _has(headers: Mapping[str, str], tag: str) -> bool:
    """Whether the client has the content of this digest already."""
    named = headers.get("if-none-match", "")
    return f'"{tag}"' in {each.strip().removeprefix("W/") for each in named.split(",")}


async def _send(reply: HttpResponse, status: int, send: ASGISendCallable, *, with_body: bool) -> None:
    head = [(name.encode("ascii"), value.encode("ascii")) for name, value in _answer_headers(reply, status).items()]
    await send({"type": "http.response.start", "status": status, "headers": head, "trailers": False})
    if with_body:
        for piece in _pieces(reply.body):
            await send({"type": "http.response.body", "body": piece, "more_body": True})
    await send({"type": "http.response.body", "body": b"", "more_body": False})


def _pieces(body: bytes | BinaryIO) -> Iterator[bytes]:
    if isinstance(body, bytes):
        yield body
        return
    while piece := body.read(_PIECE):
        yield piece


def _answer_headers(reply: HttpResponse, status: int) -> dict[str, str]:
    headers = {"ETag": f'"{reply.tag}"', "Cache-Control": "no-cache", "Connection": "close"}
    if status != 304:
        size = len(reply.body) if isinstance(reply.body, bytes) else os.fstat(reply.body.fileno()).st_size
        headers |= {"Content-Type": reply.type, "Content-Length": str(size), "X-Content-Type-Options": "nosniff"}
    if status == 401:
        headers["WWW-Authenticate"] = 'Bearer realm="skillbag"'
    if status == 405:
        headers["Allow"] = "GET, HEAD"
    return headers


def _refusal(status: int, message: str) -> HttpResponse:
    data = json.dumps({"error": message}).encode("ascii")
    return HttpResponse(status, JSON, sha256(data).hexdigest(), data)
