"""The arguments of host functions, checked by value."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from skillbag.runtime.errors import BadParametersError
from skillbag.runtime.skill import Json

LEVELS = ("debug", "info", "warning", "error")
"""Levels of `log`."""

_REQUIRED = object()


class ParameterKind(StrEnum):
    """What a value must be; the words are for messages."""

    TEXT = "a text"
    WORD = "a text without NUL"
    WORDS = "a list of texts without NUL"
    FLAG = "true or false"
    OBJECT = "an object"
    LEVEL = "debug, info, warning or error"
    VALUE = "a JSON value"


class Parameter(NamedTuple):
    """A parameter; without a default it is required. `is_detail`: a question of approval shows it."""

    name: str
    kind: ParameterKind
    default: Any = _REQUIRED
    is_detail: bool = False


def check_arguments(parameters: tuple[Parameter, ...], arguments: Mapping[str, Json]) -> tuple[Json, ...]:
    """The value of each parameter, in their order.

    Raises:
        BadParametersError: one is missing, unknown, or not of its kind. The message repeats no value: it may be a
            secret.
    """
    known = {parameter.name for parameter in parameters}
    for name in arguments:
        if name not in known:
            raise BadParametersError(f"there is no argument {str(name)[:80]!r}; it takes {_listed(parameters)}")
    values = []
    for parameter in parameters:
        value = arguments.get(parameter.name, parameter.default)
        if value is _REQUIRED:
            raise BadParametersError(f'the argument "{parameter.name}" is missing')
        if parameter.name in arguments and not _CHECKS[parameter.kind](value):
            raise BadParametersError(f'the argument "{parameter.name}" must be {parameter.kind}')
        values.append(value)
    return tuple(values)


def _listed(parameters: tuple[Parameter, ...]) -> str:
    return ", ".join(parameter.name for parameter in parameters) or "none"


def _is_text(value: Json) -> bool:
    """Whether it is a text that UTF-8 can hold: without half characters."""
    try:
        return isinstance(value, str) and value.encode("utf-8") is not None
    except UnicodeEncodeError:
        return False


def _is_word(value: Json) -> bool:
    return _is_text(value) and "\0" not in value


_CHECKS: Mapping[ParameterKind, Callable[[Json], bool]] = {
    ParameterKind.TEXT: _is_text,
    ParameterKind.WORD: _is_word,
    ParameterKind.WORDS: lambda value: isinstance(value, list) and all(map(_is_word, value)),
    ParameterKind.FLAG: lambda value: isinstance(value, bool),
    ParameterKind.OBJECT: lambda value: isinstance(value, dict),
    ParameterKind.LEVEL: lambda value: value in LEVELS,
    ParameterKind.VALUE: lambda value: True,
}
