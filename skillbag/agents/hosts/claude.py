"""Claude Code: the steps that its hook events are, and the answers to them.

An answer never approves a call that the user did not: `updatedInput` comes without a decision, and Claude Code applies
the user's rules to the new input.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from skillbag.agents.hosts.claude_events import CALL, ClaudeAnswer, ClaudeEvent, HookOutput, denial, read_event
from skillbag.agents.hosts.event import ConversationStep, HookHost, Host, HostEvent, HostReply
from skillbag.kernel.base.call_input import Json
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


_PATHS = (("file", "content"), ("content",), ("result",))
"""Where the text of a result is that is an object (`Read`, `Grep`, `WebFetch`)."""

_COPIES = ("persistedOutputPath", "persistedOutputSize")
"""A file with the output, which would be shown instead."""


def text_of(response: Json) -> str:
    """The text of a result, for hooks: all that the agent would read of it. JSON where the shape is not known."""
    if isinstance(response, str):
        return response
    if isinstance(response, dict) and isinstance(response.get("stdout"), str):
        return "\n".join(filter(None, (response["stdout"], response.get("stderr"))))
    if (blocks := _blocks(response)) is not None:
        return "\n".join(block["text"] for block in blocks if "text" in block)
    for path in _PATHS:
        if (found := _at(response, path)) is not None:
            return found
    return json.dumps(response, ensure_ascii=False)


def with_text(response: Json, text: str) -> Json:
    """The result with this text instead of its own; None if there is no place for it."""
    if isinstance(response, str):
        return text
    if isinstance(response, dict) and isinstance(response.get("stdout"), str):
        kept = {key: value for key, value in response.items() if key not in _COPIES}
        return {**kept, "stdout": text, **({"stderr": ""} if "stderr" in response else {})}
    if (blocks := _blocks(response)) is not None:
        replaced = [{"type": "text", "text": text}, *(block for block in blocks if "text" not in block)]
        return replaced if isinstance(response, list) else {**response, "content": replaced}
    for path in _PATHS:
        if _at(response, path) is not None:
            return _put(response, path, text)
    return _same_shape(response, text)


def _blocks(response: Json) -> list[Json] | None:
    """The content blocks of a result, as tools of MCP servers have them."""
    blocks = response.get("content") if isinstance(response, dict) else response
    if isinstance(blocks, list) and blocks and all(isinstance(block, dict) and "type" in block for block in blocks):
        return blocks
    return None


def _at(response: Json, path: tuple[str, ...]) -> str | None:
    for key in path:
        response = response.get(key) if isinstance(response, dict) else None
    return response if isinstance(response, str) else None


def _put(response: Json, path: tuple[str, ...], text: str) -> Json:
    key, *rest = path
    return {**response, key: _put(response[key], tuple(rest), text) if rest else text}


def _same_shape(response: Json, text: str) -> Json:
    """The value that a hook wrote as JSON, if it has the keys of the result."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    is_alike = isinstance(value, dict) and isinstance(response, dict) and value.keys() == response.keys()
    return value if is_alike else None
