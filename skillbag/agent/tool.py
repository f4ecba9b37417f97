"""What a tool is, what it returns, and the JSON Schemas that several tools share."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from skillbag.base.errors import UserError
from skillbag.settings.scope import Scope

Shape = Mapping[str, Any]

NAME_PATTERN: Final = "^[a-z0-9]+(-[a-z0-9]+)*$"
"""A skill's canonical name (clause root.name-pattern)."""

ANY_CASE_PATTERN: Final = "^[A-Za-z0-9]+(-[A-Za-z0-9]+)*$"
SKILL_OR_ALL_PATTERN: Final = r"^([a-z0-9]+(-[a-z0-9]+)*|\*)$"
PAIR_PATTERN: Final = "^[^=]+="
"""A value of a parameter, as `--prohibit` takes it."""

NAME: Final[Shape] = {"type": "string", "pattern": NAME_PATTERN, "maxLength": 64}
TEXT: Final[Shape] = {"type": "string"}
FLAG: Final[Shape] = {"type": "boolean"}
INPUTS: Final[Shape] = {
    "type": "object",
    "description": "Values of the skill's parameters, by name, that the conversation gives; "
    "`confirm` takes the risks that the user accepts, by name.",
}
PROHIBITS: Final[Shape] = {
    "type": "array",
    "items": {"type": "string", "pattern": PAIR_PATTERN},
    "description": "Values of parameters that the conversation rules out, each as NAME=VALUE.",
}


def described(shape: Shape, description: str) -> Shape:
    """The schema with a description."""
    return {**shape, "description": description}


def text_of(most: int, description: str) -> Shape:
    """A text that is not empty, of at most `most` characters."""
    return {"type": "string", "minLength": 1, "maxLength": most, "description": description}


def list_of(items: Shape, description: str) -> Shape:
    """A list of at most 1,000 items."""
    return {"type": "array", "items": items, "maxItems": 1000, "description": description}


def object_of(properties: Mapping[str, Shape], required: tuple[str, ...] = ()) -> Shape:
    """An object with these properties and no others."""
    shape: dict[str, Any] = {"type": "object", "properties": dict(properties), "additionalProperties": False}
    return {**shape, "required": list(required)} if required else shape


class BadArgumentsError(UserError):
    """The arguments do not match the tool's schema: which one, and what it must be."""


class UnknownToolError(UserError):
    """There is no such tool; the message suggests one where the name is close."""


class Result(NamedTuple):
    """What a tool returns. `value` matches the tool's `result` schema: a text for the agent, or plain JSON values.

    With `asks` the user must answer the questions in the value first.
    """

    value: str | list[Any] | dict[str, Any]
    asks: bool = False

    @property
    def text(self) -> str:
        """The value as an agent reads it: a text as it is, anything else as JSON."""
        return self.value if isinstance(self.value, str) else json.dumps(self.value, indent=2, ensure_ascii=False)


class Tool(NamedTuple):
    """One tool. `parameters` and `result` are JSON Schemas; `call` requires arguments that match the former.

    `skill` is the skill's name, for a `skill_NAME`. `writes`: it changes more than the session's own state; with
    `writing_actions` only these values of `action` do. `destroys`: it may delete or replace something. `runs_scripts`:
    it runs a program, without any bound on its effects or its time. `user_only`: offered only in a user's own session.
    `call` raises `UserError` for a request that can't be fulfilled, `OSError` where the environment fails.
    """

    name: str
    description: str
    parameters: Shape
    result: Shape
    call: Callable[[Scope, Mapping[str, Any]], Result]
    skill: str | None = None
    writes: bool = False
    destroys: bool = False
    writing_actions: frozenset[str] = frozenset()
    runs_scripts: bool = False
    user_only: bool = False

    def changes_files(self, arguments: Mapping[str, Any]) -> bool:
        """Whether a call with these arguments (not checked yet) may change files."""
        return self.writes and (not self.writing_actions or arguments.get("action") in self.writing_actions)


class Offer(NamedTuple):
    """The tools of a scope, in a fixed order: the built-in ones, then one for each skill by name; and remarks."""

    tools: tuple[Tool, ...]
    remarks: tuple[str, ...] = ()
