"""Cache entries held by column: twenty thousand are compared and written as a few long values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, chain

from skillbag.cache.entry import SEPARATOR, CacheEntry
from skillbag.fs import tracked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

STAMP = tracked.WIDTH * 8
"""Bytes of a stamp."""


class EntryTable:
    """Entries in order. `stamps` are those of all questions; each other column has one value for each entry."""

    def __init__(
        self,
        questions: Sequence[str],
        stamps: bytes,
        digests: Sequence[bytes],
        files: Sequence[int],
        verdicts: Sequence[bytes],
        summaries: Sequence[bytes],
    ) -> None:
        self.questions = questions
        self.stamps = stamps
        self.digests = digests
        self.files = files
        self.verdicts = verdicts
        self.summaries = summaries

    @classmethod
    def of(cls, entries: Iterable[CacheEntry]) -> EntryTable:
        """The table of these entries."""
        questions, stamps, *others = [*zip(*entries, strict=True)] or [()] * len(CacheEntry._fields)
        return cls(questions, b"".join(stamps), *others)

    @classmethod
    def joined(cls, parts: Sequence[EntryTable]) -> EntryTable:
        """The entries of one or more tables, in order."""
        columns = zip(*[part.columns for part in parts], strict=True)
        questions, *others = [[*chain.from_iterable(column)] for column in columns]
        return cls(questions, b"".join([part.stamps for part in parts]), *others)

    @property
    def columns(self) -> tuple[Sequence[Any], ...]:
        """The columns with one value for each entry."""
        return self.questions, self.digests, self.files, self.verdicts, self.summaries

    def __len__(self) -> int:
        return len(self.questions)

    def __iter__(self) -> Iterator[CacheEntry]:
        return (self[number] for number in range(len(self)))

    def __getitem__(self, number: int) -> CacheEntry:
        questions, *others = [column[number] for column in self.columns]
        return CacheEntry(questions, self._stamps_of(number, number + 1), *others)

    def part(self, start: int, end: int) -> EntryTable:
        """The entries from `start` up to `end`, which is not included."""
        questions, *others = [column[start:end] for column in self.columns]
        return EntryTable(questions, self._stamps_of(start, end), *others)

    def replaced(self, changes: Mapping[int, CacheEntry]) -> EntryTable:
        """The entries, with those of some numbers replaced."""
        if not changes:
            return self
        parts, at = [], 0
        for number in sorted(changes):
            parts += [self.part(at, number), EntryTable.of([changes[number]])]
            at = number + 1
        return EntryTable.joined([*parts, self.part(at, len(self))])

    @cached_property
    def ends(self) -> list[int]:
        """For each entry the number of questions up to its last."""
        return list(accumulate([text.count(SEPARATOR) + 1 if text else 0 for text in self.questions]))

    def _stamps_of(self, start: int, end: int) -> bytes:
        first, last = (self.ends[number - 1] if number else 0 for number in (start, end))
        return self.stamps[first * STAMP : last * STAMP]
