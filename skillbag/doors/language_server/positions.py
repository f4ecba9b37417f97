"""A text, and the places in it as three parties count them.

Offsets count code points. Our lines end with a line feed, and columns count code points. The client's lines end with a
line feed, a carriage return or both, and its columns count units of the encoding that was agreed on.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property

from lsprotocol import types

UTF8 = types.PositionEncodingKind.Utf8
UTF16 = types.PositionEncodingKind.Utf16
UTF32 = types.PositionEncodingKind.Utf32

_END = re.compile(r"\r\n|\r|\n")


class EditorText:
    """One state of a text; `encoding` is that of the client's columns."""

    def __init__(self, text: str, encoding: str = UTF16) -> None:
        self.text = text
        self.encoding = encoding

    @property
    def mark(self) -> int:
        """The length of a byte order mark at the beginning: offsets in a `Document` do not count it."""
        return int(self.text.startswith("\ufeff"))

    @cached_property
    def _starts(self) -> list[int]:
        """The offsets at which the client's lines begin."""
        return [0, *(found.end() for found in _END.finditer(self.text))]

    @cached_property
    def _feeds(self) -> list[int]:
        """The offsets at which our lines begin."""
        if "\r" not in self.text or self.text.count("\r") == self.text.count("\r\n"):
            return self._starts
        return [0, *(found.end() for found in re.finditer("\n", self.text))]

    @cached_property
    def _is_plain(self) -> bool:
        return self.encoding == UTF32 or self.text.isascii()

    def offset(self, position: types.Position) -> int:
        """The offset of a client's position; one beyond a line's end is its end, one beyond the text is the end."""
        if position.line >= len(self._starts):
            return len(self.text)
        start = self._starts[max(position.line, 0)]
        line = self._line(max(position.line, 0))
        column = max(position.character, 0)
        if self._is_plain or line.isascii():
            return start + min(column, len(line))
        for at, character in enumerate(line):
            column -= _units(character, self.encoding)
            if column < 0:
                return start + at
        return start + len(line)

    def position(self, offset: int) -> types.Position:
        """The client's position of an offset."""
        offset = min(max(offset, 0), len(self.text))
        line = bisect_right(self._starts, offset) - 1
        start = self._starts[line]
        if self._is_plain:
            return types.Position(line, offset - start)
        return types.Position(line, width(self.text[start:offset], self.encoding))

    def range(self, start: int, end: int) -> types.Range:
        """The client's range between two offsets."""
        return types.Range(self.position(start), self.position(end))

    def at(self, line: int, column: int) -> int:
        """The offset of our 1-based line and column; the nearest one if there is no such place."""
        if line > len(self._feeds):
            return len(self.text)
        start = self._feeds[max(line, 1) - 1]
        end = self._feeds[line] if 0 < line < len(self._feeds) else len(self.text)
        # Our columns do not count a byte order mark.
        mark = self.mark if line <= 1 else 0
        return min(start + mark + max(column, 1) - 1, end)

    def line_end(self, offset: int) -> int:
        """The offset of the end of the client's line that holds an offset, without its line end."""
        line = bisect_right(self._starts, offset) - 1
        return self._starts[line] + len(self._line(line))

    def replaced(self, change: types.TextDocumentContentChangeEvent) -> EditorText:
        """The text after a change."""
        if isinstance(change, types.TextDocumentContentChangeWholeDocument):
            return EditorText(change.text, self.encoding)
        start, end = self.offset(change.range.start), self.offset(change.range.end)
        return EditorText(self.text[:start] + change.text + self.text[max(start, end) :], self.encoding)

    def _line(self, number: int) -> str:
        end = self._starts[number + 1] if number + 1 < len(self._starts) else len(self.text)
        return self.text[self._starts[number] : end].rstrip("\r\n")


def width(text: str, encoding: str) -> int:
    """The number of units of a text."""
    if encoding == UTF32 or text.isascii():
        return len(text)
    if encoding == UTF8:
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text) + sum(character > "\uffff" for character in text)


def _units(character: str, encoding: str) -> int:
    return 1 if encoding == UTF32 else width(character, encoding)
