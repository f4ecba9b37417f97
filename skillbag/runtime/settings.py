"""The settings of the runtime (skill runtime, section 11): the user's, and what a workspace makes stricter."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple

from skillbag.manifest.names import Permission
from skillbag.runtime.budget import DEFAULT_BUDGET, Budget
from skillbag.runtime.limits import DEFAULTS, PerTurn, stricter
from skillbag.runtime.triggers import DEFAULT_THRESHOLD


class Sandbox(StrEnum):
    """Whether a skill may run where the system can't hold it to its permissions."""

    REQUIRE = "require"
    BEST_EFFORT = "best-effort"


class McpServer(NamedTuple):
    """An MCP server that brings tools: a command with its arguments, or the `url` of one over HTTP."""

    name: str
    command: tuple[str, ...] = ()
    environment: Mapping[str, str] = {}
    url: str = ""


class RuntimeSettings(NamedTuple):
    """The settings. `dirs` are absolute folders that are searched for skills; `llm_command` completes a prompt that it
    reads from standard input. A limit of None is none at all."""

    approved_skills: frozenset[str] = frozenset()
    denied_skills: frozenset[str] = frozenset()
    dirs: tuple[str, ...] = ()
    activation_threshold: int = DEFAULT_THRESHOLD
    per_turn: PerTurn = DEFAULTS
    budget: Budget = DEFAULT_BUDGET
    llm_command: tuple[str, ...] = ()
    sandbox: Sandbox = Sandbox.BEST_EFFORT
    mcp_servers: tuple[McpServer, ...] = ()


class WorkspaceLimits(NamedTuple):
    """What a workspace may set: it can only make the user's settings stricter."""

    denied_skills: frozenset[str] = frozenset()
    activation_threshold: int = 0
    per_turn: PerTurn = MappingProxyType({})
    budget: Budget | None = None
    sandbox: Sandbox = Sandbox.BEST_EFFORT


def limited(settings: RuntimeSettings, workspace: WorkspaceLimits) -> RuntimeSettings:
    """The settings of the user as a workspace limits them."""
    budget = settings.budget
    if workspace.budget:
        budget = Budget(*map(min, budget, workspace.budget))
    is_required = Sandbox.REQUIRE in (settings.sandbox, workspace.sandbox)
    return settings._replace(
        denied_skills=settings.denied_skills | workspace.denied_skills,
        activation_threshold=max(settings.activation_threshold, workspace.activation_threshold),
        per_turn=stricter(settings.per_turn, {Permission(name): value for name, value in workspace.per_turn.items()}),
        budget=budget,
        sandbox=Sandbox.REQUIRE if is_required else settings.sandbox,
    )
