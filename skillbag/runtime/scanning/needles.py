"""What a text must hold for a regular expression to match in it (skill runtime, section 8).

A text without it needs no search, and so is never sent to the child that searches. That is certain only for literals
that every match has; whatever else an expression consists of is passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Any, NamedTuple

MAX_ALTERNATIVES = 16
"""Literals of which one is looked for. An expression with more is searched for in every text."""

_REPEATS = {"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"}


class Needle(NamedTuple):
    """Literals of which every match has one. Where `folds`, case does not count, and they are lower-case ASCII."""

    any_of: tuple[str, ...]
    folds: bool

    def may_be_in(self, text: str) -> bool:
        """Whether a match is possible. Takes time linear in the text."""
        if self.folds:
            # Other alphabets have letters that are equal to one of ASCII, such as the long s.
            if not text.isascii():
                return True
            text = text.lower()
        return any(literal in text for literal in self.any_of)


def needle_of(expression: str) -> Needle | None:
    """What every match of a valid expression has; None if that is not known."""
    try:
        parsed = import_module("re._parser").parse(expression, re.MULTILINE)
        folds = bool(parsed.state.flags & re.IGNORECASE)
        any_of = _needed(parsed, folds)
    except (ImportError, AttributeError, RecursionError):
        # The parser of Python is not documented.
        return None
    return Needle(any_of, folds) if any_of else None


def _needed(parts: Iterable[tuple[object, Any]], folds: bool) -> tuple[str, ...]:
    """The best literals of which one is in each match of this sequence; empty if there are none."""
    found: list[tuple[str, ...]] = []
    run = ""
    for kind, value in parts:
        if str(kind) == "LITERAL" and (not folds or value < 128):
            run += chr(value).lower() if folds else chr(value)
            continue
        found += [(run,), _within(str(kind), value, folds)]
        run = ""
    best = max((*found, (run,)), key=_worth)
    return best if all(best) else ()


def _within(kind: str, value: Any, folds: bool) -> tuple[str, ...]:
    """The same of one part that is no literal."""
    if kind == "SUBPATTERN":
        _, added, removed, inner = value
        return () if added or removed else _needed(inner, folds)
    if kind == "ATOMIC_GROUP":
        return _needed(value, folds)
    if kind in _REPEATS:
        least, _, inner = value
        return _needed(inner, folds) if least else ()
    if kind == "BRANCH":
        return _one_of([_needed(inner, folds) for inner in value[1]])
    return ()


def _one_of(branches: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    literals = tuple(dict.fromkeys(literal for branch in branches for literal in branch))
    return literals if all(branches) and len(literals) <= MAX_ALTERNATIVES else ()


def _worth(any_of: tuple[str, ...]) -> tuple[int, int]:
    """The longer the shortest literal, and the fewer there are, the fewer texts have one."""
    return min(map(len, any_of), default=0), -len(any_of)
