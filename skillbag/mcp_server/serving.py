"""Serving until the client is gone or a signal comes, and leaving nothing behind."""

from __future__ import annotations

import logging
import signal
import socket
import sys
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import anyio
from anyio.abc import TaskStatus
from mcp.server.lowlevel.server import Server

from skillbag.mcp_server.app import make_server
from skillbag.mcp_server.core import Core
from skillbag.mcp_server.preload import warm_up
from skillbag.mcp_server.watching import watch_skills
from skillbag.settings.scope import Scope

_PATIENCE = 3.0
"""Seconds that a change of files gets to come to its end; cut off, the next one would bring it there."""

_PAUSE = 0.05
"""Seconds in which an answer is surely on its way."""

Transport = Callable[[Server[Any]], Awaitable[None]]


def serve(
    scope: Scope,
    listening: socket.socket | None = None,
    on_ready: Callable[[], None] = lambda: None,
    token: str = "",
) -> None:
    """Serve over standard input and output, or whoever connects and shows the `token`, until the end of the input or of
    the process.

    `on_ready` is called when clients are served and a signal ends it as it should.

    Raises:
        OSError: standard input or output can't be used.
    """
    from skillbag.permissions.active import clear_active_skill
    from skillbag.scripts.processes import kill_running

    _log_to_standard_error()
    clear_active_skill(scope)
    core = Core(scope)
    try:
        transport = partial(_over_pipes, core) if listening is None else partial(_over_http, listening, token)
        anyio.run(_serve, core, scope, transport, on_ready)
    finally:
        kill_running()
        core.threads.wait_for_writer(_PATIENCE)
        if git := sys.modules.get("skillbag.sources.git_command"):
            git.end_all()


async def _serve(core: Core, scope: Scope, transport: Transport, on_ready: Callable[[], None]) -> None:
    async with anyio.create_task_group() as group:
        await group.start(_end_by_signal, group.cancel_scope)
        group.start_soon(core.changes.run)
        group.start_soon(_after_the_first_listing, core, scope)
        server = make_server(core)
        on_ready()
        await transport(server)
        group.cancel_scope.cancel()


async def _after_the_first_listing(core: Core, scope: Scope) -> None:
    """What takes time and nobody waits for: the client has an answer, and thinks."""
    await core.changes.listed.wait()
    await anyio.sleep(_PAUSE)
    await core.threads.read(partial(warm_up, scope))
    await watch_skills(scope, core.changes)


async def _over_pipes(core: Core, server: Server[Any]) -> None:
    from skillbag.mcp_server.stdio import standard_streams

    async with standard_streams(core.changes.listen.close) as streams:
        await server.run(*streams, server.create_initialization_options())


async def _over_http(listening: socket.socket, token: str, server: Server[Any]) -> None:
    from skillbag.mcp_server.http import serve_http

    await serve_http(server, listening, token)


async def _end_by_signal(scope: anyio.CancelScope, *, task_status: TaskStatus[None]) -> None:
    if sys.platform == "win32":
        task_status.started()
        return
    ends = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    # What we were started to ignore, as by `nohup` or a shell's `&`, stays ignored.
    with anyio.open_signal_receiver(*(one for one in ends if signal.getsignal(one) is not signal.SIG_IGN)) as signals:
        task_status.started()
        async for _ in signals:
            scope.cancel()


class _Shown(logging.Formatter):
    """What is logged may repeat what a client or a file says."""

    def format(self, record: logging.LogRecord) -> str:
        from skillbag.report.sanitize import shown_page

        return shown_page(super().format(record))


def _log_to_standard_error() -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Shown("%(name)s: %(message)s"))
    logging.basicConfig(handlers=[handler], level=logging.ERROR, force=True)
    logging.getLogger("skillbag").setLevel(logging.WARNING)
