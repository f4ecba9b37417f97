"""Claude Code: its hook events, and the answers that it reads from standard output.

An answer never approves a call that the user did not: `updatedInput` comes without a decision, and Claude Code applies
the user's rules to the new input.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from skillbag.agents.hosts.claude_results import text_of, with_text
from skillbag.agents.hosts.event import BadEventError, ConversationStep, Host, HostEvent, HostReply
from skillbag.kernel.base.quoting import changed_result, quoted

EVENTS: Mapping[str, ConversationStep] = {
    "SessionStart": ConversationStep.START,
    "UserPromptSubmit": ConversationStep.MESSAGE,
    "PreToolUse": ConversationStep.BEFORE_TOOL,
    "PostToolUse": ConversationStep.AFTER_TOOL,
    "PostToolUseFailure": ConversationStep.AFTER_TOOL,
    "Stop": ConversationStep.ANSWER,
    "SessionEnd": ConversationStep.END,
}
"""The events of Claude Code that are steps of a conversation."""

_PROJECT = "CLAUDE_PROJECT_DIR"
"""The variable with the folder in which the session began."""

_EMPTIED = ("compact", "clear")
"""Sources of a start after which the agent has lost what it was given."""

_MAX_CONTEXT = 10_000
"""Characters of `additionalContext`; Claude Code shows the agent only the beginning of a longer one."""

_MAX_TOKENS = 2250

_SECONDS = 50.0
"""Time of one event: `init` writes a limit of 60 seconds into the agent's settings, after which the call would pass."""


def read(payload: Mapping[str, Any]) -> HostEvent | None:
    """The event; None for one that is no step. Raises `BadEventError`."""
    step = EVENTS.get(_text(payload, "hook_event_name"))
    if step is None:
        return None
    event = HostEvent(step, _text(payload, "session_id"), project_folder() or _text(payload, "cwd"))
    match step:
        case ConversationStep.START:
            return event._replace(forgot=payload.get("source") in _EMPTIED)
        case ConversationStep.MESSAGE:
            return event._replace(text=_text(payload, "prompt"))
        case ConversationStep.BEFORE_TOOL | ConversationStep.AFTER_TOOL:
            return _call(payload, event)
        case ConversationStep.ANSWER:
            # Absent where the turn ended without a text.
            return event._replace(text=_text(payload, "last_assistant_message", ""))
    return event


def project_folder() -> str:
    """Where the session began, as Claude Code tells its hooks; empty if it does not. `cwd` follows each `cd` of the
    agent, which must not lead into a workspace where the session has no guards."""
    folder = os.environ.get(_PROJECT, "")
    return folder if os.path.isabs(folder) else ""


def write(payload: Mapping[str, Any], reply: HostReply) -> dict[str, Any]:
    """What to print: an object, which is empty where nothing is to be done."""
    name = payload["hook_event_name"]
    specific = _SPECIFIC.get(EVENTS[name], _context)(payload, reply)
    remarks = list(reply.remarks)
    if reply.text is not None:
        remarks.append(
            f"The answer was changed by {', '.join(reply.by)}; Claude Code can't replace it. It says:\n{reply.text}"
        )
    answer: dict[str, Any] = {"systemMessage": "\n".join(f"skillbag: {each}" for each in remarks)} if remarks else {}
    if specific:
        answer["hookSpecificOutput"] = {"hookEventName": name, **specific}
    return answer


def _call(payload: Mapping[str, Any], event: HostEvent) -> HostEvent:
    event = event._replace(tool=_text(payload, "tool_name"), value=payload.get("tool_input"))
    if "error" in payload:
        return event._replace(content=_text(payload, "error"), is_error=True)
    return event._replace(content=text_of(payload.get("tool_response")))


def _text(payload: Mapping[str, Any], key: str, default: str | None = None) -> str:
    value = payload.get(key, default)
    if not isinstance(value, str):
        raise BadEventError(f"Claude Code's event has no text `{key}`")
    return value


def _context(payload: Mapping[str, Any], reply: HostReply) -> dict[str, Any]:
    return {"additionalContext": _cut(reply.context)} if reply.context else {}


def _decision(payload: Mapping[str, Any], reply: HostReply) -> dict[str, Any]:
    if reply.refusal is not None:
        return {"permissionDecision": "deny", "permissionDecisionReason": reply.refusal}
    return {} if reply.value is None else {"updatedInput": reply.value}


def _result(payload: Mapping[str, Any], reply: HostReply) -> dict[str, Any]:
    if reply.content is None:
        return {}
    is_error = "error" in payload
    mark = "An active skill marks this result as an error.\n" if reply.is_error and not is_error else ""
    said = f"{mark}{changed_result(reply.by)}"
    updated = None if is_error else with_text(payload.get("tool_response"), reply.content)
    if updated is None:
        return {"additionalContext": _cut(f"{said} It is instead:\n{quoted(', '.join(reply.by), reply.content)}")}
    return {"updatedToolOutput": updated, "additionalContext": said}


def _nothing(payload: Mapping[str, Any], reply: HostReply) -> dict[str, Any]:
    return {}


_SPECIFIC: Mapping[ConversationStep, Callable[[Mapping[str, Any], HostReply], dict[str, Any]]] = {
    ConversationStep.BEFORE_TOOL: _decision,
    ConversationStep.AFTER_TOOL: _result,
    ConversationStep.ANSWER: _nothing,
    ConversationStep.END: _nothing,
}


def _cut(text: str) -> str:
    note = "\n… (cut: Claude Code takes 10,000 characters)"
    return text if len(text) <= _MAX_CONTEXT else text[: _MAX_CONTEXT - len(note)] + note


CLAUDE = Host("claude", read, write, _MAX_TOKENS, _SECONDS)
"""Claude Code."""
