"""Import what the first call of a skill needs, ahead of that call."""

from __future__ import annotations

from contextlib import suppress

from skillbag.agent.registry import call_tool, offered_tools
from skillbag.base.errors import UserError
from skillbag.settings.scope import Scope


def warm_up(scope: Scope) -> None:
    """Call the tool of a skill without a session, which changes nothing, and import what a session needs."""
    with suppress(UserError, OSError):
        import filelock  # noqa: F401

        import skillbag.lifecycle.refresh  # noqa: F401

        tool = next((tool for tool in offered_tools(scope).tools if tool.skill is not None), None)
        if tool:
            call_tool(scope._replace(session=None), tool.name, {})
