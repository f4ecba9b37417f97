"""Units in order, held by column: twenty thousand are compared, looked at and written as a few long values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, chain, pairwise

from skillbag import asked
from skillbag.units import SEPARATOR, Unit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    _Value = TypeVar("_Value")

_STAMP = asked.WIDTH * 8


class Units:
    """Units in order. `counts` tells how many questions each has; `questions` and `stamps` are those of all.

    The other columns have a value for each unit, as in `Unit`.
    """

    def __init__(
        self,
        counts: Sequence[int],
        questions: Sequence[str],
        stamps: bytes,
        digests: Sequence[bytes],
        files: Sequence[int],
        verdicts: Sequence[bytes],
        cards: Sequence[bytes],
    ) -> None:
        self.counts = counts
        self.questions = questions
        self.stamps = stamps
        self.digests = digests
        self.files = files
        self.verdicts = verdicts
        self.cards = cards

    @classmethod
    def of(cls, units: Iterable[Unit]) -> Units:
        """These units."""
        rows = [*units]
        if not rows:
            return cls((), (), b"", (), (), (), ())
        _, stamps, *others = zip(*rows, strict=True)
        questions = [unit.asked for unit in rows]
        return cls([len(some) for some in questions], _chained(questions), b"".join(stamps), *others)

    @classmethod
    def joined(cls, parts: Sequence[Units]) -> Units:
        """The units of all parts, one part after the other."""
        return cls(
            _chained([part.counts for part in parts]),
            _chained([part.questions for part in parts]),
            b"".join([part.stamps for part in parts]),
            _chained([part.digests for part in parts]),
            _chained([part.files for part in parts]),
            _chained([part.verdicts for part in parts]),
            _chained([part.cards for part in parts]),
        )

    def __len__(self) -> int:
        return len(self.counts)

    def __iter__(self) -> Iterator[Unit]:
        return (self[number] for number in range(len(self)))

    def __getitem__(self, number: int) -> Unit:
        start, end = self._starts[number], self._starts[number + 1]
        return Unit(
            SEPARATOR.join(self.questions[start:end]),
            self.stamps[start * _STAMP : end * _STAMP],
            self.digests[number],
            self.files[number],
            self.verdicts[number],
            self.cards[number],
        )

    def part(self, span: range) -> Units:
        """The units of these successive numbers."""
        here = slice(span.start, span.stop)
        start, end = self._starts[span.start], self._starts[span.stop]
        return Units(
            self.counts[here],
            self.questions[start:end],
            self.stamps[start * _STAMP : end * _STAMP],
            self.digests[here],
            self.files[here],
            self.verdicts[here],
            self.cards[here],
        )

    def firsts(self) -> list[str]:
        """The first question of each unit, where each has one."""
        return [self.questions[start] for start in self._starts[:-1]]

    def asked(self) -> list[Sequence[str]]:
        """The questions of each unit."""
        return [self.questions[start:end] for start, end in pairwise(self._starts)]

    def replaced(self, changes: Mapping[int, Unit]) -> Units:
        """The units, with others in place of those of some numbers."""
        if not changes:
            return self
        parts, at = [], 0
        for number in sorted(changes):
            parts += [self.part(range(at, number)), Units.of([changes[number]])]
            at = number + 1
        return Units.joined([*parts, self.part(range(at, len(self)))])

    @cached_property
    def _starts(self) -> list[int]:
        """The number of each unit's first question, and, at the end, how many there are."""
        return list(accumulate(self.counts, initial=0))


def _chained(parts: Iterable[Iterable[_Value]]) -> list[_Value]:
    return list(chain.from_iterable(parts))
