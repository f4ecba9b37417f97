"""Claude Code's events, answered so that the skill in use is held to its `allowed-tools`.

For Claude Code the list approves tools in advance, from the call of the skill to the user's next message. This makes it
a limit for the same time. A call is denied where the skill in use has a list without it; else there is no decision, and
the user's own rules apply.

A skill that the user types, `/NAME`, is no call of the tool Skill (github.com/anthropics/claude-code/issues/24858).
"""

from __future__ import annotations

import os
import re
from typing import Any

from skillbag.agents.hosts.claude_events import (
    CALL,
    EXPANSION,
    MESSAGE,
    ClaudeAnswer,
    ClaudeEvent,
    denial,
    read_event,
)
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
from skillbag.kernel.base.json_records import ABSENT, to_json
from skillbag.kernel.base.lazy_regex import late
from skillbag.report.sanitize import shown_page

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


def answer(data: bytes) -> Any:
    """The answer to an event in JSON; an empty object where there is nothing to decide. Raises nothing."""
    return to_json(_answered(data))


def _answered(data: bytes) -> ClaudeAnswer:
    """What goes wrong denies a call: it is not known whether the skill in use allows it."""
    name: object = CALL
    try:
        event = read_event(data)
        name = event.hook_event_name
        if name == CALL:
            return _denied(_call(event))
        if name in (MESSAGE, EXPANSION):
            return _stopped(_message(event))
        return ClaudeAnswer()
    except (UserError, OSError) as error:
        why = format_error(error)
    except Exception as error:
        why = f"a bug in skillbag ({type(error).__name__}: {error})"
    why = f"It is not known what the skill in use allows: {why}"
    return _denied(why) if name == CALL else _stopped(why)


def _denied(why: str | None) -> ClaudeAnswer:
    return ClaudeAnswer() if why is None else ClaudeAnswer(hookSpecificOutput=denial(shown_page(why)))


def _stopped(why: str | None) -> ClaudeAnswer:
    return ClaudeAnswer() if why is None else ClaudeAnswer(decision="block", reason=shown_page(why))


def _scope(event: ClaudeEvent) -> Scope:
    """The session of the event, in the folder in which it began. A subagent has a skill of its own once it began one,
    else that of the session."""
    from skillbag.session.refresh.state import check_id

    session = Scope(event.folder, None, check_id(event.text("session_id")))
    if event.agent_id is ABSENT:
        return session
    return session._replace(session=check_id(f"{session.session}/{event.text('agent_id')}"))


def _limiting(scope: Scope, event: ClaudeEvent) -> Scope:
    """The scope whose active skill limits the call."""
    if event.agent_id is not ABSENT and active_skill(scope) is None:
        return scope._replace(session=event.text("session_id"))
    return scope


def _call(event: ClaudeEvent) -> str | None:
    """Why a call is denied. A skill that it begins is in use from now on."""
    scope, tool, value = _scope(event), event.text("tool_name"), event.tool_input
    given = value if isinstance(value, dict) else {}
    if tool not in _HARMLESS:
        # A shell keeps its folder between calls; relative words mean that one, and searches without a folder do.
        at = event.text("cwd") if tool == "Bash" else None
        if tool in ("Glob", "Grep") and isinstance(value, dict) and not given.get("path"):
            value = {**value, "path": event.text("cwd")}
        if why := why_blocked(_limiting(scope, event), tool, value if isinstance(value, dict) else None, at):
            return f"{why}. {_ENDS}"
    if tool == "Skill":
        _begin(scope, _found(given.get("skill", given.get("command")), scope), event)
    elif tool == "Read":
        _begin(scope, _read_skill(given.get("file_path"), scope), event)
    return None


def _message(event: ClaudeEvent) -> str | None:
    """A message of the user ends what the skill before was limited to; it may begin one itself."""
    scope = _scope(event)
    if event.hook_event_name == EXPANSION:
        _begin(scope, _found(event.command_name, scope))
    elif event.source in _OWN_WORDS:
        clear_active_skill(scope)
        if typed := _TYPED().match(event.text("prompt")):
            _begin(scope, _found(typed[1] or typed[2], scope))
    return None


def _begin(scope: Scope, directory: str | None, call: ClaudeEvent | None = None) -> None:
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
