"""`skill_NAME`: a tool for each skill, which returns its instructions."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from skillbag.agent.schemas import FLAG, INPUTS, PROHIBITS, TEXT, described, object_of
from skillbag.agent.sessions import ENTER_FIRST, current_session
from skillbag.agent.tool import Result, Tool
from skillbag.personal.available import AgentSkill, Home
from skillbag.settings.scope import Scope

if TYPE_CHECKING:
    from skillbag.lifecycle.execution import Run

PREFIX = "skill_"

_PARAMETERS = object_of(
    {
        "arguments": described(TEXT, "What the skill is to work on, in words."),
        "inputs": INPUTS,
        "prohibits": PROHIBITS,
        "incomplete": described(FLAG, "Run it although skills that it declares are not installed."),
        "allow": described(FLAG, "Run it although a context file prohibits it; only if the user has said so."),
    }
)


def skill_tool(skill: AgentSkill) -> Tool:
    """The tool of a skill; reads no file."""
    from skillbag.report.sanitize import exact

    description = exact(skill.description) or f"The skill {skill.name}."
    return Tool(PREFIX + skill.name, description, _PARAMETERS, TEXT, partial(_call, skill), skill.name)


def _call(skill: AgentSkill, scope: Scope, arguments: Mapping[str, Any]) -> Result:
    from skillbag.agent.phrasing import TOOLS
    from skillbag.report.invocation import invocation_text
    from skillbag.report.lifecycle_text import pending_line

    run = _run(skill, scope, arguments)
    if run.invocation.ready:
        _activate(scope, skill)
    parts = [
        invocation_text(run.invocation, scope.session, TOOLS, arguments.get("arguments", "")),
        pending_line(run.pending, TOOLS),
        # `pending` is None outside of a session.
        ENTER_FIRST if skill.home is Home.PROJECT and run.pending is None else "",
    ]
    return Result("\n\n".join(filter(None, parts)), asks=not run.invocation.ready)


def _activate(scope: Scope, skill: AgentSkill) -> None:
    """Make it the active skill; an unchanged record is not written again, which would take longer than all the rest."""
    from skillbag.permissions.active import (
        ActiveSkill,
        DamagedActiveSkillError,
        activate,
        active_skill,
        allowed_tools_of,
    )

    active = ActiveSkill(skill.name, allowed_tools_of(skill.directory, skill.file))
    with contextlib.suppress(DamagedActiveSkillError):
        if active_skill(scope) == active:
            return
    activate(scope, active)


def _run(skill: AgentSkill, scope: Scope, arguments: Mapping[str, Any]) -> Run:
    values, prohibits = arguments.get("inputs"), arguments.get("prohibits", ())
    allow = [skill.name] if arguments.get("allow", False) else []
    if skill.home is Home.PERSONAL:
        from skillbag.lifecycle.execution import Run
        from skillbag.personal.runs import run_personal

        return Run(run_personal(skill, scope.root, values, prohibits, allow), None)
    incomplete = arguments.get("incomplete", False)
    session = current_session(scope)
    return session.run(skill.name, values, prohibits=prohibits, incomplete=incomplete, allow=allow)
