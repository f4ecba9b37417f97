"""State that all handlers share: the scope, the threads, and the notifications of changes."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, TypeVar

from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS

from skillbag.agents.mcp_server.active import ServerRuntime
from skillbag.agents.mcp_server.executor import Threads
from skillbag.agents.mcp_server.notifications import ToolListNotifier
from skillbag.agents.settings.scope import Scope
from skillbag.agents.tools.registry import offered_tools
from skillbag.agents.tools.tool import OfferedTools
from skillbag.kernel.base.errors import UserError, format_error
from skillbag.kernel.base.short_hash import short_hash
from skillbag.report.sanitize import exact
from skillbag.session.refresh.state import new_id

Context = ServerRequestContext[Any, Any]
T = TypeVar("T")
log = logging.getLogger("skillbag.mcp")


class Core:
    """State of one server. `scope.session` is the session of all clients; without one each client has its own."""

    def __init__(self, scope: Scope) -> None:
        scope = self._scope = scope._replace(limited=True)
        self._session = scope.session or new_id()
        self._remarked: set[str] = set()
        self.threads = Threads()
        self.changes = ToolListNotifier(lambda: self.offer(scope), self.threads)
        self.active = ServerRuntime(scope._replace(session=self._session), self._note)

    def scope_of(self, context: Context) -> Scope:
        """The scope of a request: each session of the protocol (HTTP only) has its own, all others share one."""
        headers = {} if context.request is None else context.request.headers
        client = headers.get("mcp-session-id")
        if client is None or self._scope.session is not None:
            return self._scope._replace(session=self._session)
        return self._scope._replace(session=short_hash(client, 16))

    async def ask(self, context: Context, work: Callable[[Scope], T]) -> T:
        """Run `work` for the request's scope in a thread; its failures become errors of the protocol."""
        scope = self.scope_of(context)
        try:
            return await self.threads.read(lambda: work(scope))
        except MCPError:
            raise
        except UserError as error:
            raise MCPError(INVALID_PARAMS, exact(str(error))) from error
        except OSError as error:
            raise MCPError(INTERNAL_ERROR, exact(format_error(error))) from error
        except Exception as error:
            log.exception("%s failed", context.method)
            raise MCPError(INTERNAL_ERROR, internal(error)) from error

    async def listed(self, context: Context) -> OfferedTools:
        """The tools, for a client that lists what they are or what belongs to them."""
        offer = await self.ask(context, self.offer)
        self.changes.note_listed(offer)
        return offer

    def offer(self, scope: Scope) -> OfferedTools:
        """The tools. If the catalog can't be read, the built-in ones: calling one reports why."""
        more = self.active.tools()
        try:
            offer = offered_tools(scope, more)
            remarks = offer.remarks
        except (UserError, OSError) as error:
            offer = offered_tools(scope._replace(root=None, personal=None), more)
            remarks = (format_error(error),)
        for remark in remarks:
            self._note(remark)
        return offer

    def _note(self, remark: str) -> None:
        """Tell the user a sentence, once."""
        if remark not in self._remarked:
            self._remarked.add(remark)
            log.warning("%s", remark)


def internal(error: Exception) -> str:
    """The message for a bug; its traceback is on standard error."""
    return exact(f"internal error: {type(error).__name__}: {error}")
