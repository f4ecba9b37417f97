"""Lines of a text, by offsets: where they start and end, and how lines are put between them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from skillbag.documents.edit.change import NotEditableError


def line_start(text: str, at: int) -> int:
    """Where the line that holds `at` starts."""
    return text.rfind("\n", 0, at) + 1


def line_end(text: str, at: int) -> int:
    """Where the content of the line that holds `at` ends, before its line feed and the carriage return of that."""
    end = text.find("\n", at)
    if end < 0:
        return len(text)
    return end - 1 if end and text[end - 1] == "\r" else end


def indent(text: str, at: int) -> str | None:
    """The spaces before what starts its line at `at`; None where anything else stands before it."""
    before = text[line_start(text, at) : at]
    return None if before.strip(" ") else before


def own_margin(text: str, at: int) -> str:
    """As `indent`, of what has to start its line.

    Raises:
        NotEditableError: it does not.
    """
    margin = indent(text, at)
    if margin is None:
        raise NotEditableError("does not stand on a line of its own")
    return margin


def last_line(text: str, at: int, margin: str) -> int:
    """Where the last line of something ends that ends at `at`: comments below it belong to it that are set in deeper.

    `margin` are the spaces before it.
    """
    at = line_end(text, at)
    while match := _COMMENT_BELOW.match(text, at):
        if len(match[1]) <= len(margin):
            break
        at = line_end(text, match.end())
    return at


_COMMENT_BELOW = re.compile(r"\r?\n([ ]*)#")


_LINE_END = re.compile(r"\r?\n")


def with_lines(text: str, at: int, lines: Sequence[str], newline: str) -> str:
    """The text with lines below the one that ends at `at`; their ends are that one's, or else `newline`."""
    if match := _LINE_END.match(text, at):
        newline = match[0]
    return text[:at] + "".join(newline + line for line in lines) + text[at:]


def without_lines(text: str, start: int, end: int) -> str:
    """The text without the lines from the one that holds `start` to the one that holds `end`.

    With them goes the end of the line before, as `with_lines` put it there.
    """
    first, end = line_start(text, start), line_end(text, end)
    if first:
        return text[: line_end(text, line_start(text, first - 1))] + text[end:]
    return text[end:].removeprefix("\r").removeprefix("\n")
