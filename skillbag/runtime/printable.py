"""Text from outside, made safe for a terminal and for the audit log."""

from __future__ import annotations

import json
import re

from skillbag.kernel.secrets.detection import mask
from skillbag.runtime.skill import Json

_BLANKS = re.compile(
    r"\\\\|(?P<blanks>(?:[\s\u034f\u115f\u1160\u200b-\u200f\u2060\u2800\u3164\ufeff\uffa0]|\\[nrt]){2,})"
)
"""Also the escapes of blanks in JSON, but no backslash and a letter, and characters that show nothing."""

_MARKED = 8
"""Blanks in a row that are counted; fewer are one blank."""

_LONGEST_INPUT = 2_000
"""Characters of a call's input that a question shows."""


def printable(text: str) -> str:
    """`text` in one line: each control, bidirectional or otherwise invisible character becomes its escape."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)


def input_text(value: Json) -> str:
    """A call's input for a question to the user, as JSON with its secrets masked. Many blanks, and the middle of a
    long input, are replaced by a mark: neither can hide what comes after."""
    text = printable(_BLANKS.sub(_blank, mask(json.dumps(value, ensure_ascii=False))))
    more = len(text) - _LONGEST_INPUT
    half = _LONGEST_INPUT // 2
    return text if more <= 0 else f"{text[:half]} [… {more:,} more characters …] {text[-half:]}"


def _blank(found: re.Match[str]) -> str:
    if not found["blanks"]:
        return found[0]
    count = len(found[0])
    return " " if count < _MARKED else f" [… {count:,} blanks …] "
