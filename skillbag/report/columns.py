"""Text on a terminal: its width (wide characters take two columns, combining ones none), line breaks and colours."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from skillbag.kernel.base.widths import cell
from skillbag.kernel.base.widths import width as width

_LEVELS = {"error": "1;31", "warning": "1;33", "note": "1;36"}
_CODES = _LEVELS | {"path": "1", "faint": "2", "good": "1;32", "fix": "32", "removed": "31", "hunk": "36"}


def head(text: str, room: int) -> str:
    """The longest beginning of `text` that fits into `room` columns."""
    used = 0
    for index, char in enumerate(text[: room + 1] if text.isascii() else text):
        used += cell(char)
        if used > room:
            return text[:index]
    return text


def tail(text: str, room: int) -> str:
    """The longest end of `text` that fits into `room` columns; it never begins with a mark of a letter left out."""
    used, start = 0, len(text)
    while start and used + cell(text[start - 1]) <= room:
        start -= 1
        used += cell(text[start])
    while start and start < len(text) and not cell(text[start]):
        start += 1
    return text[start:]


def head_or_more(text: str, room: int) -> str:
    """`text`, or its beginning and `…` where it is wider than `room`."""
    return text if width(text) <= room else head(text, room - 1) + "…"[: max(room, 0)]


def more_or_tail(text: str, room: int) -> str:
    """`text`, or `…` and its end where it is wider than `room`."""
    return text if width(text) <= room else "…"[: max(room, 0)] + tail(text, room - 1)


def aligned(rows: Iterable[Sequence[str]], right: Collection[int] = ()) -> list[tuple[str, ...]]:
    """The cells of a table, each padded to the width of its column; the columns `right` end alike."""
    rows = list(rows)
    sizes = [max(map(width, column)) for column in zip(*rows, strict=True)]
    return [
        tuple(
            " " * (size - width(cell)) + cell if number in right else cell + " " * (size - width(cell))
            for number, (cell, size) in enumerate(zip(row, sizes, strict=True))
        )
        for row in rows
    ]


def table(rows: Iterable[Sequence[str]], right: Collection[int] = (), indent: str = "") -> list[str]:
    """The rows as lines, two blanks between their columns."""
    return [(indent + "  ".join(cells)).rstrip() for cells in aligned(rows, right)]


def wrap(text: str, room: int) -> list[str]:
    """`text` in lines of at most `room` columns, runs of white space made one; words with a `/` are never cut."""
    lines: list[str] = []
    used = room
    for word in _words(text, room):
        size = width(word)
        if lines and used + 1 + size <= room:
            lines[-1] += " " + word
            used += 1 + size
        else:
            lines.append(word)
            used = size
    return lines


def _words(text: str, room: int) -> Iterator[str]:
    for word in text.split():
        while "/" not in word and width(word) > room:
            part = head(word, room) or word[0]
            yield part
            word = word[len(part) :]
        if word:
            yield word


def paint(text: str, style: str, color: bool) -> str:
    """`text` in a style (a level's name, path, faint, good, fix, removed, hunk), or as it is without `color`."""
    return f"\x1b[{_CODES[style]}m{text}\x1b[0m" if color else text
