"""Who is told that skills came or went: clients of both eras of the protocol, at most a few times a second."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING
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

from skillbag.mcp_server.executor import Threads

if TYPE_CHECKING:
    from skillbag.agent.tool import Offer

_PAUSE = 0.25
"""Seconds between two looks at what there is."""

_PATIENCE = 5.0
"""Seconds that a client may take to accept a notification; it is left without it then."""

_MOST_LISTENERS = 64


class Changes:
    """Compares what there is with what was last told. Until some client has listed anything there is nothing to tell.

    A client that shook hands is told over its connection; one of the later era, which does not, by its subscription.
    """

    def __init__(self, offered: Callable[[], Offer], threads: Threads) -> None:
        """`offered` gives the tools as they are now."""
        self._offered = offered
        self._threads = threads
        self._bus = InMemorySubscriptionBus()
        self.listen = ListenHandler(self._bus, max_subscriptions=_MOST_LISTENERS)
        self._clients: WeakSet[Connection] = WeakSet()
        self._hint, self._hints = anyio.create_memory_object_stream[None](1)
        self._known: object = None
        self._files_differ = False
        self._updated: set[str] = set()
        self.listed = anyio.Event()

    def add_client(self, client: Connection) -> None:
        """Tell this client as long as it is connected."""
        self._clients.add(client)

    def note_listed(self, offer: Offer) -> None:
        """Some client is told of these; the first time that is what later changes are measured by."""
        if not self.listed.is_set():
            self._known = _signature(offer)
            self.listed.set()

    def note_files(self, updated: Iterable[str], *, differ: bool) -> None:
        """Files of skills changed: the addresses of those that were written; `differ`: some came or went."""
        self._updated.update(updated)
        self._files_differ = self._files_differ or differ
        self.look_soon()

    def look_soon(self) -> None:
        """Something may have come or gone."""
        if not self._hint.statistics().current_buffer_used:
            self._hint.send_nowait(None)

    async def run(self) -> None:
        """Look whenever there is a hint, for as long as it is not cancelled."""
        async for _ in self._hints:
            await self._look()
            await anyio.sleep(_PAUSE)

    async def _look(self) -> None:
        from skillbag.base.errors import UserError

        if not self.listed.is_set():
            return
        files_differ, self._files_differ = self._files_differ, False
        updated, self._updated = self._updated, set()
        try:
            signature = _signature(await self._threads.read(self._offered))
        except (UserError, OSError):
            # Half written, it may be; when it is whole there is another hint.
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
                    group.start_soon(_tell, client, differs)


async def _tell(client: Connection, differs: bool) -> None:
    with anyio.move_on_after(_PATIENCE):
        if differs:
            await client.send_tool_list_changed()
            await client.send_prompt_list_changed()
        await client.send_resource_list_changed()


def _signature(offer: Offer) -> object:
    """What tells two offers apart; the remarks tell of skills that have no tool."""
    return [(tool.name, tool.description) for tool in offer.tools], offer.remarks
