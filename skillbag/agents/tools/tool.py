"""What a tool is, what it returns, and the definitions of those that are built in."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from skillbag.agents.settings.scope import Scope
from skillbag.kernel.base.call_input import CallInput, Json
from skillbag.kernel.base.errors import UserError

if TYPE_CHECKING:
    from skillbag.agents.permissions.active import SkillInUse
    from skillbag.agents.permissions.allowed_tools import Call

Shape = Mapping[str, Any]


class BadArgumentsError(UserError):
    """The arguments do not match the tool's schema: which one, and what it must be."""


class UnknownToolError(UserError):
    """There is no such tool; the message suggests one where the name is close."""


class ToolFailedError(UserError):
    """The tool of an active skill failed, or one of its hooks forbids the call; the message is for the agent."""


class ToolResult(NamedTuple):
    """What a tool returns. `value` matches the tool's `result` schema: a text for the agent, or plain JSON values.

    With `asks` the user must answer the questions in the value first. `note` is a sentence for the agent about it.
    """

    value: Json
    asks: bool = False
    note: str = ""

    @property
    def text(self) -> str:
        """The value as an agent reads it: a text as it is, anything else as JSON."""
        return self.value if isinstance(self.value, str) else json.dumps(self.value, indent=2, ensure_ascii=False)

    @property
    def full_text(self) -> str:
        """The value and the note, as an agent reads them."""
        return "\n\n".join(filter(None, (self.text, self.note)))


Forms: TypeAlias = "Callable[[Scope, CallInput, SkillInUse], Iterable[Call]]"
"""As `Tool.forms`: the forms of a call, held against the list of this skill. Nothing is called."""


class Tool(NamedTuple):
    """One tool. `parameters` and `result` are JSON Schemas; `call` takes the scope, and by their names arguments that
    match the former.

    `skill` is the skill's name, for a `skill_NAME`. `writes`: it changes more than the session's own state; with
    `writing_actions` only these values of `action` do. `destroys`: it may delete or replace something. `runs_scripts`:
    it runs a program, without any bound on its effects or its time. `user_only`: offered only in a user's own session.
    `has_hooks`: `call` fires the hooks of active skills itself. `checks`: it checks its arguments itself. `forms`: the
    calls as which the `allowed-tools` of a skill may allow a call; without it, no list forbids one.
    `call` raises `UserError` for a request that can't be fulfilled, `OSError` where the environment fails.
    """

    name: str
    description: str
    parameters: Shape
    result: Shape
    call: Callable[..., ToolResult]
    skill: str | None = None
    writes: bool = False
    destroys: bool = False
    writing_actions: Sequence[str] = ()
    runs_scripts: bool = False
    user_only: bool = False
    has_hooks: bool = False
    checks: bool = False
    forms: Forms | None = None

    def changes_files(self, arguments: CallInput) -> bool:
        """Whether a call with these arguments (not checked yet) may change files."""
        return self.writes and (not self.writing_actions or arguments.get("action") in self.writing_actions)


def own_names() -> dict[str, str]:
    """The names of this program's own tools, which no active skill may take, each with its owner."""
    return dict.fromkeys((name for name in _definitions() if name != "skill_NAME"), "skillbag's tools")


def built_in(name: str, call: Callable[..., ToolResult]) -> Tool:
    """The tool that `tools.json` defines by this name; `skill_NAME` is that of any skill."""
    return Tool(name, call=call, **_definitions()[name])


@cache
def _definitions() -> Mapping[str, Shape]:
    with open(os.path.join(os.path.dirname(__file__), "tools.json"), encoding="utf-8") as file:
        definitions: Mapping[str, Shape] = json.load(file)
    return definitions


class OfferedTools(NamedTuple):
    """The tools of a scope, in a fixed order: the built-in ones, then one for each skill by name, then those of active
    skills; and remarks."""

    tools: tuple[Tool, ...]
    remarks: tuple[str, ...] = ()
