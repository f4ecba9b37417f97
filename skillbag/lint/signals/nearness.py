"""What stands near a place: lines around it, without counting blank ones and the marks of quotes and boxes."""

from __future__ import annotations

from collections.abc import Iterable

_MARKS = " \t\r>|│┃║*_#+=~-─━═╔╗╚╝┌┐└┘├┤"
"""What a line may consist of and still count as blank: marks of quotes, tables, rules and boxes."""
REACH = 1_500
"""Most characters on each side."""


def around(text: str, start: int, end: int, lines: int) -> tuple[int, int]:
    """The bounds of the lines of `start` and `end` and of as many lines before and after, at most 1,500 characters.

    Blank lines, and those with nothing but marks of quotes, tables and boxes, do not count.
    """
    first = _back(text, text.rfind("\n", max(0, start - REACH), start) + 1 or max(0, start - REACH), start, lines)
    last = text.find("\n", end, end + REACH)
    return first, _on(text, min(len(text), end + REACH) if last < 0 else last, end, lines)


def _back(text: str, first: int, start: int, lines: int) -> int:
    limit = max(0, start - REACH)
    while lines and first > limit:
        at = text.rfind("\n", limit, first - 1) + 1 or limit
        lines -= bool(text[at : first - 1].strip(_MARKS))
        first = at
    return first


def _on(text: str, last: int, end: int, lines: int) -> int:
    limit = min(len(text), end + REACH)
    while lines and last < limit:
        at = text.find("\n", last + 1, limit)
        at = limit if at < 0 else at
        lines -= bool(text[last + 1 : at].strip(_MARKS))
        last = at
    return last


def windows(text: str, offsets: Iterable[int], before: int, after: int) -> list[tuple[int, int]]:
    """The bounds of the text around the ordered offsets; windows that touch are one."""
    found: list[tuple[int, int]] = []
    for offset in offsets:
        start = max(offset - before, 0)
        if found and start <= found[-1][1]:
            start, _ = found.pop()
        found.append((start, min(offset + after, len(text))))
    return found
