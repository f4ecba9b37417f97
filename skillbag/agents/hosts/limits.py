"""Claude Code's events, answered so that the skill in use is held to its `allowed-tools`.

For Claude Code the list approves tools in advance, from the call of the skill to the user's next message. This makes it
a limit for the same time. A call is denied where the skill in use has a list without it; else there is no decision, and
the user's own rules apply.

Facts: the schemas of events and answers in Claude Code 2.1.330; a skill that the user types, `/NAME`, is no call of the
tool Skill (github.com/anthropics/claude-code/issues/24858).
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from typing import Any

from skillbag.agents.hosts.claude import project_folder
from skillbag.agents.permissions.active import (
    SkillInUse,
    activate,
    active_skill,
    allowed_tools_of,
    clear_active_skill,
    with_limits,
)
from skillbag.agents.permissions.allowed_tools import why_blocked
from skillbag.agents.permissions.program_options import words
from skillbag.agents.settings.scope import Scope
from skillbag.kernel.base.errors import UserError, format_error
from skillbag.kernel.base.lazy_regex import late
from skillbag.report.sanitize import shown_page

CALL, PROMPT, EXPANSION = "PreToolUse", "UserPromptSubmit", "UserPromptExpansion"

_FILE = "SKILL.md"
_NAME = late(r"(?!\.)[\w.-]{1,64}")
_TYPED = late(r"\s*/([\w.-]+)(?!\S)|.*?<command-name>/?([\w.-]+)</command-name>", re.DOTALL)

_HARMLESS = words(
    "Skill AskUserQuestion TodoWrite TaskCreate TaskGet TaskList TaskUpdate EnterPlanMode ExitPlanMode ToolSearch "
    "StructuredOutput"
)
"""Tools that reach no file, program or address: they are never denied."""

_OWN_WORDS = (None, "user", "sdk")
"""The sources of a message of the user; others, such as `loop_wakeup`, may be the agent's own work."""

_ENDS = "The limit ends with the user's next message."


class _BadEventError(UserError):
    """Not an event of Claude Code."""


def answer(data: bytes) -> dict[str, Any]:
    """The answer to an event, an object that is empty where there is nothing to decide. Raises nothing.

    What goes wrong denies a call: it is not known whether the skill in use allows it.
    """
    event: object = CALL
    try:
        payload = _payload(data)
        event = payload.get("hook_event_name")
        if event == CALL:
            return _denied(_call(payload))
        if event in (PROMPT, EXPANSION):
            return _stopped(_message(payload, expanded=event == EXPANSION))
        return {}
    except (UserError, OSError) as error:
        why = format_error(error)
    except Exception as error:
        why = f"a bug in skillbag ({type(error).__name__}: {error})"
    why = f"It is not known what the skill in use allows: {why}"
    return _denied(why) if event == CALL else _stopped(why)


def _denied(why: str | None) -> dict[str, Any]:
    if why is None:
        return {}
    decision = {"permissionDecision": "deny", "permissionDecisionReason": shown_page(why)}
    return {"hookSpecificOutput": {"hookEventName": CALL, **decision}}


def _stopped(why: str | None) -> dict[str, Any]:
    return {} if why is None else {"decision": "block", "reason": shown_page(why)}


def _payload(data: bytes) -> Mapping[str, Any]:
    try:
        payload = json.loads(data)
    except (ValueError, RecursionError):
        payload = None
    if not isinstance(payload, dict):
        raise _BadEventError("standard input is not the JSON object of an event")
    return payload


def _text(values: Mapping[str, Any], key: str) -> str:
    value = values.get(key)
    if not isinstance(value, str):
        raise _BadEventError(f"the event has no text `{key}`")
    return value


def _scope(payload: Mapping[str, Any]) -> Scope:
    """The session of the event, in the folder in which it began. A subagent has a skill of its own once it began one,
    else that of the session."""
    from skillbag.session.refresh.state import check_id

    root = project_folder() or _text(payload, "cwd")
    session = Scope(root, None, check_id(_text(payload, "session_id")))
    if "agent_id" not in payload:
        return session
    return session._replace(session=check_id(f"{session.session}/{_text(payload, 'agent_id')}"))


