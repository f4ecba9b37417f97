"""The functions of the host that a skill's code calls, and what they need (skill runtime, sections 7.2 and 7.3)."""

from __future__ import annotations

from collections.abc import Mapping

from skillbag.kernel.manifest.names import Permission

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

HOOK_PHASES = (
    "OnActivate",
    "OnDeactivate",
    "OnConversationStart",
    "OnBeforePromptBuild",
    "OnBeforeToolCall",
    "OnAfterToolResult",
    "OnAfterResponse",
    "OnBeforeWikiSection",
    "OnSecurityScanComplete",
)
"""The phases of hooks (skill runtime, section 6)."""
