"""GitHub's expressions, as far as our action uses them: names, literals, `== != && || !`, and the status functions."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

_EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")
_TOKEN = re.compile(r"\s*('(?:[^']|'')*'|[\w.-]+\(\)|[\w.-]+|&&|\|\||==|!=|!|\(|\))")
_LITERALS = {"true": True, "false": False, "null": None}


def filled(text: str, contexts: Mapping[str, Any]) -> str:
    """A text with the values of its expressions."""
    return _EXPRESSION.sub(lambda match: as_text(evaluated(match[1], contexts)), text)


def holds(condition: str | None, contexts: Mapping[str, Any], failed: bool) -> bool:
    """Whether a step with this `if:` runs; without a status function only if no step before it failed."""
    if condition is None:
        return not failed
    status = {"always()": True, "success()": not failed, "failure()": failed}
    value = bool(evaluated(_EXPRESSION.sub(r"\1", condition), {**contexts, **status}))
    return value and (not failed or any(name in condition for name in status))


def evaluated(expression: str, contexts: Mapping[str, Any]) -> Any:
    """The value of an expression."""
    tokens = _TOKEN.findall(expression)
    assert "".join(tokens) == re.sub(r"\s+", "", expression), f"not understood: {expression}"
    value, rest = _either(tokens, contexts)
    assert not rest, f"not understood: {expression}"
    return value


def as_text(value: Any) -> str:
    """A value as a text of an environment or an input."""
    return {None: "", True: "true", False: "false"}[value] if value is None or isinstance(value, bool) else str(value)


Parsed = tuple[Any, list[str]]


def _either(tokens: list[str], contexts: Mapping[str, Any]) -> Parsed:
    return _joined(tokens, contexts, "||", _both, lambda one, other: one or other)


def _both(tokens: list[str], contexts: Mapping[str, Any]) -> Parsed:
    return _joined(tokens, contexts, "&&", _compared, lambda one, other: one and other)


def _joined(
    tokens: list[str],
    contexts: Mapping[str, Any],
    sign: str,
    inner: Callable[[list[str], Mapping[str, Any]], Parsed],
    join: Callable[[Any, Any], Any],
) -> Parsed:
    value, rest = inner(tokens, contexts)
    while rest[:1] == [sign]:
        other, rest = inner(rest[1:], contexts)
        value = join(value, other)
    return value, rest


def _compared(tokens: list[str], contexts: Mapping[str, Any]) -> Parsed:
    value, rest = _single(tokens, contexts)
    if rest and rest[0] in ("==", "!="):
        other, after = _single(rest[1:], contexts)
        return _equal(value, other) is (rest[0] == "=="), after
    return value, rest


def _equal(one: Any, other: Any) -> bool:
    """Texts are compared without case; values of different types as numbers, of which nothing is zero."""
    if isinstance(one, str) and isinstance(other, str):
        return one.lower() == other.lower()
    return _number(one) == _number(other) if type(one) is not type(other) else bool(one == other)


def _number(value: Any) -> float:
    try:
        return float(value or 0)
    except (TypeError, ValueError):
        return float("nan")


def _single(tokens: list[str], contexts: Mapping[str, Any]) -> Parsed:
    token, rest = tokens[0], tokens[1:]
    if token == "!":
        value, rest = _single(rest, contexts)
        return not value, rest
    if token == "(":
        value, rest = _either(rest, contexts)
        return value, rest[1:]
    if token.startswith("'"):
        return token[1:-1].replace("''", "'"), rest
    if token in _LITERALS:
        return _LITERALS[token], rest
    return _looked_up(token, contexts), rest


def _looked_up(name: str, contexts: Mapping[str, Any]) -> Any:
    if name in contexts:
        return contexts[name]
    first, *parts = name.split(".")
    assert first in contexts, f"the runner of the tests does not know {name}"
    value: Any = contexts[first]
    for part in parts:
        value = value.get(part) if isinstance(value, Mapping) else None
    return value
