"""JSON Schemas that several tools share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

Shape = Mapping[str, Any]

NAME_PATTERN: Final = "^[a-z0-9]+(-[a-z0-9]+)*$"
"""A skill's canonical name (clause root.name-pattern)."""

ANY_CASE_PATTERN: Final = "^[A-Za-z0-9]+(-[A-Za-z0-9]+)*$"
"""A skill's name in any case of letters."""

SKILL_OR_ALL_PATTERN: Final = r"^([a-z0-9]+(-[a-z0-9]+)*|\*)$"
"""A skill's canonical name, or `*` for all skills."""

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


def object_of(properties: Mapping[str, Shape], required: tuple[str, ...] = ()) -> Shape:
    """An object with these properties and no others."""
    shape: dict[str, Any] = {"type": "object", "properties": dict(properties), "additionalProperties": False}
    return {**shape, "required": list(required)} if required else shape
