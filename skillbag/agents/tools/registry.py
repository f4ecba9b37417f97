"""The tools of a scope: listed, found by name, and called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from skillbag.agents.personal.available import available_skill, available_skills
from skillbag.agents.personal.names import PREFIX, RESERVED, UnknownSkillError
from skillbag.agents.settings.scope import Scope
from skillbag.agents.tools.arguments import check_arguments, plain_arguments, printable
from skillbag.agents.tools.lifecycle_tools import ENTER, REFRESH, REMEMBER, RESOLVE
from skillbag.agents.tools.management_tools import SKILL_ADD, SKILL_MARKETPLACE, SKILL_REMOVE
from skillbag.agents.tools.skill_tools import READ_SKILL_FILE, RUN_SKILL_SCRIPT, skill_tool
from skillbag.agents.tools.skills_in_use import END_SKILL
from skillbag.agents.tools.tool import OfferedTools, Tool, ToolFailedError, ToolResult, UnknownToolError
from skillbag.kernel.base.call_input import CallInput
from skillbag.kernel.base.errors import UserError
from skillbag.kernel.base.json_records import to_json
from skillbag.kernel.base.name_lists import did_you_mean
from skillbag.kernel.standard.cut_names import tool_name
from skillbag.kernel.standard.names import is_name
from skillbag.report.sanitize import exact

if TYPE_CHECKING:
    from skillbag.agents.tools.active_tools import ActiveTools

_BUILT_IN = (
    SKILL_MARKETPLACE,
    READ_SKILL_FILE,
    RUN_SKILL_SCRIPT,
    END_SKILL,
    SKILL_ADD,
    SKILL_REMOVE,
    ENTER,
    REFRESH,
    RESOLVE,
    REMEMBER,
)


def built_in_tools(scope: Scope) -> Mapping[str, Tool]:
    """The tools that belong to no skill, by name; reads nothing."""
    there = (tool for tool in _BUILT_IN if scope.limited or tool is not END_SKILL)
    return {tool.name: tool for tool in there if scope.user or not tool.user_only}


def offered_tools(scope: Scope, more: ActiveTools | None = None) -> OfferedTools:
    """All tools of the scope, and `more` with other names.

    Raises:
        UserError: the catalog can't be read.
    """
    skills = available_skills(scope)
    of_skills = (skill_tool(skill) for name, skill in skills.by_name.items() if name not in RESERVED)
    own, remarks = dict(built_in_tools(scope)), skills.remarks
    if skills.unlisted:
        # Agents read descriptions; remarks reach their users.
        # Most workspaces list all skills, and need not load what settings are.
        from skillbag.session.settings.settings import unlisted_note

        note = unlisted_note(skills.unlisted)
        own[ENTER.name] = ENTER._replace(description=f"{ENTER.description} Note: {note}.")
        remarks = (*remarks, note)
    tools = {**own, **{tool.name: tool for tool in of_skills}}
    for tool in more.tools() if more else ():
        tools.setdefault(tool.name, tool)
    return OfferedTools(tuple(tools.values()), remarks)


def find_tool(scope: Scope, name: str, more: ActiveTools | None = None) -> Tool:
    """The tool of this name, those of `more` last; reads the catalog only for a `skill_NAME`.

    Raises:
        UnknownToolError: there is none.
        UserError: the catalog can't be read.
    """
    built_in = built_in_tools(scope)
    if name in built_in:
        return built_in[name]
    found = more.find(name) if more else None
    if found and not name.startswith(PREFIX):
        return found
    skill = name.removeprefix(PREFIX)
    if skill == name:
        known = [*built_in, *(tool.name for tool in more.tools())] if more else list(built_in)
        hint = (more.hint(name) if more else "") or _suggestion(scope, name, known)
    elif skill in RESERVED:
        hint = "only a user's own session has it"
    else:
        try:
            return skill_tool(available_skill(scope, skill))
        except UnknownSkillError as error:
            if found:
                return found
            hint = _did_you_mean(error.meant) or str(error)
    raise UnknownToolError(f"{printable(name)}: there is no such tool; {hint}")


def call_tool(scope: Scope, name: str, arguments: object, more: ActiveTools | None = None) -> ToolResult:
    """Find the tool, check the arguments against its schema, and call it. A ready `skill_NAME` becomes the active
    skill. The result holds no secret, and only text that can be encoded as UTF-8. With `more`, its tools are called as
    well, and what it does around a call is done for every tool. In a `limited` scope, the `allowed-tools` of the skills
    in use are held against the arguments that the tool gets.

    Raises:
        UnknownToolError, BadArgumentsError: before anything was done. ToolFailedError: no list allows it.
        UserError, OSError: it failed; the message is for the agent.
    """
    tool = find_tool(scope, name, more)
    checked = _checked(tool, arguments)
    if more is None:
        result = tool.call(scope, **_allowed(tool, scope, checked))
    else:
        result = more.around(
            tool, checked, lambda changed: tool.call(scope, **_allowed(tool, scope, _checked(tool, changed)))
        )
    return result._replace(value=to_json(result.value, exact))


def _allowed(tool: Tool, scope: Scope, arguments: CallInput) -> CallInput:
    """The arguments, where the lists of the skills in use allow the call."""
    if (forms := tool.forms) and scope.limited:
        from skillbag.agents.permissions.allowed_tools import why_refused

        if why := why_refused(scope, tool.name, partial(forms, scope, arguments)):
            raise ToolFailedError(
                f"{why}. Do without it while the skill is in use, and tell the user; once the skill's work is done, "
                f"call {END_SKILL.name}"
            )
    return arguments


def _checked(tool: Tool, arguments: object) -> CallInput:
    check = plain_arguments if tool.checks else partial(check_arguments, shape=tool.parameters)
    return check(tool.name, arguments=arguments)


def _suggestion(scope: Scope, name: str, known: Sequence[str]) -> str:
    """The tool that may be meant: that of a skill named without the prefix, or a known one of a similar name."""
    meant = None
    # Nothing is read for what can't be a skill's name.
    if is_name(name):
        try:
            meant = available_skill(scope, name).name
        except UnknownSkillError as error:
            meant = error.meant
        except (UserError, OSError):
            pass
    if hint := _did_you_mean(meant):
        return hint
    there = ", ".join(dict.fromkeys(known))
    return did_you_mean(name[:80], known, f"there are {there}, and skill_NAME for each skill", "{}")


def _did_you_mean(skill: str | None) -> str | None:
    return f"did you mean {tool_name(PREFIX + skill)}?" if skill and skill not in RESERVED else None
