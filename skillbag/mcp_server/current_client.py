"""The client whose request is running, for what the request asks of it meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp_types import ClientCapabilities

Context = ServerRequestContext[Any, Any]

_current: ContextVar[Context | None] = ContextVar("client", default=None)


@contextmanager
def asking(context: Context) -> Iterator[None]:
    """Within the block, also in threads that it waits for, this client is asked."""
    token = _current.set(context)
    try:
        yield
    finally:
        _current.reset(token)


def client_that_can(capability: ClientCapabilities) -> Context | None:
    """The client, if there is one and it has the capability."""
    context = _current.get()
    return context if context and context.session.check_client_capability(capability) else None
