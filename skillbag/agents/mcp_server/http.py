"""The protocol over streamable HTTP, for clients on this machine only."""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Iterator
from typing import Any, NamedTuple

from skillbag.agents.mcp_server.gate import guarded, limited_sessions, with_whole_bodies
from skillbag.kernel.base.errors import UserError

PATH = "/mcp"
LONGEST_BODY = 4 << 20

_MAX_SESSIONS = 512
_MAX_CONNECTIONS = 1024
_MAX_WAITING = 128
"""Connections that send no request or take no answer; beyond it the oldest of them is closed."""

_REQUEST_SECONDS = 10.0
"""Seconds in which a connection must send its first request."""

_HOSTS = {"127.0.0.1": socket.AF_INET, "localhost": socket.AF_INET, "::1": socket.AF_INET6}


class Endpoint(NamedTuple):
    """Where to listen. Port 0: any that is free."""

    host: str
    port: int


def parse_endpoint(text: str) -> Endpoint:
    """Parse `[HOST:]PORT`.

    Raises:
        UserError: it is malformed, or the host is another machine.
    """
    host, _, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]") or "127.0.0.1"
    if host not in _HOSTS:
        hint = "name 127.0.0.1, [::1] or localhost, or the port alone"
        raise UserError(f"--http {text!r}: only this machine may connect: {hint}")
    if not (port.isascii() and port.isdigit() and len(port) <= 5 and int(port) < 1 << 16):
        raise UserError(f"--http {text!r}: the port must be a number from 0 (any that is free) to 65535")
    return Endpoint("127.0.0.1" if host == "localhost" else host, int(port))


def listening(endpoint: Endpoint) -> socket.socket:
    """A socket that accepts connections.

    Raises:
        OSError: the port is taken, or may not be used; the message says what to do.
    """
    try:
        return socket.create_server(endpoint, family=_HOSTS[endpoint.host], backlog=128)
    except OSError as error:
        # `str(error)` would end with Python's form of the address.
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise OSError(
            error.errno,
            f"{reason}; take another port, or 0 for any that is free",
            f"--http {endpoint.host}:{endpoint.port}",
        ) from error


def address_of(listener: socket.socket) -> str:
    """The URL for clients."""
    host, port = listener.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}{PATH}"


def token_name(listener: socket.socket) -> str:
    """The name of the token's file, unique to this server while it runs."""
    host, port = listener.getsockname()[:2]
    return f"{'ipv6-' if ':' in host else ''}{port}"


async def serve_http(server: Any, listener: socket.socket, token: str) -> None:
    """Serve clients that send the token, until cancelled."""
    import uvicorn

    from skillbag.kernel.base.http_connections import patient_protocol

    app = server.streamable_http_app(
        # For a local host the SDK checks `Host` and `Origin`: no web page gets through.
        host="127.0.0.1",
        streamable_http_path=PATH,
        max_request_body_size=LONGEST_BODY,
        max_sessions=_MAX_SESSIONS,
    )
    app = limited_sessions(app, server.session_manager, _MAX_SESSIONS)
    config = uvicorn.Config(
        guarded(with_whole_bodies(app, LONGEST_BODY), token),
        http=patient_protocol(_MAX_WAITING, _REQUEST_SECONDS),
        log_config=None,
        access_log=False,
        lifespan="off",
        loop="asyncio",
        ws="none",
        limit_concurrency=_MAX_CONNECTIONS,
        server_header=False,
    )

    class _Unsignalled(uvicorn.Server):
        @contextlib.contextmanager
        def capture_signals(self) -> Iterator[None]:
            """Handled by `serving`."""
            yield

    async with server.session_manager.run():
        await _Unsignalled(config).serve(sockets=[listener])
