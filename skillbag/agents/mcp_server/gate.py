"""Access to the protocol over HTTP: the bearer token, whole requests, and limits on idle sessions and connections.

Every account on this machine can connect to a port, and the tools act as the user who started the server. So clients
send a token, which is made at each start and lies in a file that only its owner can read.
"""

from __future__ import annotations

import contextlib
import hmac
import json
import os
import secrets
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from skillbag.kernel.base.user_dirs import state_folder
from skillbag.kernel.fs.atomic import write_atomic

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_SESSION = b"mcp-session-id"


@dataclass(frozen=True, slots=True)
class Token:
    """`path` (absolute) is the file with the `value`, which is never printed."""

    value: str = field(repr=False)
    path: str


@contextlib.contextmanager
def token_file(name: str) -> Iterator[Token]:
    """A new token, in the file `<name>.token` of the user's state folder during the block.

    The file of a killed server is replaced: only one server can have the port.

    Raises:
        UserError: the variable that names the state folder holds no absolute path.
        OSError: the file can't be written, or its folder belongs to another user.
    """
    folder = os.path.join(state_folder(), "mcp")
    token = Token(secrets.token_urlsafe(32), os.path.join(folder, f"{name}.token"))
    _make_private(folder)
    # An existing file would keep its mode.
    with contextlib.suppress(FileNotFoundError):
        os.unlink(token.path)
    data = f"{token.value}\n".encode("ascii")
    write_atomic(token.path, data, root=folder, mode=0o600, overwrite=False, durable=False)
    try:
        yield token
    finally:
        # Another server may have written its own file since.
        with contextlib.suppress(OSError):
            with open(token.path, "rb") as file:
                is_ours = file.read(len(data) + 1) == data
            if is_ours:
                os.unlink(token.path)


def _make_private(folder: str) -> None:
    os.makedirs(os.path.dirname(folder), mode=0o700, exist_ok=True)
    with contextlib.suppress(FileExistsError):
        os.mkdir(folder, mode=0o700)
    if os.name != "posix":
        return
    status = os.lstat(folder)
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
        message = "this folder is not yours, so another user could read the token; remove it"
        raise PermissionError(1, message, folder)
    if stat.S_IMODE(status.st_mode) & 0o077:
        os.chmod(folder, 0o700)


def guarded(app: ASGIApp, token: str) -> ASGIApp:
    """The application behind `Authorization: Bearer` with the token; 401 without it."""
    expected = token.encode("ascii")

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        given = [value for name, value in scope["headers"] if name == b"authorization"]
        scheme, _, shown = given[0].partition(b" ") if len(given) == 1 else (b"", b"", b"")
        if scheme.lower() == b"bearer" and hmac.compare_digest(shown.strip(), expected):
            await app(scope, receive, send)
        else:
            await _refuse(send, b', error="invalid_token"' if given else b"")

    return serve


async def _refuse(send: Send, error: bytes) -> None:
    message = "send Authorization: Bearer with the token in the file that skillbag agent mcp named when it started"
    body = json.dumps({"error": "unauthorized", "error_description": message}).encode()
    headers = [
        (b"www-authenticate", b'Bearer realm="skillbag"' + error),
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": 401, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def with_whole_bodies(app: ASGIApp, longest: int) -> ASGIApp:
    """The application for requests whose body has arrived, or more than `longest` bytes of it.

    A client that leaves within the body expects no answer; the SDK would print a traceback.
    """

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        arrived: list[Message] = []
        size, has_more = 0, True
        while has_more and size <= longest:
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            arrived.append(message)
            size += len(message.get("body", b""))
            has_more = message.get("more_body", False)

        async def again() -> Message:
            return arrived.pop(0) if arrived else await receive()

        await app(scope, again, send)

    return serve


def limited_sessions(app: ASGIApp, manager: Any, most: int) -> ASGIApp:
    """The application with at most `most` sessions of the SDK's `manager`.

    A new session replaces the one that has been idle longest; its client gets a 404 and starts again.
    """
    used: dict[str, float] = {}

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        session = next((value.decode("latin-1") for name, value in scope["headers"] if name == _SESSION), None)
        # The SDK does not expose its sessions.
        sessions = manager._server_instances
        if session is not None:
            if session in sessions:
                used[session] = time.monotonic()
        elif len(sessions) >= most:
            for gone in used.keys() - sessions.keys():
                del used[gone]
            idle = [name for name, transport in sessions.items() if not transport._requests_in_flight]
            if idle:
                oldest = min(idle, key=lambda name: used.get(name, 0.0))
                await manager._discard_session(oldest, sessions[oldest])
        await app(scope, receive, send)

    return serve
