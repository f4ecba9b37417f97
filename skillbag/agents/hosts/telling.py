"""Messages about a turn to a host's user: each question and each failure once in a session, as long as the skill's
content and what it asks for stay the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from skillbag.agents.hosts.event import Host
from skillbag.kernel.base.short_hash import short_hash
from skillbag.runtime.activation.request import Turn
from skillbag.runtime.broker.questions import sentence_for_hosts
from skillbag.runtime.errors import NotFoundError, RuntimeFaultError
from skillbag.runtime.sessions.runtime import Runtime

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


def of_turn(runtime: Runtime, turn: Turn, host: Host, known: list[str]) -> list[str]:
    """Sentences about what a turn brought about: each question and each failure once in a session, as long as the
    skill's content and what it asks for stay the same. `known` has the digests of the sentences that the session's
    user has read, and gets those of new ones."""
    sentences = [f'the skill "{skill}" is active' for skill in turn.activated]
    for skill in turn.activated:
        if active := runtime.skills.get(skill):
            sentences += limits_of(host.name, skill, active.registration.hooks)
    open_ = [(skill, f'the skill "{skill}" is not active: {reason}') for skill, reason in turn.failed.items()]
    open_ += [(question.skill, sentence_for_hosts(question)) for question in turn.questions]
    for skill, sentence in open_:
        digest = _digest(runtime, skill, sentence)
        if digest not in known:
            known.append(digest)
            sentences.append(sentence)
    return [*sentences, *turn.notes]


def _digest(runtime: Runtime, skill: str, sentence: str) -> str:
    """Of a sentence about the skill with its content as it is now."""
    try:
        content = runtime.grantee(skill).tree_hash
    except (NotFoundError, RuntimeFaultError):
        content = ""
    return short_hash("\0".join((skill, content, sentence)))
