"""Our side of the executable plugin protocol: the schema, and the answers to hooks.

Source: agent-tools, "The executable plugin protocol". `calls` reads a call, `tools.registry.call_tool` runs it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from skillbag.agents.permissions.active import SkillInUse, activate, allowed_tools_of, clear_active_skill
from skillbag.agents.plugins.active_hooks import PluginAnswer, ask_active_skills
from skillbag.agents.plugins.calls import HookData, read_hook_data
from skillbag.agents.settings.scope import Scope
from skillbag.kernel.base.errors import UserError, format_error
from skillbag.kernel.base.json_records import ABSENT
from skillbag.report.sanitize import exact, shown

if TYPE_CHECKING:
    from skillbag.agents.personal.available import AgentSkill
    from skillbag.agents.tools.active_tools import ActiveTools
    from skillbag.agents.tools.tool import OfferedTools, Tool
    from skillbag.report.answers.commands import PluginToolJson

PRE_TOOL = "pre_tool"
HOOKS = ("on_start", "post_system_prompt", PRE_TOOL)

_SKILL = "skill_"

_LONGEST_LINE = 1024
"""Characters of a description: the limit of the format."""

_LONGEST_INDEX, _LONGEST_MESSAGE = 1 << 15, 2000
"""Characters of the text in every prompt, and of the message of a block."""


def offered_at(scope: Scope, more: ActiveTools | None = None) -> OfferedTools:
    """The tools of the scope, and `more`. If the workspace or the personal skills can't be read: those that need
    neither, with remarks on the reason. An agent without any tool could not fix it."""
    from skillbag.agents.tools.registry import offered_tools
    from skillbag.agents.tools.tool import OfferedTools

    problems: list[str] = []
    for part in (scope, scope._replace(root=None), scope._replace(root=None, personal=None)):
        try:
            offer = offered_tools(part, more)
        except (UserError, OSError) as error:
            problems.append(format_error(error))
        else:
            return OfferedTools(offer.tools, (*dict.fromkeys(problems), *offer.remarks))
    return OfferedTools((), tuple(dict.fromkeys(problems)))


def schema(tools: Iterable[Tool], hooks: Iterable[str] = HOOKS) -> tuple[PluginToolJson, ...]:
    """What `--schema` prints."""
    from skillbag.report.answers.commands import PluginToolJson

    named = tuple(dict.fromkeys(hooks))
    entries = [PluginToolJson(tool.name, tool.description, tool.parameters) for tool in tools]
    return tuple(each._replace(hooks=ABSENT if number else named) for number, each in enumerate(entries))


def answer_hook(
    scope: Callable[[], Scope],
    hook: str,
    environment: Mapping[str, str],
    piped: Callable[[], bytes],
    remark: Callable[[str], None] = lambda sentence: None,
) -> PluginAnswer:
    """The answer to a hook. Of our own, only `pre_tool` needs its data, which `piped` may read; if anything fails, it
    blocks. `remark` gets what active skills have to tell the user.

    Raises:
        UserError, OSError: another hook can't be answered.
    """
    data = HookData()
    try:
        try:
            data = read_hook_data(environment, piped)
        except UserError:
            if hook == PRE_TOOL:
                raise
        return handle_hook(scope(), hook, data, remark)
    except Exception as error:
        if hook != PRE_TOOL:
            raise
        return blocked(error)


def blocked(error: Exception) -> PluginAnswer:
    """The answer to `pre_tool` if it failed: no error may look like permission."""
    if isinstance(error, UserError | OSError):
        return _refusal(f"Tool call blocked, since it is unknown whether it is allowed: {format_error(error)}")
    import traceback

    traceback.print_exc()
    return _refusal(f"Tool call blocked by a bug in skillbag ({type(error).__name__})")


def handle_hook(
    scope: Scope, hook: str, data: HookData, remark: Callable[[str], None] = lambda sentence: None
) -> PluginAnswer:
    """The answer to a hook, which is empty for an unknown one. `remark` gets what active skills have to tell the user.

    Raises:
        UserError, OSError: it can't be answered; for `pre_tool` answer with `blocked` then.
    """
    own = _own_answer(scope, hook, data)
    if own.block is True:
        return own
    more = ask_active_skills(scope, hook, data, remark)
    injected = [each.inject for each in (own, more) if each.inject is not ABSENT]
    return more._replace(inject="\n\n".join(injected) or ABSENT)


def _own_answer(scope: Scope, hook: str, data: HookData) -> PluginAnswer:
    """The answer without active skills."""
    if hook == "on_start":
        clear_active_skill(scope)
    if hook == "post_system_prompt":
        return PluginAnswer(_index(scope) or ABSENT)
    return _decide(scope, data) if hook == PRE_TOOL else PluginAnswer()


def _refusal(reason: str) -> PluginAnswer:
    """The answer to `pre_tool` that blocks the call; no answer would allow it."""
    return PluginAnswer(block=True, message=_cut(exact(reason).strip(), _LONGEST_MESSAGE))


def _index(scope: Scope) -> str:
    """The skills that have a tool, one line each; empty without any."""
    skills = [tool for tool in offered_at(scope).tools if tool.skill]
    if not skills:
        return ""
    # One line for each description: it can't add headings to a system prompt.
    lines = [f"{_named(tool)}: {_cut(shown(' '.join(tool.description.split())), _LONGEST_LINE)}" for tool in skills]
    parts = [
        "## Available Agent Skills",
        "\n".join(_fitting(lines)),
        "Use skill_[name] tools to invoke a skill and receive detailed instructions.",
    ]
    if scope.root is not None:
        parts.append("This folder is a SkillBag workspace: call `enter` first, before any skill.")
    return "\n\n".join(parts)


def _named(tool: Tool) -> str:
    is_whole = tool.name == f"{_SKILL}{tool.skill}"
    return f"- **{tool.skill}**" if is_whole else f"- **{tool.skill}** (its tool is {tool.name})"


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most].rstrip()}…"


def _fitting(lines: list[str]) -> Iterator[str]:
    """As many lines as fit, then how the others are found."""
    room = _LONGEST_INDEX
    for number, line in enumerate(lines):
        room -= len(line) + 1
        if room < 0:
            yield f"- and {len(lines) - number} more: each has a tool of its own, skill_[name]"
            return
        yield line


def _decide(scope: Scope, data: HookData) -> PluginAnswer:
    """Allow or block a call. No skill allows a tool without a name."""
    from skillbag.agents.permissions.allowed_tools import why_blocked

    tool, arguments = data.tool_name, data.arguments
    if tool.startswith(_SKILL) and (skill := _find_skill(scope, tool.removeprefix(_SKILL))):
        from skillbag.agents.tools.skill_tools import dangers_text

        if dangers := dangers_text(scope, skill):
            return _refusal(dangers)
        activate(scope, SkillInUse(skill.name, allowed_tools_of(skill.directory, skill.file), skill.directory))
        return PluginAnswer()
    reason = why_blocked(scope, tool, arguments if isinstance(arguments, dict) else None)
    return _refusal(reason) if reason else PluginAnswer()


def _find_skill(scope: Scope, name: str) -> AgentSkill | None:
    """The skill that has a tool; None for an unknown one, which the call itself reports."""
    from skillbag.agents.personal.available import available_skill
    from skillbag.agents.personal.names import RESERVED, UnknownSkillError

    try:
        return None if name in RESERVED else available_skill(scope, name)
    except UnknownSkillError:
        return None
