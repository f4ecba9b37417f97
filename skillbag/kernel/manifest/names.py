"""The words of a manifest: types, permissions and backends (skill runtime, sections 1 and 5)."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from skillbag.kernel.workspace.target import MANIFEST_FILE as MANIFEST_FILE


class SkillType(StrEnum):
    """What an active skill brings."""

    TOOL = "tool"
    PROMPT = "prompt"
    WORKFLOW = "workflow"
    SECURITY_RULE = "security-rule"
    TRANSFORM = "transform"


class Category(StrEnum):
    """The subject of a skill."""

    DEVELOPMENT = "development"
    PRODUCTIVITY = "productivity"
    LEARNING = "learning"
    SECURITY = "security"
    TESTING = "testing"


class Permission(StrEnum):
    """What a skill may be allowed to do; each operation of each backend needs one, and so does a hook on the calls of
    others."""

    FILE_READ = "file:read"
    FILE_WRITE = "file:write"
    SHELL_EXEC = "shell:exec"
    NET_FETCH = "net:fetch"
    LLM_CALL = "llm:call"
    GIT_READ = "git:read"
    GIT_WRITE = "git:write"
    ENV_READ = "env:read"
    ENV_WRITE = "env:write"
    SKILL_INVOKE = "skill:invoke"
    HOOK_OBSERVE = "hook:observe"
    HOOK_CHANGE = "hook:change"


RISKS: Mapping[Permission, str] = {
    Permission.FILE_READ: "low",
    Permission.FILE_WRITE: "medium",
    Permission.SHELL_EXEC: "high",
    Permission.NET_FETCH: "medium",
    Permission.LLM_CALL: "medium",
    Permission.GIT_READ: "low",
    Permission.GIT_WRITE: "medium",
    Permission.ENV_READ: "medium",
    Permission.ENV_WRITE: "high",
    Permission.SKILL_INVOKE: "low",
    Permission.HOOK_OBSERVE: "medium",
    Permission.HOOK_CHANGE: "high",
}
"""The risk of each permission: low, medium or high."""


class BackendKind(StrEnum):
    """What runs the code of a skill."""

    STARLARK = "starlark"
    PLUGIN = "plugin"
    PROCESS = "process"
    MCP = "mcp"


class ExecutionMode(StrEnum):
    """A mark for the host: whether it runs the skill in its own conversation or in a forked one."""

    INLINE = "inline"
    FORK = "fork"


class Platform(StrEnum):
    """An operating system."""

    LINUX = "linux"
    DARWIN = "darwin"
    WINDOWS = "windows"
