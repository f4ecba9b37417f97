"""Importing what the first call of a skill needs before anybody makes it."""

from __future__ import annotations

from contextlib import suppress

from skillbag.agent.registry import call_tool, offered_tools
from skillbag.base.errors import UserError
from skillbag.settings.scope import Scope


def warm_up(scope: Scope) -> None:
    """Call the tool of some skill outside of any session, which changes nothing, and import what a session needs."""
    with suppress(UserError, OSError):
        import filelock  # noqa: F401

        import skillbag.lifecycle.refresh  # noqa: F401

        some = next((tool for tool in offered_tools(scope).tools if tool.skill is not None), None)
        if some:
            call_tool(scope._replace(session=None), some.name, {})
