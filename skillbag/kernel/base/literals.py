"""Where literals occur in a text: one pass of one Aho-Corasick automaton for all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from skillbag.kernel.base.records import cached_property

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    _Find: TypeAlias = Callable[..., list[tuple[int, int, int]]]


class LiteralPlaces:
    """Where the literals of one text are; `found` holds byte offsets in `raw` by literal, in order."""

    def __init__(self, raw: bytes, found: dict[bytes, list[int]]) -> None:
        self.found = found
        self._raw = raw
        # Most texts are ASCII, and have the same offsets in bytes and in characters.
        self._is_plain = raw.isascii()

    def __contains__(self, literal: bytes) -> bool:
        return literal in self.found

    def of(self, literals: Iterable[bytes]) -> list[int]:
        """The offsets of all occurrences of these literals, in code points, in order; of a set it is faster."""
        return self.in_text(self.in_raw(literals))

    def in_raw(self, literals: Iterable[bytes]) -> list[int]:
        """The same in bytes."""
        known = literals.intersection(self.found) if isinstance(literals, frozenset) else literals
        offsets = [at for literal in known if literal in self.found for at in self.found[literal]]
        offsets.sort()
        return offsets

    def in_text(self, offsets: list[int]) -> list[int]:
        """Ordered offsets in bytes, of literals, as offsets in code points."""
        if self._is_plain or not offsets:
            return offsets
        found = []
        # A literal is whole characters, so no piece begins or ends within one.
        characters = before = 0
        for offset in offsets:
            characters += len(self._raw[before:offset].decode("utf-8", "surrogatepass"))
            before = offset
            found.append(characters)
        return found


_LITTLE = 5_000
"""Bytes of text up to which no automaton is worth its building."""
_MUCH = 1_500_000
"""Bytes of text from which on the automaton that is faster to search is worth its building."""
_HEAD = 8
"""Bytes of a literal in that automaton: each more takes longer to build, each less finds more in vain."""
_ASCII = bytes(range(128))


class Literals:
    """Literals to search for, in UTF-8; an automaton is built at the first search."""

    def __init__(self, literals: Iterable[bytes]) -> None:
        self._literals = tuple(literals)
        self._expected = self._searched = 0

    def expect(self, size: int) -> None:
        """Let the automaton be chosen for texts of so many bytes in all."""
        self._expected = size

    def search(self, raw: bytes) -> LiteralPlaces:
        """Where they are in `raw`, valid UTF-8; they may overlap."""
        self._searched += len(raw)
        size = max(self._searched, self._expected)
        if size < _LITTLE:
            return LiteralPlaces(raw, self._in_little(raw))
        if size >= _MUCH:
            return LiteralPlaces(raw, self._for_much.search(raw))
        found: dict[bytes, list[int]] = {}
        for number, start, _ in self._find(raw, overlapping=True):
            found.setdefault(self._literals[number], []).append(start)
        return LiteralPlaces(raw, found)

    def _in_little(self, raw: bytes) -> dict[bytes, list[int]]:
        by_head = self._by_head
        found = _each(by_head[b""], raw)
        for at in range(len(raw) - 2):
            if (head := raw[at : at + 3]) in by_head:
                for literal in by_head[head]:
                    if raw.startswith(literal, at):
                        found.setdefault(literal, []).append(at)
        return found

    @cached_property
    def _by_head(self) -> dict[bytes, list[bytes]]:
        """By their first three bytes; shorter ones under none."""
        heads: dict[bytes, list[bytes]] = {b"": []}
        for literal in self._literals:
            heads.setdefault(literal[:3] if len(literal) > 2 else b"", []).append(literal)
        return heads

    @cached_property
    def _find(self) -> _Find:
        from ahocorasick_rs import BytesAhoCorasick, Implementation

        return BytesAhoCorasick(self._literals, implementation=Implementation.ContiguousNFA).find_matches_as_indexes

    @cached_property
    def _for_much(self) -> _ForMuch:
        return _ForMuch(self._literals)


class _ForMuch:
    """An automaton with a table of all steps: it takes five times as long to build, and a third of the time to search.

    The table has a row for each byte of the literals and a column for each byte that they have. So it only has the
    heads of those that are ASCII; the others are searched for in the few texts with a character of them.
    """

    def __init__(self, literals: Iterable[bytes]) -> None:
        by_head: dict[bytes, list[bytes]] = {}
        self._others: dict[bytes, list[bytes]] = {}
        for literal in literals:
            if literal.isascii():
                by_head.setdefault(literal[:_HEAD], []).append(literal)
            else:
                self._others.setdefault(_first(literal.translate(None, _ASCII)), []).append(literal)
        self._heads, self._whole = list(by_head), list(by_head.values())
        self._is_whole = [literals == [head] for head, literals in by_head.items()]

    def search(self, raw: bytes) -> dict[bytes, list[int]]:
        """The offsets of each literal that is in a text."""
        found: dict[bytes, list[int]] = {}
        for number, start, _ in self._find(raw, overlapping=True):
            for literal in self._whole[number]:
                if self._is_whole[number] or raw.startswith(literal, start):
                    found.setdefault(literal, []).append(start)
        if self._others and not raw.isascii():
            for first in self._others.keys() & _characters(raw):
                found.update(_each(self._others[first], raw))
        return found

    @cached_property
    def _find(self) -> _Find:
        from ahocorasick_rs import BytesAhoCorasick, Implementation

        return BytesAhoCorasick(self._heads, implementation=Implementation.DFA).find_matches_as_indexes


def _first(signs: bytes) -> bytes:
    """The first character of a literal without ASCII; a literal may be the first two bytes of many characters."""
    return signs[: 2 if signs[0] < 0xE0 else 3 if signs[0] < 0xF0 else 4]


def _characters(raw: bytes) -> set[bytes]:
    """The characters of a text that are not ASCII, and the first two bytes of each."""
    characters = set(raw.translate(None, _ASCII).decode("utf-8", "surrogatepass"))
    encoded = [character.encode("utf-8", "surrogatepass") for character in characters]
    return {*encoded, *[signs[:2] for signs in encoded]}


def _each(literals: Iterable[bytes], raw: bytes) -> dict[bytes, list[int]]:
    """The offsets of each literal that is in a text, searched for one by one."""
    return {literal: _places(raw, literal) for literal in literals if literal in raw}


def _places(raw: bytes, literal: bytes) -> list[int]:
    """The offsets of one literal in `raw`, in order; they may overlap."""
    places, at = [], raw.find(literal)
    while at >= 0:
        places.append(at)
        at = raw.find(literal, at + 1)
    return places
