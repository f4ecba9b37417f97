"""Sentences in lines of a terminal's width. Other than `columns.wrap`, it cuts no word, so that all can be copied."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
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


def folded_row(cells: Sequence[str], look: Look, indent: str, hanging: str) -> list[str]:
    """The row of a table with padded cells. Those that do not fit a terminal even without their padding begin lines."""
    if not look.width:
        return [(indent + "  ".join(cells)).rstrip()]
    lines = [indent + cells[0]]
    for cell in cells[1:]:
        fitting = (each for each in (cell, cell.strip()) if width(f"{lines[-1]}  {each}") <= room_of(look))
        if (fit := next(fitting, None)) is not None:
            lines[-1] += f"  {fit}"
        else:
            lines += folded(cell.strip(), look, hanging)
    return [line.rstrip() for line in lines]


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
