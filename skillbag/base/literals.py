"""Where literals occur in a text: one pass of one Aho-Corasick automaton for all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from skillbag.base.records import cached_property


class Places:
    """Where the literals of one text are; `found` holds byte offsets in `raw` by literal, in order."""

    def __init__(self, raw: bytes, found: dict[bytes, list[int]]) -> None:
        self.found = found
        self._raw = raw
        # Most texts are ASCII, and have the same offsets in bytes and in characters.
        self._is_plain = raw.isascii()

    def __contains__(self, literal: bytes) -> bool:
        return literal in self.found

    def of(self, literals: Iterable[bytes]) -> list[int]:
        """The offsets of all occurrences of these literals, in code points, in order."""
        offsets = [at for literal in literals if literal in self.found for at in self.found[literal]]
        offsets.sort()
        return offsets if self._is_plain or not offsets else list(self._in_characters(offsets))

    def _in_characters(self, offsets: list[int]) -> Iterator[int]:
        # A literal is whole characters, so no piece begins or ends within one.
        characters = before = 0
        for offset in offsets:
            characters += len(self._raw[before:offset].decode("utf-8", "surrogatepass"))
            before = offset
            yield characters


_LITTLE = 1_000
"""Bytes of text up to which no automaton is worth its building."""
_MUCH = 2_000_000
"""Bytes of text from which on the automaton that is faster to search is worth its building."""


class Literals:
    """Literals to search for, in UTF-8; the automaton is built at the first search."""

    def __init__(self, literals: Iterable[bytes]) -> None:
        self._literals = tuple(literals)
        self._searched = 0

    def search(self, raw: bytes) -> Places:
        """Where they are in `raw`, valid UTF-8; they may overlap."""
        self._searched += len(raw)
        if self._searched < _LITTLE:
            return Places(raw, {literal: _places(raw, literal) for literal in self._literals if literal in raw})
        find = self._find if self._searched < _MUCH else self._find_in_much
        found: dict[bytes, list[int]] = {}
        for number, start, _ in find(raw, overlapping=True):
            found.setdefault(self._literals[number], []).append(start)
        return Places(raw, found)

    @cached_property
    def _find(self) -> Callable[..., list[tuple[int, int, int]]]:
        from ahocorasick_rs import BytesAhoCorasick, Implementation

        return BytesAhoCorasick(self._literals, implementation=Implementation.ContiguousNFA).find_matches_as_indexes

    @cached_property
    def _find_in_much(self) -> Callable[..., list[tuple[int, int, int]]]:
        from ahocorasick_rs import BytesAhoCorasick, Implementation

        # Building it takes six times as long, searching a third of the time.
        return BytesAhoCorasick(self._literals, implementation=Implementation.DFA).find_matches_as_indexes


def _places(raw: bytes, literal: bytes) -> list[int]:
    """The offsets of one literal in `raw`, in order; they may overlap."""
    places, at = [], raw.find(literal)
    while at >= 0:
        places.append(at)
        at = raw.find(literal, at + 1)
    return places
