"""`enter`, `refresh`, `resolve` and `remember`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from skillbag.agent.schemas import (
    FLAG,
    INPUTS,
    NAME,
    PROHIBITS,
    SKILL_OR_ALL_PATTERN,
    TEXT,
    described,
    object_of,
)
from skillbag.agent.sessions import current_session, entered_session, session_of
from skillbag.agent.tool import Result, Tool
from skillbag.base.errors import UserError
from skillbag.settings.scope import Scope


def _enter(scope: Scope, arguments: Mapping[str, Any]) -> Result:
    from skillbag.agent.phrasing import TOOLS
    from skillbag.report.entry import entry_text

    report = session_of(scope).enter(again=arguments.get("again", False))
    new = (
        ""
        if scope.session
        else f"\nThe session is new; later calls belong to it with SKILLBAG_SESSION={report.session}.\n"
    )
    return Result(entry_text(report, TOOLS) + new, asks=not report.ready)


def _refresh(scope: Scope, arguments: Mapping[str, Any]) -> Result:
    from skillbag.report.refresh import refresh_text

    return Result(refresh_text(entered_session(scope).refresh(arguments.get("skills", ()))))


def _resolve(scope: Scope, arguments: Mapping[str, Any]) -> Result:
    from skillbag.agent.phrasing import TOOLS
    from skillbag.personal.available import Home, find_skill
    from skillbag.personal.runs import resolve_personal
    from skillbag.report.inputs import resolution_values

    values, prohibits = arguments.get("inputs"), arguments.get("prohibits", ())
    found = find_skill(scope, arguments["skill"])
    if found.home is Home.PERSONAL:
        resolution = resolve_personal(found, scope.root, values, prohibits)
    else:
        resolution = current_session(scope).resolve(arguments["skill"], values, prohibits=prohibits)
    return Result(resolution_values(resolution, TOOLS), asks=not resolution.ready)


def _remember(scope: Scope, arguments: Mapping[str, Any]) -> Result:
    from skillbag.lifecycle.remember import NotKeptError
    from skillbag.report.memory_report import remembered_values

    name, value, skill = arguments["name"], arguments["value"], arguments.get("skill", "*")
    try:
        kept = session_of(scope).remember(name, value, skill, explicit=arguments.get("explicit", False))
    except NotKeptError as error:
        # The message names the option of the command line.
        raise UserError(str(error).replace("--explicit", "`explicit`")) from None
    return Result(remembered_values(kept))


_OBJECTS = {"type": "array", "items": {"type": "object"}}
_PLAIN = ("string", "number", "boolean")
_ANY_PLAIN = [{"type": kind} for kind in _PLAIN]
_VALUE: dict[str, Any] = {"anyOf": [*_ANY_PLAIN, {"type": "array", "items": {"anyOf": _ANY_PLAIN}}]}

ENTER = Tool(
    "enter",
    "Enter the workspace, once a session, before any other work in it. Returns what the workspace's files say, its "
    "skills, what to run now and how to go on.",
    object_of({"again": described(FLAG, "Give the report once more, since the context was shortened.")}),
    TEXT,
    _enter,
)
REFRESH = Tool(
    "refresh",
    "Find out what has changed in the workspace since this session read it. Use it before each response. "
    "Returns a line for each kind of change, and what to read again.",
    object_of(
        {
            "skills": {
                "type": "array",
                "items": NAME,
                "maxItems": 1000,
                "description": "Names of skills that are newly chosen for use.",
            }
        }
    ),
    TEXT,
    _refresh,
)
RESOLVE = Tool(
    "resolve",
    "Resolve the inputs of a skill without running it. Use it to find out what a skill needs. Returns each parameter "
    "with its value and who gives it, and the questions that the user must be asked.",
    object_of({"skill": described(NAME, "The skill's name."), "inputs": INPUTS, "prohibits": PROHIBITS}, ("skill",)),
    object_of(
        {"skill": TEXT, "ready": FLAG, "parameters": _OBJECTS, "questions": _OBJECTS, "notes": _OBJECTS},
        ("skill", "ready", "parameters", "questions", "notes"),
    ),
    _resolve,
)
REMEMBER = Tool(
    "remember",
    "Keep a value for later sessions in USER_CONTEXT.md. Use it for what lasts, such as a preference of the user; "
    "secrets are refused. Returns where it stands and what stood there before.",
    object_of(
        {
            "name": {"type": "string", "minLength": 1, "maxLength": 100, "description": "The parameter's name."},
            "value": described(_VALUE, "The value."),
            "skill": {
                "type": "string",
                "pattern": SKILL_OR_ALL_PATTERN,
                "maxLength": 64,
                "default": "*",
                "description": "The skill that it is for; * for all.",
            },
            "explicit": described(FLAG, "The user asks for it: keep what rarely lasts as well."),
        },
        ("name", "value"),
    ),
    object_of(
        {
            "skill": TEXT,
            "name": TEXT,
            "value": _VALUE,
            "before": {"anyOf": [*_VALUE["anyOf"], {"type": "null"}]},
            "file": TEXT,
            "line": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            "changed": FLAG,
            "created": FLAG,
            "ignored_by": {"anyOf": [TEXT, {"type": "null"}]},
            "tracked": FLAG,
            "exposed": FLAG,
        },
        ("skill", "name", "value", "before", "file", "line", "changed"),
    ),
    _remember,
    writes=True,
)
