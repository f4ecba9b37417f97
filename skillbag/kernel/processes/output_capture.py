"""Bounded capture of a stream: its beginning, its end, or both."""

from __future__ import annotations

from codecs import getincrementaldecoder
from typing import NamedTuple

_CONTINUING = bytes(range(0x80, 0xC0))
"""Continuation bytes of UTF-8."""


class OutputLimit(NamedTuple):
    """How many bytes of a stream are kept, first and last; `ends`: more of them end the command."""

    first: int
    last: int
    ends: bool = False


class CapturedOutput:
    """The kept parts of a stream; the bytes between them are only counted."""

    def __init__(self, limit: OutputLimit) -> None:
        self._limit = limit
        self._first, self._last = bytearray(), bytearray()
        self._count = 0

    def take(self, data: bytes) -> None:
        """Add what was read."""
        self._count += len(data)
        free = self._limit.first - len(self._first)
        self._first += data[:free]
        self._last += data[free:]
        if len(self._last) > 2 * self._limit.last:
            self._cut()

    @property
    def is_flood(self) -> bool:
        """Whether the limit was exceeded, if that ends the command."""
        return self._limit.ends and self._count > self._limit.first + self._limit.last

    @property
    def data(self) -> bytes:
        self._cut()
        return bytes(self._first + self._last)

    def text(self) -> str:
        """The text, with a mark where bytes were left out; invalid UTF-8 is replaced."""
        data = self.data
        if len(data) == self._count:
            return data.decode("utf-8", "replace")
        # Leave out characters that were cut in two.
        decoder = getincrementaldecoder("utf-8")("replace")
        first, begun = decoder.decode(bytes(self._first)), len(decoder.getstate()[0])
        last = self._last.lstrip(_CONTINUING)
        left_out = self._count - len(self._first) + begun - len(last)
        return f"{first}\n[… {left_out:,} bytes left out …]\n{last.decode('utf-8', 'replace')}"

    def _cut(self) -> None:
        del self._last[: max(0, len(self._last) - self._limit.last)]
