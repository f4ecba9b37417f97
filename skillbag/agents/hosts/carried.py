"""What each door can't carry of the nine phases of hooks, as data (skill runtime, section 6).

`docs/runtime-hosts.md` has the same table. The user gets a message at the activation of a skill that has such a hook.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

_NO_MESSAGES = "MCP has no messages of a conversation, so this never fires"

LIMITS: Mapping[str, Mapping[str, str]] = {
    "claude": {
        "OnBeforePromptBuild": "Claude Code's own system prompt can't be replaced; additions are context of a message",
        "OnAfterToolResult": "the result of a failed call, or one without text, stays; a changed text is added to it",
        "OnAfterResponse": "Claude Code has shown the answer already; a changed one is shown to you as a message",
    },
    "mcp": {
        "OnConversationStart": _NO_MESSAGES,
        "OnBeforePromptBuild": _NO_MESSAGES,
        "OnBeforeToolCall": "only calls of this server's tools are seen",
        "OnAfterToolResult": "only results of this server's tools are seen",
        "OnAfterResponse": "MCP has no messages of a conversation, so this fires only in calls of `skill_transform`",
    },
    "plugin": {
        "OnBeforePromptBuild": "the host's own system prompt can't be replaced; additions are injected",
        "OnAfterToolResult": "of the host's own tools only where the host has the hook `pre_tool_output`",
        "OnAfterResponse": "the host shows the answer unchanged",
    },
    "host": {},
    "python": {},
}
"""By the name of a door: sentences by phase. What is not named here works in full."""


def limits_of(door: str, skill: str, phases: Iterable[str]) -> tuple[str, ...]:
    """Sentences about the hooks of a skill that the door carries in part, or not at all."""
    limits = LIMITS[door]
    return tuple(
        f'skill "{skill}", {phase}: {limits[phase]}' for phase in dict.fromkeys(map(str, phases)) if phase in limits
    )
