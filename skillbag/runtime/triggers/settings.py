"""The settings of the runtime (skill runtime, section 11): the user's, and what a workspace makes stricter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple

from skillbag.kernel.manifest.names import Permission
from skillbag.runtime.broker.limits import DEFAULTS, PerTurn, stricter
from skillbag.runtime.skill import FoundSkill, SkillSource, is_of_user
from skillbag.runtime.triggers.budget import DEFAULT_BUDGET, Budget
from skillbag.runtime.triggers.triggers import DEFAULT_THRESHOLD


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
    reads from standard input. A limit of None is none at all. `project_denied` and `project_threshold` are a
    workspace's own words about its own skills; `own_sandbox` is what the user says."""

    approved_skills: frozenset[str] = frozenset()
    denied_skills: frozenset[str] = frozenset()
    dirs: tuple[str, ...] = ()
    activation_threshold: int = DEFAULT_THRESHOLD
    per_turn: PerTurn = DEFAULTS
    budget: Budget = DEFAULT_BUDGET
    llm_command: tuple[str, ...] = ()
    sandbox: Sandbox = Sandbox.BEST_EFFORT
    mcp_servers: tuple[McpServer, ...] = ()
    project_denied: frozenset[str] = frozenset()
    project_threshold: int = 0
    own_sandbox: Sandbox | None = None

    def requires_sandbox(self, origin: str) -> bool:
        """Whether a skill of this origin runs only where it can be held. A workspace does not require that of the
        user's own, so that it can't keep a guard from its start."""
        own = self.own_sandbox if is_of_user(origin) else None
        return (own or self.sandbox) is Sandbox.REQUIRE

    def denies(self, skill: str, source: SkillSource) -> bool:
        """Whether a skill is never activated. A workspace says so of the project's skills only: a cloned repository
        must not switch off a guard of the user's."""
        return skill in self.denied_skills or (source is SkillSource.PROJECT and skill in self.project_denied)

    def denied_in_vain(self, skills: Iterable[FoundSkill]) -> tuple[str, ...]:
        """A sentence about each of these skills that only the workspace denies, though it is not the project's."""
        return tuple(
            f'the skill "{each.name}" is not the project\'s ({each.source}), so `denied_skills` of the workspace has '
            "no effect on it; to deny it, add it to `runtime.denied_skills` of your own settings"
            for each in skills
            if each.name in self.project_denied and not self.denies(each.name, each.source)
        )

    @property
    def thresholds(self) -> tuple[int, int]:
        """The score from which skills are activated, and that of the project's."""
        least = max(self.activation_threshold, 1)
        return least, max(least, self.project_threshold)


class WorkspaceLimits(NamedTuple):
    """What a workspace may set: it can only make the user's settings stricter. What it denies, and its threshold, are
    for the project's skills alone."""

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
        project_denied=workspace.denied_skills,
        project_threshold=workspace.activation_threshold,
        per_turn=stricter(settings.per_turn, {Permission(name): value for name, value in workspace.per_turn.items()}),
        budget=budget,
        sandbox=Sandbox.REQUIRE if is_required else settings.sandbox,
        own_sandbox=settings.sandbox,
    )
