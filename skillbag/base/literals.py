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


class Literals:
    """Literals to search for, in UTF-8; the automaton is built at the first search."""

    def __init__(self, literals: Iterable[bytes]) -> None:
        self._literals = tuple(literals)

    def search(self, raw: bytes) -> Places:
        """Where they are in `raw`, valid UTF-8; they may overlap."""
        found: dict[bytes, list[int]] = {}
        for number, start, _ in self._find(raw, overlapping=True):
            found.setdefault(self._literals[number], []).append(start)
        return Places(raw, found)

    @cached_property
    def _find(self) -> Callable[..., list[tuple[int, int, int]]]:
        from ahocorasick_rs import BytesAhoCorasick, Implementation

        # The library's own choice is three times slower for this many literals.
        automaton = BytesAhoCorasick(list(self._literals), implementation=Implementation.DFA)
        return automaton.find_matches_as_indexes
