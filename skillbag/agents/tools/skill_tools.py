"""The tools that use a skill: `skill_NAME`, which returns its instructions, `read_skill_file`, `run_skill_script`."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from skillbag.agents.personal.available import AgentSkill, Home, available_skill, dangers_of, workspace_of
from skillbag.agents.personal.names import PREFIX
from skillbag.agents.settings.scope import Scope
from skillbag.agents.tools.lifecycle_tools import ENTER_FIRST, current_session
from skillbag.agents.tools.skills_in_use import begin, begin_limits
from skillbag.agents.tools.tool import Tool, ToolResult, built_in
from skillbag.kernel.base.call_input import CallInput
from skillbag.kernel.standard.cut_names import tool_name
from skillbag.report.sanitize import exact

if TYPE_CHECKING:
    from skillbag.agents.permissions.active import SkillInUse
    from skillbag.agents.permissions.allowed_tools import Call
    from skillbag.session.entry.invocation import Run
    from skillbag.session.inputs.questions import Question


def skill_tool(skill: AgentSkill) -> Tool:
    """The tool of a skill; reads no file."""
    description = exact(skill.description) or f"The skill {skill.name}."
    tool = built_in("skill_NAME", partial(_invoke, skill))
    return tool._replace(name=tool_name(PREFIX + skill.name), description=description, skill=skill.name)


def _invoke(skill: AgentSkill, scope: Scope, arguments: str = "", **given: Any) -> ToolResult:
    from skillbag.agents.tools.phrasing import TOOLS
    from skillbag.report.invocation import invocation_text
    from skillbag.report.lifecycle_parts import pending_line

    run = _run(skill, scope, **given)
    if run.invocation.ready:
        begin(scope, skill.name, skill.directory, skill.file)
    parts = [
        invocation_text(run.invocation, scope.session, TOOLS, arguments),
        pending_line(run.pending, TOOLS),
        # `pending` is None outside of a session.
        ENTER_FIRST if skill.home is Home.PROJECT and run.pending is None else "",
    ]
    return ToolResult("\n\n".join(filter(None, parts)), asks=not run.invocation.ready)


def _run(
    skill: AgentSkill,
    scope: Scope,
    inputs: CallInput | None = None,
    prohibits: Iterable[str] = (),
    allow: bool = False,
    incomplete: bool = False,
) -> Run:
    allowed = [skill.name] if allow else []
    if skill.home is Home.PERSONAL:
        from skillbag.agents.personal.runs import run_personal
        from skillbag.session.entry.invocation import Run

        return Run(run_personal(skill, scope.root, inputs, prohibits, allowed), None)
    session = current_session(scope)
    return session.run(skill.name, inputs, prohibits=prohibits, incomplete=incomplete, allow=allowed)


def _read_file(scope: Scope, skill: str, path: str) -> ToolResult:
    from skillbag.agents.scripts.skill_files import plain_path, read_skill_file

    found = available_skill(scope, skill)
    if dangers := dangers_text(scope, found):
        return ToolResult(dangers, asks=True)
    text = read_skill_file(found.directory, path)
    if plain_path(path).lower() == found.file.lower():
        begin_limits(scope, found.name, found.directory, found.file)
    return ToolResult(text)


def _run_script(
    scope: Scope,
    skill: str,
    script: str,
    args: Sequence[str] = (),
    stdin: str | None = None,
    timeout: float | None = None,
    allow: bool = False,
) -> ToolResult:
    from skillbag.agents.scripts.run import TIME_LIMIT, run_skill_script

    found = available_skill(scope, skill)
    if dangers := dangers_text(scope, found):
        return ToolResult(dangers, asks=True)
    if not allow and (questions := _prohibitions(scope, found.name)):
        return ToolResult(_text_of(questions), asks=True)
    limit = TIME_LIMIT if timeout is None else timeout
    return ToolResult(run_skill_script(found.directory, script, args, stdin, limit, scope.root))


def dangers_text(scope: Scope, skill: AgentSkill) -> str:
    """The question about errors about security in a skill; empty if nothing of it is withheld."""
    return _text_of(dangers_of(scope.root, skill))


def _text_of(questions: Sequence[Question]) -> str:
    if not questions:
        return ""
    from skillbag.agents.tools.phrasing import TOOLS
    from skillbag.report.lifecycle_parts import question_lines

    return "\n".join(question_lines(questions, TOOLS))


def _script_forms(scope: Scope, arguments: CallInput, limiting: SkillInUse) -> Iterator[Call]:
    """A script may be allowed as the line for a shell that would run it."""
    from skillbag.agents.permissions.allowed_tools import OWN_PREFIX
    from skillbag.agents.scripts.run import shell_words
    from skillbag.kernel.standard.tool_names import SHELL

    yield from ((f"{prefix}{RUN_SKILL_SCRIPT.name}", arguments) for prefix in ("", OWN_PREFIX))
    directory = available_skill(scope, arguments["skill"]).directory
    for words in shell_words(directory, arguments["script"], is_there=limiting.folder == directory):
        yield SHELL, {"command": shlex.join((*words, *arguments.get("args", ())))}


def _prohibitions(scope: Scope, skill: str) -> tuple[Question, ...]:
    """Questions about a prohibited skill; none if it is the active one, since the user has then allowed it already."""
    if scope.root is None:
        return ()
    from skillbag.agents.permissions.active import active_skill
    from skillbag.session.inputs.questions import prohibition_questions
    from skillbag.session.settings.settings_reader import read_settings
    from skillbag.session.skills.effective_tags import effective_tags
    from skillbag.session.skills.skills import listed_skills

    workspace = workspace_of(scope.root)
    settings = read_settings(workspace)
    if skill not in settings.declarations.prohibited or ((active := active_skill(scope)) and active.name == skill):
        return ()
    tagging = effective_tags(listed_skills(workspace), settings)
    return prohibition_questions([skill], settings.declarations, tagging)


READ_SKILL_FILE = built_in("read_skill_file", _read_file)
RUN_SKILL_SCRIPT = built_in("run_skill_script", _run_script)._replace(forms=_script_forms)
