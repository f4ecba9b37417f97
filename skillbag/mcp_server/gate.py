"""Who gets through to the protocol over HTTP: those who show the token; and room for them beside idle ones."""

from __future__ import annotations

import hmac
import json
import time
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

Values = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Values]]
Send = Callable[[Values], Awaitable[None]]
App = Callable[[Values, Receive, Send], Awaitable[None]]

_SESSION = b"mcp-session-id"
_PATIENCE = 10.0
"""Seconds in which a connection must have asked something."""

_MOST_SILENT = 128
"""Connections that have not asked anything yet; with one more, the oldest of them is closed."""


def guarded(app: App, token: str) -> App:
    """The application for those who send `Authorization: Bearer` with the token; 401 for all others."""
    expected = token.encode("ascii")

    async def serve(scope: Values, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        given = [value for name, value in scope["headers"] if name == b"authorization"]
        scheme, _, shown = given[0].partition(b" ") if len(given) == 1 else (b"", b"", b"")
        if scheme.lower() == b"bearer" and hmac.compare_digest(shown.strip(), expected):
            await app(scope, receive, send)
        else:
            await _refuse(send, b', error="invalid_token"' if given else b"")

    return serve


async def _refuse(send: Send, why: bytes) -> None:
    told = "send Authorization: Bearer with the token that is in the file which skillbag mcp named when it started"
    body = json.dumps({"error": "unauthorized", "error_description": told}).encode()
    headers = [
        (b"www-authenticate", b'Bearer realm="skillbag"' + why),
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        # Whoever has no token need not stay.
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": 401, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def making_room(app: App, manager: Any, most: int) -> App:
    """The application, with at most so many sessions of the SDK's `manager`: a new one takes the place of the one that
    has been idle longest, whose client is told by 404 to begin again."""
    used: dict[str, float] = {}

    async def serve(scope: Values, receive: Receive, send: Send) -> None:
        session = next((value.decode("latin-1") for name, value in scope["headers"] if name == _SESSION), None)
        # The SDK has no public way to its sessions.
        sessions: dict[str, Any] = manager._server_instances
        if session is not None:
            if session in sessions:
                used[session] = time.monotonic()
        elif len(sessions) >= most:
            for gone in used.keys() - sessions.keys():
                del used[gone]
            idle = [name for name, one in sessions.items() if not one._requests_in_flight]
            if idle:
                oldest = min(idle, key=lambda name: used.get(name, 0.0))
                await manager._discard_session(oldest, sessions[oldest])
        await app(scope, receive, send)

    return serve


def timely_protocol() -> type[Any]:
    """The protocol of a connection: who connects and asks nothing is not waited for long, and makes way for others."""
    from uvicorn.protocols.http.h11_impl import H11Protocol

    silent: dict[Any, None] = {}

    class Timely(H11Protocol):
        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            silent[self] = None
            self._patience = self.loop.call_later(_PATIENCE, self._end_silence)
            if len(silent) > _MOST_SILENT:
                next(iter(silent))._end_silence()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self.cycle is not None:
                self._note_request()

        def connection_lost(self, exc: Exception | None) -> None:
            self._note_request()
            super().connection_lost(exc)

        def _note_request(self) -> None:
            self._patience.cancel()
            silent.pop(self, None)

        def _end_silence(self) -> None:
            self._note_request()
            self.transport.close()

    return Timely
