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


STARLARK_FUNCTIONS: Mapping[str, Permission] = {
    "read_file": Permission.FILE_READ,
    "list_dir": Permission.FILE_READ,
    "search_files": Permission.FILE_READ,
    "write_file": Permission.FILE_WRITE,
    "exec": Permission.SHELL_EXEC,
    "fetch": Permission.NET_FETCH,
    "llm_complete": Permission.LLM_CALL,
    "llm_json": Permission.LLM_CALL,
    "git_diff": Permission.GIT_READ,
    "git_log": Permission.GIT_READ,
    "git_status": Permission.GIT_READ,
    "git_add": Permission.GIT_WRITE,
    "git_commit": Permission.GIT_WRITE,
    "git_branch": Permission.GIT_WRITE,
    "env": Permission.ENV_READ,
    "set_env": Permission.ENV_WRITE,
    "invoke_skill": Permission.SKILL_INVOKE,
}
"""The host functions that need a permission, by their names in the protocol and in Starlark."""

STARLARK_NAMES = frozenset(
    (
        *STARLARK_FUNCTIONS,
        *("register_tool", "register_hook", "register_workflow", "register_scanner"),
        *("project_root", "project_language", "load_file", "log", "hook_result", "error"),
    )
)
"""All functions that the runtime adds to Starlark."""

_OF_PLUGINS = {"llm_complete": "complete", "llm_json": "complete_json", "env": "get_env"}
PLUGIN_METHODS: Mapping[str, Permission] = {
    _OF_PLUGINS.get(name, name): permission for name, permission in STARLARK_FUNCTIONS.items()
}
"""The methods of a plugin's context that need a permission."""

MODES = ("interactive", "headless", "wiki", "mcp", "plugin")
"""The modes that triggers can name (skill runtime, section 3)."""


class Phase(StrEnum):
    """When a hook fires (skill runtime, section 6)."""

    ACTIVATE = "OnActivate"
    DEACTIVATE = "OnDeactivate"
    CONVERSATION_START = "OnConversationStart"
    BEFORE_PROMPT_BUILD = "OnBeforePromptBuild"
    BEFORE_TOOL_CALL = "OnBeforeToolCall"
    AFTER_TOOL_RESULT = "OnAfterToolResult"
    AFTER_RESPONSE = "OnAfterResponse"
    BEFORE_WIKI_SECTION = "OnBeforeWikiSection"
    SECURITY_SCAN_COMPLETE = "OnSecurityScanComplete"


HOOK_PHASES = tuple(Phase)
