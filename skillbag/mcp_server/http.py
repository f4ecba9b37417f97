"""The protocol over streamable HTTP, for clients on this machine alone."""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Iterator
from typing import Any, NamedTuple

from skillbag.base.errors import UserError

PATH = "/mcp"
LONGEST_BODY = 4 << 20

_MOST_SESSIONS = 512
_MOST_CONNECTIONS = 1024
_HOSTS = {"127.0.0.1": socket.AF_INET, "localhost": socket.AF_INET, "::1": socket.AF_INET6}


class Endpoint(NamedTuple):
    """Where to listen. Port 0 stands for any that is free."""

    host: str
    port: int


def parse_endpoint(text: str) -> Endpoint:
    """What `[HOST:]PORT` says.

    Raises:
        UserError: it is malformed, or the host is another machine's.
    """
    host, _, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]") or "127.0.0.1"
    if host not in _HOSTS:
        told = "only this machine may connect: name 127.0.0.1, [::1] or localhost, or the port alone"
        raise UserError(f"--http {text!r}: {told}")
    if not (port.isascii() and port.isdigit() and len(port) <= 5 and int(port) < 1 << 16):
        raise UserError(f"--http {text!r}: the port must be a number from 0 (any that is free) to 65535")
    return Endpoint("127.0.0.1" if host == "localhost" else host, int(port))


def listening(place: Endpoint) -> socket.socket:
    """A socket that clients can connect to from now on.

    Raises:
        OSError: the port is taken, or may not be used; the message says what to do.
    """
    try:
        return socket.create_server(place, family=_HOSTS[place.host], backlog=128)
    except OSError as error:
        # What the error says itself goes on with the address as Python has it.
        why = os.strerror(error.errno) if error.errno else str(error)
        told = f"{why}; take another port, or 0 for any that is free"
        raise OSError(error.errno, told, f"--http {place.host}:{place.port}") from error


def address_of(one: socket.socket) -> str:
    """The URL that a client is given."""
    host, port = one.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}{PATH}"


def token_name(one: socket.socket) -> str:
    """What the file of the token is called by: no two servers share it."""
    host, port = one.getsockname()[:2]
    return f"{'ipv6-' if ':' in host else ''}{port}"


async def serve_http(server: Any, one: socket.socket, token: str) -> None:
    """Serve whoever connects and shows the token, until it is cancelled."""
    import uvicorn

    from skillbag.mcp_server.gate import guarded, making_room, timely_protocol

    app = server.streamable_http_app(
        # With one of these three the SDK holds `Host` and `Origin` to this machine: no web page gets through.
        host="127.0.0.1",
        streamable_http_path=PATH,
        max_request_body_size=LONGEST_BODY,
        max_sessions=_MOST_SESSIONS,
    )
    config = uvicorn.Config(
        guarded(making_room(app, server.session_manager, _MOST_SESSIONS), token),
        http=timely_protocol(),
        log_config=None,
        access_log=False,
        lifespan="off",
        loop="asyncio",
        ws="none",
        limit_concurrency=_MOST_CONNECTIONS,
        server_header=False,
    )

    class _Unsignalled(uvicorn.Server):
        @contextlib.contextmanager
        def capture_signals(self) -> Iterator[None]:
            """Signals are ours."""
            yield

    async with server.session_manager.run():
        await _Unsignalled(config).serve(sockets=[one])
