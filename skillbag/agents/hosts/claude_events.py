"""Claude Code's hook events as it writes them to standard input, and the answers that it reads from standard output.

The names are those of `hosts/claude-code.yaml`; fields are of the schemas of events and answers in Claude Code 2.1.330.
"""

from __future__ import annotations

import json
import os
from typing import Any, NamedTuple

from skillbag.agents.hosts.event import BadEventError
from skillbag.kernel.base.json_records import ABSENT, Absent

CALL, MESSAGE, EXPANSION = "PreToolUse", "UserPromptSubmit", "UserPromptExpansion"

_PROJECT = "CLAUDE_PROJECT_DIR"
"""The variable with the folder in which the session began."""


class ClaudeEvent(NamedTuple):
    """An event; its values are as they came, of any type. `text` reads one that must be a text."""

    hook_event_name: Any = ABSENT
    session_id: Any = ABSENT
    agent_id: Any = ABSENT
    cwd: Any = ABSENT
    source: Any = None
    prompt: Any = ABSENT
    command_name: Any = None
    tool_name: Any = ABSENT
    tool_input: Any = None
    tool_response: Any = None
    error: Any = ABSENT
    last_assistant_message: Any = ""

    def text(self, key: str) -> str:
        """The text of this key. Raises `BadEventError` if there is none."""
        value = getattr(self, key)
        if value is ABSENT or not isinstance(value, str):
            raise BadEventError(f"Claude Code's event has no text `{key}`")
        return value

    @property
    def folder(self) -> str:
        """Where the session began, or the agent's current folder. Raises `BadEventError`."""
        return project_folder() or self.text("cwd")


class HookOutput(NamedTuple):
    """What an event of its kind alone takes."""

    hookEventName: str
    permissionDecision: str | Absent = ABSENT
    permissionDecisionReason: str | Absent = ABSENT
    updatedInput: Any = ABSENT
    updatedToolOutput: Any = ABSENT
    additionalContext: str | Absent = ABSENT


class ClaudeAnswer(NamedTuple):
    """An answer; without any value, nothing is to be done."""

    systemMessage: str | Absent = ABSENT
    decision: str | Absent = ABSENT
    reason: str | Absent = ABSENT
    hookSpecificOutput: HookOutput | Absent = ABSENT


def denial(reason: str) -> HookOutput:
    """What denies a call."""
    return HookOutput(CALL, "deny", reason)


def read_event(data: bytes) -> ClaudeEvent:
    """The event on standard input. Raises `BadEventError` if it is no object of JSON."""
    try:
        payload = json.loads(data)
    except (ValueError, RecursionError):
        payload = None
    if not isinstance(payload, dict):
        raise BadEventError("standard input is not the JSON object of an event")
    defaults = ClaudeEvent._field_defaults
    return ClaudeEvent(*(payload.get(key, defaults[key]) for key in ClaudeEvent._fields))


def project_folder() -> str:
    """Where the session began, as Claude Code tells its hooks; empty if it does not. `cwd` follows each `cd` of the
    agent, which must not lead into a workspace where the session has no guards."""
    folder = os.environ.get(_PROJECT, "")
    return folder if os.path.isabs(folder) else ""
