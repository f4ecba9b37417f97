"""Scopes of tools."""

from __future__ import annotations

from pathlib import Path

from skillbag.agent.registry import offered_tools
from skillbag.settings.scope import Scope


def scope(root: Path | None, personal: Path | None = None, *, user: bool = True) -> Scope:
    """A scope without a session."""
    return Scope(str(root) if root else None, str(personal) if personal else None, None, user)


def names(of: Scope) -> list[str]:
    """The names of the tools that a scope is offered."""
    return [tool.name for tool in offered_tools(of).tools]
