"""Validate the arguments of a call against the tool's JSON Schema."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from skillbag.agents.tools.tool import BadArgumentsError, Shape
from skillbag.kernel.base.call_input import CallInput
from skillbag.kernel.base.name_lists import did_you_mean

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator, ValidationError

MAX_TEXT = 1 << 20
"""Characters of all texts of a call, together."""

MAX_VALUES = 100_000
DEEPEST = 32
LONGEST_NUMBER = 10_000
"""Bits of a whole number; Python refuses to print much longer ones."""


def check_arguments(tool: str, shape: Shape, arguments: object) -> CallInput:
    """The arguments of a call of the named tool; None counts as no arguments.

    Raises:
        BadArgumentsError: they do not match the schema. The message repeats no value: it might be a secret.
    """
    checked = plain_arguments(tool, arguments)
    error = next(_validator(json.dumps(shape)).iter_errors(checked), None)
    if error is not None:
        raise BadArgumentsError(f"{tool}: {_message(shape, error)}")
    _check_patterns(tool, shape, checked)
    return checked


def plain_arguments(tool: str, arguments: object) -> CallInput:
    """The arguments of a call, of a bounded size; None counts as no arguments.

    Raises:
        BadArgumentsError: they are no JSON object, or too large.
    """
    if arguments is None:
        arguments = {}
    if not isinstance(arguments, dict):
        raise BadArgumentsError(f'{tool}: the arguments are not a JSON object; write {{"NAME": VALUE}}')
    _check_plain(tool, arguments)
    return arguments


@lru_cache(maxsize=64)
def _validator(shape: str) -> Draft202012Validator:
    from jsonschema import Draft202012Validator

    return Draft202012Validator(json.loads(shape))


def _check_plain(tool: str, arguments: CallInput) -> None:
    """Refuse what JSON can't hold, and what is too large or too deep; without recursion."""
    pending: list[tuple[str, object, int]] = [("", arguments, 0)]
    texts = values = 0
    while pending:
        name, value, depth = pending.pop()
        fault = "it is nested too deep" if depth > DEEPEST else _fault(value)
        if isinstance(value, dict):
            pending += [
                (name or printable(key), item, depth + 1) for key, item in value.items() if isinstance(key, str)
            ]
            texts += sum(len(key) for key in value if isinstance(key, str))
        elif isinstance(value, list):
            pending += [(name, item, depth + 1) for item in value]
        elif isinstance(value, str):
            texts += len(value)
        values += 1
        if texts > MAX_TEXT or values + len(pending) > MAX_VALUES:
            fault = f"a call takes {MAX_TEXT:,} characters at most; put it into a file, and give its path"
        if fault:
            raise BadArgumentsError(f"{tool}: {f'`{name}`: ' if name else ''}{fault}")


def _fault(value: object) -> str:
    if isinstance(value, str):
        return _fault_of_text(value)
    if isinstance(value, dict):
        keys = (_fault_of_text(key) if isinstance(key, str) else "names must be text" for key in value)
        return next(filter(None, keys), "")
    if isinstance(value, float):
        return "" if math.isfinite(value) else "JSON has no such number; give one that it has"
    if isinstance(value, int):
        return "" if value.bit_length() <= LONGEST_NUMBER else "the number is too long; give it as text"
    return "" if value is None or isinstance(value, list) else "JSON has no such value; give text, numbers, lists"


def _fault_of_text(text: str) -> str:
    if "\0" in text:
        return "a NUL character is in it; leave it out"
    try:
        text.encode()
    except UnicodeEncodeError:
        return "it contains half of a surrogate pair, which is not a character; leave it out"
    return ""


def _check_patterns(tool: str, shape: Shape, arguments: CallInput) -> None:
    """Refuse a trailing line end, before which `$` also matches in JSON Schema."""
    for name, value in arguments.items():
        schema = shape["properties"][name]
        pattern = schema.get("items", schema).get("pattern", "")
        for item in value if isinstance(value, list) else (value,):
            if pattern.endswith("$") and isinstance(item, str) and not re.fullmatch(pattern.removesuffix("$"), item):
                raise BadArgumentsError(f"{tool}: `{name}` must be {_PATTERNS[pattern]}")


def _message(shape: Shape, error: ValidationError) -> str:
    path = ".".join(str(step) for step in error.absolute_path)
    must = f"`{printable(path)}` must "
    limit: Any = error.validator_value
    given: Any = error.instance
    match error.validator:
        case "required":
            name = next(name for name in limit if name not in given)
            return f"`{name}` is missing: {shape['properties'][name]['description']}"
        case "additionalProperties":
            return _unknown(given, list(shape["properties"]))
        case "type":
            return f"{must}be {_TYPES[str(limit)]}"
        case "anyOf":
            *types, last = [_TYPES[option["type"]] for option in limit]
            return f"{must}be {', '.join(types)} or {last}"
        case "enum":
            return f"{must}be one of {', '.join(limit)}"
        case "pattern":
            return f"{must}be {_PATTERNS[str(limit)]}"
        case validator:
            return f"{must}{_LIMITS[str(validator)].format(limit)}"


_TYPES: Mapping[str, str] = {
    "string": "text",
    "boolean": "true or false",
    "number": "a number",
    "integer": "a whole number",
    "array": "a list",
    "object": "an object",
}
_NAME_FORM = "a skill's name: a-z, 0-9 and single hyphens"
_PATTERNS: Mapping[str, str] = {
    "^[a-z0-9]+(-[a-z0-9]+)*$": _NAME_FORM,
    "^[A-Za-z0-9]+(-[A-Za-z0-9]+)*$": f"{_NAME_FORM}, in any case",
    r"^([a-z0-9]+(-[a-z0-9]+)*|\*)$": f"{_NAME_FORM}; or * for all",
    "^[^=]+=": "NAME=VALUE",
}
"""The patterns of `tools.json` in words."""
_LIMITS: Mapping[str, str] = {
    "minLength": "not be empty",
    "maxLength": "have {} characters at most",
    "minimum": "be {} or more",
    "maximum": "be {} or less",
    "exclusiveMinimum": "be more than {}",
    "maxItems": "have {} items at most",
}


def _unknown(given: CallInput, known: list[str]) -> str:
    name = next(name for name in given if name not in known)
    hint = did_you_mean(name[:80], known, f"there are {', '.join(known) or 'none'}", "`{}`")
    return f"there is no argument `{printable(name)}`; {hint}"


def printable(name: str) -> str:
    """A name for a message: its first 80 characters, escaped where they can't be printed."""
    return name[:80] if name.isprintable() else ascii(name[:80])