def _limiting(scope: Scope, payload: Mapping[str, Any]) -> Scope:
    """The scope whose active skill limits the call."""
    if "agent_id" in payload and active_skill(scope) is None:
        return scope._replace(session=_text(payload, "session_id"))
    return scope


def _call(payload: Mapping[str, Any]) -> str | None:
    """Why a call is denied. A skill that it begins is in use from now on."""
    scope, tool, value = _scope(payload), _text(payload, "tool_name"), payload.get("tool_input")
    given = value if isinstance(value, dict) else {}
    if tool not in _HARMLESS:
        # A shell keeps its folder between calls; relative words mean that one, and searches without a folder do.
        at = _text(payload, "cwd") if tool == "Bash" else None
        if tool in ("Glob", "Grep") and isinstance(value, dict) and not given.get("path"):
            value = {**value, "path": _text(payload, "cwd")}
        if why := why_blocked(_limiting(scope, payload), tool, value if isinstance(value, dict) else None, at):
            return f"{why}. {_ENDS}"
    if tool == "Skill":
        _begin(scope, _found(given.get("skill", given.get("command")), scope), payload)
    elif tool == "Read":
        _begin(scope, _read_skill(given.get("file_path"), scope), payload)
    return None


def _message(payload: Mapping[str, Any], *, expanded: bool) -> str | None:
    """A message of the user ends what the skill before was limited to; it may begin one itself."""
    scope = _scope(payload)
    if expanded:
        _begin(scope, _found(payload.get("command_name"), scope))
    elif payload.get("source") in _OWN_WORDS:
        clear_active_skill(scope)
        if typed := _TYPED().match(_text(payload, "prompt")):
            _begin(scope, _found(typed[1] or typed[2], scope))
    return None


def _begin(scope: Scope, directory: str | None, call: Mapping[str, Any] | None = None) -> None:
    """Make the skill in the folder the one in use. Raises `UserError` where its list can't be read, and `OSError` for a
    call where the record is damaged: only a message of the user may replace that.

    The limits of a call that begins it go on: else a skill could lift its limit by calling another one.
    """
    if directory is None:
        return
    real = os.path.realpath(directory)
    begun = SkillInUse(os.path.basename(directory), allowed_tools_of(real, _FILE), real)
    before = active_skill(_limiting(scope, call)) if call else None
    activate(scope, with_limits(begun, before))


def _folders(scope: Scope) -> list[str]:
    """Where skills are, the first that has a name counts: Claude Code prefers the user's to the project's."""
    from skillbag.agents.settings.user_settings import personal_root

    own = os.environ.get("CLAUDE_CONFIG_DIR") or os.path.expanduser("~/.claude")
    root = scope.root or os.sep
    folders = [os.path.join(own, "skills"), os.path.join(root, ".claude", "skills"), os.path.join(root, ".skills")]
    personal = personal_root(None)
    return [*folders, *([personal] if personal else [])]


def _found(name: object, scope: Scope) -> str | None:
    """The folder of the skill of this name. None for another one (of a plugin, or built in), which changes nothing."""
    if not isinstance(name, str) or not _NAME().fullmatch(name):
        return None
    folders = (os.path.join(folder, name) for folder in _folders(scope))
    return next((folder for folder in folders if os.path.lexists(os.path.join(folder, _FILE))), None)


def _read_skill(path: object, scope: Scope) -> str | None:
    """The folder of the skill whose instructions a call reads."""
    if not isinstance(path, str) or os.path.basename(path) != _FILE:
        return None
    directory = os.path.dirname(os.path.normpath(os.path.join(scope.root or os.sep, path)))
    real = os.path.realpath(directory)
    for folder in _folders(scope):
        if os.path.dirname(directory) == folder or os.path.dirname(real) == os.path.realpath(folder):
            return directory
    return None
