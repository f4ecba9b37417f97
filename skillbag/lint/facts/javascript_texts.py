"""What expressions of JavaScript may be as texts."""

from __future__ import annotations

from collections.abc import Sequence
from shlex import quote

from skillbag.lint.facts.carried import Carried
from skillbag.lint.facts.javascript_calls import PASSED
from skillbag.lint.facts.javascript_tree import ScriptToken

MAX = 12
"""Texts that one expression may be."""


def texts_of_call(name: str, held: Carried, values: Sequence[Carried]) -> tuple[str, ...]:
    """The texts that a call may give."""
    method = name.rpartition(".")[2]
    given = [value.texts for value in values]
    if method == "homedir":
        return ("~",)
    if held.texts and all(given):
        match method, len(given):
            case (("split" | "reverse"), _):
                return held.texts
            case "join", _ if "split()" in name:
                return tuple(text[::-1] for text in held.texts) if "reverse()" in name else held.texts
            case "join", 0 | 1:
                return ((given[0][0] if given else ",").join(held.texts),)
            case "concat", _:
                return tuple("".join(row) for row in _products([held.texts, *given]))
            case (("replace" | "replaceAll"), 2):
                return tuple(text.replace(given[0][0], given[1][0]) for text in held.texts)
    if method in ("join", "resolve") and len(values) > 1:
        return tuple("/".join(parts) for parts in _products([texts or ("\0",) for texts in given]))
    if method in PASSED or len(values) == 1:
        return given[0] if given else held.texts
    return ()


def lines_of(values: Sequence[Carried]) -> tuple[str, ...]:
    """The command lines of a call that starts a program: a line, or a program and the list of its arguments."""
    if not values or not values[0].texts:
        return ()
    if len(values) > 1 and len(values[0].texts) == 1 and values[1].texts:
        words = (values[0].texts[0], *values[1].texts)
        return (" ".join(word if "\0" in word else quote(word) for word in words),)
    return values[0].texts


def _products(columns: Sequence[Sequence[str]]) -> list[list[str]]:
    found: list[list[str]] = [[]]
    for column in columns:
        found = [[*row, text] for row in found for text in column][:MAX]
    return found


def put_together(texts: Sequence[Sequence[str]], items: Sequence[ScriptToken]) -> tuple[str, ...]:
    if not texts:
        return ()
    if len(texts) == 1 or not any(item.text == "+" and item.kind == "sign" for item in items):
        return tuple(texts[0][:MAX])
    return tuple("".join(row) for row in _products(texts))
