"""`allowed-tools`: which calls of other tools an active skill lets pass. What is not plainly allowed is blocked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from skillbag.agent.scope import Scope


def why_blocked(scope: Scope, tool: str, arguments: Mapping[str, Any] | None) -> str | None:
    """The message with which a call is blocked while a skill is active, None where it may go on.

    `Tool 'Write' is not allowed while skill 'aa' is active. Allowed tools: Read, Grep, Bash(git:*)`. Our own tools
    (`skill_*` and those of management and lifecycle) are never blocked.
    """
    raise NotImplementedError


def is_allowed(allowed_tools: str, tool: str, arguments: Mapping[str, Any] | None, root: str | None) -> bool:
    """Whether one of the patterns lets the call pass; relative paths and patterns of paths count from `root`."""
    raise NotImplementedError
