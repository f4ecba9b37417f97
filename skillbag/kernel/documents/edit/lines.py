"""Lines of a text by offsets: find their bounds, insert and remove them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from skillbag.kernel.documents.edit.change import NotEditableError


def line_start(text: str, at: int) -> int:
    """The start of the line at `at`."""
    return text.rfind("\n", 0, at) + 1


def line_end(text: str, at: int) -> int:
    """The end of the content of the line at `at`, before its line end."""
    end = text.find("\n", at)
    if end < 0:
        return len(text)
    return end - 1 if end and text[end - 1] == "\r" else end


def indent(text: str, at: int) -> str | None:
    """The spaces between the start of the line and `at`; None if there is anything else."""
    before = text[line_start(text, at) : at]
    return None if before.strip(" ") else before


def own_margin(text: str, at: int) -> str:
    """As `indent`, for an element that has to begin its line.

    Raises:
        NotEditableError: it does not.
    """
    margin = indent(text, at)
    if margin is None:
        raise NotEditableError("does not stand on a line of its own")
    return margin


def last_line(text: str, at: int, margin: str) -> int:
    """The end of the last line of an element that ends at `at`, with the comments below that are indented deeper.

    `margin` are the spaces before the element.
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
    """The text with lines below the one that ends at `at`, with the same line ends, or else `newline`."""
    if match := _LINE_END.match(text, at):
        newline = match[0]
    return text[:at] + "".join(newline + line for line in lines) + text[at:]


def without_lines(text: str, start: int, end: int) -> str:
    """The text without the lines from `start` to `end`, and without the line end before them."""
    first, end = line_start(text, start), line_end(text, end)
    if first:
        return text[: line_end(text, line_start(text, first - 1))] + text[end:]
    return text[end:].removeprefix("\r").removeprefix("\n")
