"""Units in order, held by column: twenty thousand are compared, looked at and written as a few long values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, chain

from skillbag.cache.entry import SEPARATOR, Unit
from skillbag.fs import tracked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    _Value = TypeVar("_Value")

_STAMP = tracked.WIDTH * 8


class Units:
    """Units in order. `stamps` are those of all questions; the other columns have a value for each, as in `Unit`."""

    def __init__(
        self,
        questions: Sequence[str],
        stamps: bytes,
        digests: Sequence[bytes],
        files: Sequence[int],
        verdicts: Sequence[bytes],
        cards: Sequence[bytes],
    ) -> None:
        self.questions = questions
        self.stamps = stamps
        self.digests = digests
        self.files = files
        self.verdicts = verdicts
        self.cards = cards

    @classmethod
    def of(cls, units: Iterable[Unit]) -> Units:
        """These units."""
        questions, stamps, *others = [*zip(*units, strict=True)] or [()] * len(Unit._fields)
        return cls(questions, b"".join(stamps), *others)

    @classmethod
    def joined(cls, parts: Sequence[Units]) -> Units:
        """The units of all parts, one part after the other."""
        return cls(
            _chained([part.questions for part in parts]),
            b"".join([part.stamps for part in parts]),
            _chained([part.digests for part in parts]),
            _chained([part.files for part in parts]),
            _chained([part.verdicts for part in parts]),
            _chained([part.cards for part in parts]),
        )

    def __len__(self) -> int:
        return len(self.questions)

    def __iter__(self) -> Iterator[Unit]:
        return (self[number] for number in range(len(self)))

    def __getitem__(self, number: int) -> Unit:
        return Unit(
            self.questions[number],
            self._stamps_of(number, number + 1),
            self.digests[number],
            self.files[number],
            self.verdicts[number],
            self.cards[number],
        )

    def part(self, start: int, end: int) -> Units:
        """The units of these successive numbers; `end` is not among them."""
        return Units(
            self.questions[start:end],
            self._stamps_of(start, end),
            self.digests[start:end],
            self.files[start:end],
            self.verdicts[start:end],
            self.cards[start:end],
        )

    def replaced(self, changes: Mapping[int, Unit]) -> Units:
        """The units, with others in place of those of some numbers."""
        if not changes:
            return self
        parts, at = [], 0
        for number in sorted(changes):
            parts += [self.part(at, number), Units.of([changes[number]])]
            at = number + 1
        return Units.joined([*parts, self.part(at, len(self))])

    def asked(self) -> Iterator[str]:
        """The questions of all units."""
        return (question for text in self.questions if text for question in text.split(SEPARATOR))

    @cached_property
    def ends(self) -> list[int]:
        """For each unit how many questions there are up to its last."""
        return list(accumulate([text.count(SEPARATOR) + 1 if text else 0 for text in self.questions]))

    def _stamps_of(self, start: int, end: int) -> bytes:
        first, last = (self.ends[number - 1] if number else 0 for number in (start, end))
        return self.stamps[first * _STAMP : last * _STAMP]


def _chained(parts: Iterable[Iterable[_Value]]) -> list[_Value]:
    return list(chain.from_iterable(parts))
