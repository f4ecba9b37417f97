"""One line of Markdown: a cursor that counts columns, and the marks that begin a block.

The functions are given a line from its first character that is not blank.
"""

from __future__ import annotations

import re

from skillbag.base.records import NamedTuple

_ORDERED = re.compile(r"([0-9]{1,9})[.)](?=[ \t]|$)")


class HeadingMark(NamedTuple):
    """Level and stripped text of a heading with `#`; the text begins `at` characters into the line."""

    level: int
    text: str
    at: int


def width(blanks: str, column: int) -> int:
    """How many columns spaces and tabs fill, from `column` on; tab stops stand every 4 columns."""
    if "\t" not in blanks:
        return len(blanks)
    at = column
    for char in blanks:
        at += 4 - at % 4 if char == "\t" else 1
    return at - column


class Cursor:
    """A place in a line: `body`, the rest of the line from its first character that is not blank; `column`, where that
    stands; and `pad`, the blank columns before it that no container has taken.

    Tabs are thus counted once, and one that is half used needs no care.
    """

    def __init__(self) -> None:
        self.body, self.column, self.pad = "", 0, 0

    def place(self, line: str) -> None:
        """Go to the beginning of a line."""
        self.body = body = line.lstrip(" \t")
        blank = len(line) - len(body)
        self.pad = self.column = width(line[:blank], 0) if blank else 0

    def advance(self, count: int) -> None:
        """Go over `count` characters of the body and the blanks after them."""
        rest = self.body[count:]
        self.body = rest.lstrip(" \t")
        self.pad = width(rest[: len(rest) - len(self.body)], self.column + count)
        self.column += count + self.pad

    def take_quote_mark(self) -> None:
        """Go over a `>` and the one blank column that belongs to it."""
        self.advance(1)
        if self.pad:
            self.pad -= 1


def heading_mark(line: str) -> HeadingMark | None:
    """The heading that the line is, if its run of `#` is one to six long and stands alone."""
    rest = line.lstrip("#")
    level = len(line) - len(rest)
    if level > 6 or rest[:1] not in ("", " ", "\t"):
        return None
    text = rest.strip(" \t")
    opened = text.rstrip("#")
    if not opened or opened[-1] in " \t":
        text = opened.rstrip(" \t")
    return HeadingMark(level, text, len(line) - len(rest.lstrip(" \t")))


def fence_mark(line: str) -> str:
    """The run of backticks or tildes that opens a fence, or nothing: the info after backticks can't hold any."""
    char = line[0]
    info = line.lstrip(char)
    length = len(line) - len(info)
    return "" if length < 3 or (char == "`" and "`" in info) else line[:length]


def list_mark(line: str, in_paragraph: bool) -> int:
    """The length of an item's mark, or 0. A paragraph is cut short only by an item with text, numbered 1 if at all."""
    if line[0] in "-+*":
        length = 1 if line[1:2] in ("", " ", "\t") else 0
    else:
        number = _ORDERED.match(line)
        length = number.end() if number and not (in_paragraph and int(number[1]) != 1) else 0
    return 0 if in_paragraph and length == len(line.rstrip(" \t")) else length


def is_break(line: str) -> bool:
    """Whether the line is a thematic break: three or more of `-`, `*` or `_`, with blanks between at most."""
    char = line[0]
    return not line.strip(char + " \t") and line.count(char) > 2


def is_run(line: str) -> bool:
    """Whether the line is one character repeated: what underlines a heading."""
    return not line.rstrip(" \t").strip(line[0])
