"""The client whose request is running, for what the request asks of it meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp_types import ClientCapabilities

from skillbag.agents.mcp_server.open_calls import Answers

Context = ServerRequestContext[Any, Any]

_current: ContextVar[Context | None] = ContextVar("client", default=None)
_answers: ContextVar[Answers | None] = ContextVar("answers", default=None)


@contextmanager
def asking(context: Context, answers: Answers | None = None) -> Iterator[None]:
    """Within the block, also in threads that it waits for, this client is asked. `answers` are those that the call has
    brought with it; None if it can't come again."""
    tokens = _current.set(context), _answers.set(answers)
    try:
        yield
    finally:
        _current.reset(tokens[0])
        _answers.reset(tokens[1])


def brought_answers() -> Answers | None:
    """The answers that the running call has brought with it; None if it can't come again."""
    return _answers.get()


def client_that_can(capability: ClientCapabilities) -> Context | None:
    """The client, if there is one and it has the capability."""
    context = _current.get()
    return context if context and context.session.check_client_capability(capability) else None
