"""The SDK's server with our handlers: run until the client disconnects or a signal arrives, then cleaned up."""

from __future__ import annotations

import logging
import signal
import socket
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import Any

import anyio
from anyio.abc import TaskStatus
from mcp.server.lowlevel.server import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp_types import NotificationParams

from skillbag import __version__
from skillbag.agents.mcp_server.core import Context, Core
from skillbag.agents.mcp_server.greeting import INSTRUCTIONS, NAME, TITLE, Greeting
from skillbag.agents.mcp_server.http import serve_http
from skillbag.agents.mcp_server.prompts import Prompts
from skillbag.agents.mcp_server.resources import Resources
from skillbag.agents.mcp_server.stdio import serve_stdio
from skillbag.agents.mcp_server.tools import ToolHandlers
from skillbag.agents.mcp_server.watching import watch_skills
from skillbag.agents.settings.scope import Scope
from skillbag.agents.tools.registry import call_tool, offered_tools
from skillbag.kernel.base.errors import UserError
from skillbag.kernel.processes.groups import kill_running
from skillbag.report.sanitize import shown_page

_PATIENCE = 3.0
"""Seconds that a running write gets to finish. An interrupted one is completed by the next write."""

_PAUSE = 0.05
"""Seconds in which the first answer is sent."""

Transport = Callable[[Server[Any]], Awaitable[None]]


def serve(
    scope: Scope, door: Greeting | socket.socket, on_ready: Callable[[], None] = lambda: None, token: str = ""
) -> None:
    """Serve over standard input and output, after the greeting there, or over HTTP with the `token` at the listening
    socket, until the input or the process ends.

    `on_ready` is called once clients are served and signals are handled.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_SanitizedFormatter("%(name)s: %(message)s"))
    logging.basicConfig(handlers=[handler], level=logging.ERROR, force=True)
    logging.getLogger("skillbag").setLevel(logging.WARNING)
    core = Core(scope)
    try:
        if isinstance(door, Greeting):
            anyio.run(
                _serve, core, scope, partial(serve_stdio, at_end=core.changes.listen.close, greeting=door), on_ready
            )
        else:
            anyio.run(_serve, core, scope, partial(serve_http, listener=door, token=token), on_ready)
    finally:
        core.active.close()
        kill_running()
        core.threads.wait_for_writer(_PATIENCE)
        if git := sys.modules.get("skillbag.supply.sources.git_command"):
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


class _Server(Server[Any]):
    """Announces to every client, over each transport, that its lists may change."""

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        *more: Any,
        **named: Any,
    ) -> InitializationOptions:
        """The SDK's, with the notifications that `ToolListNotifier` sends."""
        options = notification_options or NotificationOptions(True, True, True)
        return super().create_initialization_options(options, *more, **named)


def make_server(core: Core) -> Server[Any]:
    """The server, for either transport."""
    tools, resources, prompts = ToolHandlers(core), Resources(core), Prompts(core)
    server = _Server(
        NAME,
        version=__version__,
        title=TITLE,
        instructions=INSTRUCTIONS,
        # No argument is also sent as a header. Without this the SDK would list the tools at each call to find out.
        get_tool_input_schema=lambda name: None,
        on_list_tools=tools.list,
        on_call_tool=tools.call,
        on_list_resources=resources.list,
        on_list_resource_templates=resources.templates,
        on_read_resource=resources.read,
        on_list_prompts=prompts.list,
        on_get_prompt=prompts.get,
        on_subscriptions_listen=core.changes.listen,
    )

    async def note_client(context: Context, params: NotificationParams) -> None:
        # Only the connection can be notified later, and the SDK has no public way from a request to it.
        core.changes.add_client(context.session._connection)

    server.add_notification_handler("notifications/initialized", NotificationParams, note_client)
    return server


async def _after_the_first_listing(core: Core, scope: Scope) -> None:
    """Slow work, done while the client is busy with its first answer."""
    await core.changes.listed.wait()
    await anyio.sleep(_PAUSE)
    await core.threads.read(partial(_warm_up, scope))
    await watch_skills(scope, core.changes)


def _warm_up(scope: Scope) -> None:
    """Import what the first call of a skill needs: call the tool of one without a session, which changes nothing."""
    with suppress(UserError, OSError):
        import filelock  # noqa: F401

        import skillbag.session.refresh.refresh  # noqa: F401

        tool = next((tool for tool in offered_tools(scope).tools if tool.skill is not None), None)
        if tool:
            call_tool(scope._replace(session=None), tool.name, {})


async def _end_by_signal(scope: anyio.CancelScope, *, task_status: TaskStatus[None]) -> None:
    if sys.platform == "win32":
        task_status.started()
        return
    ends = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    # Signals that were ignored at the start (`nohup`, a shell's `&`) stay ignored.
    with anyio.open_signal_receiver(*(end for end in ends if signal.getsignal(end) is not signal.SIG_IGN)) as signals:
        task_status.started()
        async for _ in signals:
            scope.cancel()


class _SanitizedFormatter(logging.Formatter):
    """Masks secrets and control characters, which may come from a client or a file."""

    def format(self, record: logging.LogRecord) -> str:
        return shown_page(super().format(record))
