"""Claude Code: the steps that its hook events are, and the answers to them.

An answer never approves a call that the user did not: `updatedInput` comes without a decision, and Claude Code applies
the user's rules to the new input.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from skillbag.agents.hosts.claude_events import CALL, ClaudeAnswer, ClaudeEvent, HookOutput, denial, read_event
from skillbag.agents.hosts.claude_results import text_of, with_text
from skillbag.agents.hosts.event import ConversationStep, HookHost, Host, HostEvent, HostReply
from skillbag.kernel.base.json_records import ABSENT
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

_EMPTIED = ("compact", "clear")
"""Sources of a start after which the agent has lost what it was given."""

_MAX_CONTEXT = 10_000
"""Characters of `additionalContext`; Claude Code shows the agent only the beginning of a longer one."""

_MAX_TOKENS = 2250

_SECONDS = 50.0
"""Time of one event: `init` writes a limit of 60 seconds into the agent's settings, after which the call would pass."""


def read(data: bytes) -> HostEvent | None:
    """The event; None for one that is no step. Raises `BadEventError`."""
    given = read_event(data)
    name = given.text("hook_event_name")
    step = EVENTS.get(name)
    if step is None:
        return None
    event = HostEvent(step, given.text("session_id"), given.folder, name)
    match step:
        case ConversationStep.START:
            return event._replace(forgot=given.source in _EMPTIED)
        case ConversationStep.MESSAGE:
            return event._replace(text=given.text("prompt"))
        case ConversationStep.BEFORE_TOOL | ConversationStep.AFTER_TOOL:
            return _call(given, event)
        case ConversationStep.ANSWER:
            # Absent where the turn ended without a text.
            return event._replace(text=given.text("last_assistant_message"))
    return event


def write(event: HostEvent, reply: HostReply) -> ClaudeAnswer:
    """What to print; empty where nothing is to be done."""
    remarks = list(reply.remarks)
    if reply.text is not None:
        by = ", ".join(reply.by)
        remarks.append(f"The answer was changed by {by}; Claude Code can't replace it. It says:\n{reply.text}")
    message = "\n".join(f"skillbag: {each}" for each in remarks)
    output = _OUTPUTS.get(event.step, _context)(HookOutput(event.name or CALL), event, reply)
    is_empty = all(value is ABSENT for value in output[1:])
    return ClaudeAnswer(message or ABSENT, hookSpecificOutput=ABSENT if is_empty else output)


def _call(given: ClaudeEvent, event: HostEvent) -> HostEvent:
    event = event._replace(tool=given.text("tool_name"), value=given.tool_input)
    if given.error is not ABSENT:
        return event._replace(content=given.text("error"), is_error=True)
    return event._replace(content=text_of(given.tool_response), result=given.tool_response)


def _context(empty: HookOutput, event: HostEvent, reply: HostReply) -> HookOutput:
    return empty._replace(additionalContext=_cut(reply.context)) if reply.context else empty


def _decision(empty: HookOutput, event: HostEvent, reply: HostReply) -> HookOutput:
    if reply.refusal is not None:
        return denial(reply.refusal)
    return empty if reply.value is None else empty._replace(updatedInput=reply.value)


def _result(empty: HookOutput, event: HostEvent, reply: HostReply) -> HookOutput:
    if reply.content is None:
        return empty
    mark = "An active skill marks this result as an error.\n" if reply.is_error and not event.is_error else ""
    said = f"{mark}{changed_result(reply.by)}"
    updated = None if event.is_error else with_text(event.result, reply.content)
    if updated is None:
        instead = quoted(", ".join(reply.by), reply.content)
        return empty._replace(additionalContext=_cut(f"{said} It is instead:\n{instead}"))
    return empty._replace(updatedToolOutput=updated, additionalContext=said)


def _nothing(empty: HookOutput, event: HostEvent, reply: HostReply) -> HookOutput:
    return empty


_OUTPUTS: Mapping[ConversationStep, Callable[[HookOutput, HostEvent, HostReply], HookOutput]] = {
    ConversationStep.BEFORE_TOOL: _decision,
    ConversationStep.AFTER_TOOL: _result,
    ConversationStep.ANSWER: _nothing,
    ConversationStep.END: _nothing,
}


def _cut(text: str) -> str:
    note = "\n… (cut: Claude Code takes 10,000 characters)"
    return text if len(text) <= _MAX_CONTEXT else text[: _MAX_CONTEXT - len(note)] + note


CLAUDE = HookHost(Host("claude", _MAX_TOKENS, _SECONDS), read, write)
"""Claude Code."""
