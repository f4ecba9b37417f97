"""The width of text on a terminal: wide characters take two columns, combining ones none."""

from __future__ import annotations

import unicodedata
from functools import lru_cache


@lru_cache(maxsize=4096)
def cell(char: str) -> int:
    """The columns that a character takes."""
    # The medial and final letters of decomposed Korean join the syllable before them.
    if unicodedata.category(char) in ("Mn", "Me") or "\u1160" <= char <= "\u11ff":
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def width(text: str) -> int:
    """The columns that `text` takes; it holds no control characters."""
    return len(text) if text.isascii() else sum(map(cell, text))
