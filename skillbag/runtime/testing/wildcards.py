"""Values of a trace compared with those of now, where the trace has masked secrets (skill runtime, section 13)."""

from __future__ import annotations

from skillbag.runtime.skill import Json

MASK = "****"
"""Stands in a trace for a secret, whatever it was."""


def matches(recorded: Json, actual: Json) -> bool:
    """Whether a value is the recorded one; a mask in that stands for any text."""
    if isinstance(recorded, str) and isinstance(actual, str):
        return recorded == actual or (MASK in recorded and _fits(recorded.split(MASK), actual))
    if isinstance(recorded, dict) and isinstance(actual, dict):
        if any(MASK in key for key in recorded):
            return len(recorded) == len(actual)
        return recorded.keys() == actual.keys() and all(matches(recorded[key], actual[key]) for key in recorded)
    if isinstance(recorded, list) and isinstance(actual, list):
        return len(recorded) == len(actual) and all(map(matches, recorded, actual))
    return isinstance(recorded, bool) == isinstance(actual, bool) and bool(recorded == actual)


def _fits(parts: list[str], text: str) -> bool:
    """Whether the parts are in the text, in order, from its beginning to its end. It takes linear time: the text and
    the trace are foreign."""
    first, *middle, last = parts
    if len(text) < len(first) + len(last) or not text.startswith(first) or not text.endswith(last):
        return False
    at, end = len(first), len(text) - len(last)
    for part in middle:
        found = text.find(part, at, end)
        if found < 0:
            return False
        at = found + len(part)
    return True
