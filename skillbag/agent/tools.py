"""The tools: each defined once, for every door."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from skillbag.agent.arguments import BadArgumentsError, checked
from skillbag.base.errors import UserError
from skillbag.settings.scope import Scope

__all__ = [
    "BadArgumentsError",
    "Offer",
    "Result",
    "Tool",
    "UnknownToolError",
    "call_tool",
    "find_tool",
    "offered_tools",
]


class Result(NamedTuple):
    """What a tool gives. `value` fits the tool's `result` schema: a text for the agent, or plain JSON values.

    With `asks` the user must be asked something first, which the value tells.
    """

    value: str | list[Any] | dict[str, Any]
    asks: bool = False

    @property
    def text(self) -> str:
        """The value as an agent reads it: a text as it is, anything else as JSON."""
        if isinstance(self.value, str):
            return self.value
        import json

        return json.dumps(self.value, indent=2, ensure_ascii=False)


class Tool(NamedTuple):
    """One tool. `parameters` and `result` are JSON Schemas; `call` is given arguments that fit the former.

    `skill` is the name of the skill that it is for, of a `skill_NAME`. `writes` says whether it changes anything beyond
    the session's own state, `destroys` whether something may be gone afterwards. `call` raises `UserError` for what
    can't be done as asked, `OSError` where the environment fails.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    result: Mapping[str, Any]
    call: Callable[[Scope, Mapping[str, Any]], Result]
    skill: str | None = None
    writes: bool = False
    destroys: bool = False


class UnknownToolError(UserError):
    """There is no such tool; with the one that may be meant."""


class Offer(NamedTuple):
    """The tools of a scope in a fixed order: management, lifecycle, then one for each skill by name; and remarks."""

    tools: tuple[Tool, ...]
    remarks: tuple[str, ...] = ()


def offered_tools(scope: Scope) -> Offer:
    """All tools of the scope: `skill_add` and `skill_remove` in a user's session only.

    Raises:
        UserError: the catalog can't be read.
    """
    from skillbag.agent.skill_tool import skill_tool
    from skillbag.personal.available import RESERVED, available_skills

    skills = available_skills(scope)
    of_skills = (skill_tool(one) for name, one in skills.by_name.items() if name not in RESERVED)
    return Offer((*_own(scope).values(), *of_skills), skills.remarks)


def find_tool(scope: Scope, name: str) -> Tool:
    """The tool of this name; does not read more than it needs to (a management tool needs no catalog).

    Raises:
        UnknownToolError: there is none.
        UserError: the catalog can't be read.
    """
    own = _own(scope)
    if name in own:
        return own[name]

    from skillbag.agent.skill_tool import PREFIX, skill_tool
    from skillbag.personal.available import RESERVED, UnknownSkillError, find_skill

    skill = name.removeprefix(PREFIX)
    if skill == name:
        raise UnknownToolError(_unknown(name, _meant(scope, name, own)))
    if skill in RESERVED:
        raise UnknownToolError(_unknown(name, "only a user's own session has it"))
    try:
        return skill_tool(find_skill(scope, skill))
    except UnknownSkillError as error:
        raise UnknownToolError(_unknown(name, _hint_at(error.meant) or str(error))) from None


def call_tool(scope: Scope, name: str, arguments: object) -> Result:
    """Find the tool, hold the arguments to its schema, and call it. A ready `skill_NAME` becomes the active skill.

    No secret is in the result, and nothing that UTF-8 can't hold.

    Raises:
        UnknownToolError, BadArgumentsError: before anything was done.
        UserError, OSError: it failed; the message is for the agent.
    """
    tool = find_tool(scope, name)
    result = tool.call(scope, checked(tool.name, tool.parameters, arguments))
    return result._replace(value=_sanitize(result.value))


def _own(scope: Scope) -> Mapping[str, Tool]:
    """The tools that are no skill's, by name."""
    return {one.name: one for one in _defined() if scope.user or one.name not in _OF_USERS}


_OF_USERS = frozenset({"skill_add", "skill_remove"})


@lru_cache(maxsize=1)
def _defined() -> tuple[Tool, ...]:
    from skillbag.agent import file_tools, lifecycle_tools, management_tools

    return (
        management_tools.SKILL_MARKETPLACE,
        file_tools.READ_SKILL_FILE,
        file_tools.RUN_SKILL_SCRIPT,
        management_tools.SKILL_ADD,
        management_tools.SKILL_REMOVE,
        lifecycle_tools.ENTER,
        lifecycle_tools.REFRESH,
        lifecycle_tools.RESOLVE,
        lifecycle_tools.REMEMBER,
    )


def _unknown(name: str, hint: str) -> str:
    shown = name[:80] if name.isprintable() else ascii(name[:80])
    return f"{shown}: there is no such tool; {hint}"


def _meant(scope: Scope, name: str, own: Iterable[str]) -> str:
    """What was asked for instead of a tool: a skill by its mere name, or a tool of ours nearly so."""
    if hint := _hint_at(_skill_meant(scope, name)):
        return hint
    close = difflib.get_close_matches(name[:80], list(own), 1)
    return f"did you mean {close[0]}?" if close else f"there are {', '.join(own)}, and skill_NAME for each skill"


def _skill_meant(scope: Scope, name: str) -> str | None:
    """The skill of this name, or nearly so; nothing is read for what is no skill's name."""
    from skillbag.checks.names import is_name
    from skillbag.personal.available import UnknownSkillError, find_skill

    try:
        return find_skill(scope, name).name if is_name(name) else None
    except UnknownSkillError as error:
        return error.meant
    except (UserError, OSError):
        return None


def _hint_at(skill: str | None) -> str | None:
    from skillbag.agent.skill_tool import PREFIX
    from skillbag.personal.available import RESERVED

    return f"did you mean {PREFIX}{skill}?" if skill and skill not in RESERVED else None


def _sanitize(value: Any) -> Any:
    """Plain values with every text masked and fit for UTF-8."""
    if isinstance(value, str):
        from skillbag.report.sanitize import masked

        return masked(value).encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, list):
        return [_sanitize(item) for item in value]
    if isinstance(value, dict):
        return {_sanitize(key): _sanitize(item) for key, item in value.items()}
    return value
