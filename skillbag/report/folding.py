"""Sentences in lines of a terminal's width. Other than `columns.wrap`, it cuts no word, so that all can be copied."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from skillbag.report.columns import width

_NARROWEST = 40


class Look(NamedTuple):
    """How a report looks: `width` in terminal columns (0: each line is as long as it is), `color` or none."""

    width: int = 0
    color: bool = False


PLAIN = Look()
"""For a file or a pipe: a line for each skill, whatever its length."""

_WORD = re.compile(r"""(?<!\S)(?:'[^']*'|`[^`]*`)[^\s'`]*|\S+""")
"""A word, or a text in quotes: a path with spaces stays in one piece."""


def folded(text: str, look: Look, indent: str = "", hanging: str | None = None) -> Iterator[str]:
    """A sentence in lines of the terminal's width; the first begins with `indent`, others with `hanging`."""
    words = _WORD.findall(text) if look.width else [text]
    return wrapped(words, look, indent, indent if hanging is None else hanging)


def wrapped(words: Iterable[str], look: Look, indent: str, hanging: str) -> Iterator[str]:
    """The words in lines; a word that is wider than the terminal has a line of its own and is not cut."""
    line, blank = indent, True
    for word in words:
        if not blank and look.width and width(line) + 1 + width(word) > room_of(look):
            yield line
            line, blank = hanging, True
        line += word if blank else f" {word}"
        blank = False
    if not blank:
        yield line


def room_of(look: Look) -> int:
    """The columns that a line may take on a terminal."""
    return max(look.width, _NARROWEST)
