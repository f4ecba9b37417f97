"""Notify clients of changed skills, by either version of the protocol, at most a few times a second."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from weakref import WeakSet

import anyio
from mcp.server.connection import Connection
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    PromptsListChanged,
    ResourcesListChanged,
    ResourceUpdated,
    ToolsListChanged,
)

from skillbag.agents.mcp_server.executor import Threads
from skillbag.agents.tools.tool import OfferedTools
from skillbag.kernel.base.errors import UserError

_PAUSE = 0.25
"""Seconds between two comparisons."""

_PATIENCE = 5.0
"""Seconds that a client may take to accept a notification; then it is skipped."""

_MAX_LISTENERS = 64


class ToolListNotifier:
    """Compares the tools with those last announced, once a client has listed any.

    Clients with a handshake are notified over their connection; those of later protocol versions by subscription.
    """

    def __init__(self, offered: Callable[[], OfferedTools], threads: Threads) -> None:
        """`offered` returns the current tools."""
        self._offered = offered
        self._threads = threads
        self._bus = InMemorySubscriptionBus()
        self.listen = ListenHandler(self._bus, max_subscriptions=_MAX_LISTENERS)
        self._clients: WeakSet[Connection] = WeakSet()
        self._hint, self._hints = anyio.create_memory_object_stream[None](1)
        self._known: object = None
        self._files_differ = False
        self._updated: set[str] = set()
        self.listed = anyio.Event()

    def add_client(self, client: Connection) -> None:
        """Notify this client while it is connected."""
        self._clients.add(client)

    def note_listed(self, offer: OfferedTools) -> None:
        """A client has listed these; the first list is what changes are compared with."""
        if not self.listed.is_set():
            self._known = _signature(offer)
            self.listed.set()

    def note_files(self, updated: Iterable[str], *, differ: bool) -> None:
        """Files of skills changed: `updated` are the URIs of those written; `differ`: some were added or removed."""
        self._updated.update(updated)
        self._files_differ = self._files_differ or differ
        self.look_soon()

    def look_soon(self) -> None:
        """Compare soon."""
        if not self._hint.statistics().current_buffer_used:
            self._hint.send_nowait(None)

    async def run(self) -> None:
        """Compare after each hint, until cancelled."""
        async for _ in self._hints:
            await self._look()
            await anyio.sleep(_PAUSE)

    async def _look(self) -> None:
        if not self.listed.is_set():
            return
        files_differ, self._files_differ = self._files_differ, False
        updated, self._updated = self._updated, set()
        try:
            signature = _signature(await self._threads.read(self._offered))
        except (UserError, OSError):
            # Perhaps half written; the next write is another hint.
            return
        differs, self._known = signature != self._known, signature
        for uri in sorted(updated):
            await self._bus.publish(ResourceUpdated(uri))
        if differs:
            await self._bus.publish(ToolsListChanged())
            await self._bus.publish(PromptsListChanged())
        if differs or files_differ:
            await self._bus.publish(ResourcesListChanged())
            async with anyio.create_task_group() as group:
                for client in list(self._clients):
                    group.start_soon(_notify, client, differs)


async def _notify(client: Connection, differs: bool) -> None:
    with anyio.move_on_after(_PATIENCE):
        if differs:
            await client.send_tool_list_changed()
            await client.send_prompt_list_changed()
        await client.send_resource_list_changed()


def _signature(offer: OfferedTools) -> object:
    """What makes two offers different; remarks are about skills without a tool."""
    return [(tool.name, tool.description, tool.parameters) for tool in offer.tools], offer.remarks
