"""The tools: each defined once, for every door."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from skillbag.agent.scope import Scope
from skillbag.errors import UserError


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


class BadArgumentsError(UserError):
    """Arguments that do not fit a tool's schema: which one, and what it must be."""


class Offer(NamedTuple):
    """The tools of a scope in a fixed order: management, lifecycle, then one for each skill by name; and remarks."""

    tools: tuple[Tool, ...]
    remarks: tuple[str, ...] = ()


def offered_tools(scope: Scope) -> Offer:
    """All tools of the scope: `skill_add` and `skill_remove` in a user's session only.

    Raises:
        UserError: the catalog can't be read.
    """
    raise NotImplementedError


def find_tool(scope: Scope, name: str) -> Tool:
    """The tool of this name; does not read more than it needs to (a management tool needs no catalog).

    Raises:
        UnknownToolError: there is none.
    """
    raise NotImplementedError


def call_tool(scope: Scope, name: str, arguments: object) -> Result:
    """Find the tool, hold the arguments to its schema, and call it. A ready `skill_NAME` becomes the active skill.

    Raises:
        UnknownToolError, BadArgumentsError: before anything was done.
        UserError, OSError: it failed; the message is for the agent.
    """
    raise NotImplementedError
