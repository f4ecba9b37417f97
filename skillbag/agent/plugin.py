"""Our side of the executable plugin protocol: schema, calls, hooks, direct use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from skillbag.agent.scope import Scope

HOOKS = ("on_start", "post_system_prompt", "pre_tool")


def schema(scope: Scope) -> list[dict[str, Any]]:
    """What `--schema` prints: `name`, `description`, `parameters` of each tool, and the hooks at the first one."""
    raise NotImplementedError


def handle_hook(scope: Scope, hook: str, data: Mapping[str, Any]) -> dict[str, Any]:
    """The answer to a hook: `{}`, or what is to be injected or blocked. An unknown hook is answered with `{}`."""
    raise NotImplementedError
