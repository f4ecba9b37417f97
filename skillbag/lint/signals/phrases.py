"""What texts say: each is written once, as signs that stand in it and as its form.

The literals of a predicate are the signs: the one search for literals finds them. A form is compiled when a text has
one of its signs with what stands beside it, and tried there alone, so that no other look is needed before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice, product, zip_longest

from skillbag.kernel.base.lazy_regex import Late, late
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.signals.fences import some
from skillbag.lint.signals.nearness import windows

_BEFORE, _AFTER = 80, 240
"""How far a phrase reaches from a sign of it, in code points, if no blank in it is long."""
_CLOSE = late(r"\s{0,39}+(?:\S{1,79}+\s{1,39}+)*+\S{0,79}+")
"""Words and blanks of a common length, in one pass."""
_WORD = late(r"\b\w")
_NEXT = 40
_MARKS = "*_`'\"’”.,;:!"
_FAR = 2_000
"""How far it reaches where blanks or a long word stretch it."""
_MAX_STRETCHED = 20


class Phrase(NamedTuple):
    """Phrases with a common sign: each has one of `signs`, as written within a sentence.

    `reach`: a sign begins at most so many code points behind the first word; 0 if words have no blanks between them.
    `beside`: one word of each group is near each sign, and `then`: one of these words follows it, all in small letters;
    without them the form is not even compiled. `after`: behind a line end or a second blank, a sign is one only if the
    text before it ends with one of these.
    """

    signs: tuple[str, ...]
    form: Late
    reach: int = 0
    beside: tuple[tuple[str, ...], ...] = ()
    then: frozenset[str] = frozenset()
    after: tuple[str, ...] = ()

    def may_be(self, body: str, at: int, end: int) -> bool:
        """Whether a sign between two offsets may be one of it: words and blanks of uncommon length hide nothing."""
        if self.after and body[at].isspace():
            before = body[max(0, at - _NEXT) : at].rstrip().casefold()
            if before and not before.endswith(self.after):
                return False
        if self.then:
            following = body[end : end + _NEXT]
            if not following[:1].isspace():
                return False
            words = following.split(None, 1)
            if words and words[0].strip(_MARKS).casefold() not in self.then:
                return False
        if _stands(self.beside, body[max(0, at - (self.reach or _BEFORE)) : at + _AFTER]):
            return True
        return not _CLOSE().fullmatch(body, max(0, at - _BEFORE), at + _AFTER)

    def matches(self, body: str, places: Sequence[int]) -> Iterator[re.Match[str]]:
        """The phrases around places of their signs, in order."""
        form, end, stretched = self.form(), 0, 0
        if not self.reach and len(places) * _AFTER > len(body):
            yield from form.finditer(body)
            return
        for at in places:
            first, last = max(0, at - (self.reach or _BEFORE), end), at + _AFTER
            if not _CLOSE().fullmatch(body, max(0, at - _BEFORE), last):
                stretched += 1
                if stretched > _MAX_STRETCHED:
                    # So many of them are made to hide one: the rest is searched once, as a whole.
                    yield from form.finditer(body, max(0, at - _FAR, end))
                    return
                found = form.finditer(body, max(0, at - _FAR, end), at + _FAR)
            elif self.reach:
                # A phrase is tried at the beginnings of words alone: a search tries every place.
                words = (form.match(body, word.start(), last) for word in _WORD().finditer(body, first, at + 2))
                found = islice(filter(None, words), 1)
            else:
                found = form.finditer(body, first, last)
            for match in found:
                if match.start() >= end:
                    end = match.end()
                    yield match


class CommandForm(NamedTuple):
    """A command or call: it begins at most `before` code points before one of its signs (0: with it), and ends within
    `after`. `beside` as in a phrase."""

    signs: tuple[str, ...]
    form: Late
    before: int = 0
    after: int = 300
    beside: tuple[tuple[str, ...], ...] = ()

    def may_be(self, body: str, at: int, end: int) -> bool:
        """Whether a sign between two offsets may be one of it: a command is no end of another word."""
        if not self.before and body[at].isalnum() and body[at - 1 : at].isalnum():
            return False
        return _stands(self.beside, body[max(0, at - self.before) : at + self.after])

    def matches(self, body: str, places: Sequence[int]) -> Iterator[re.Match[str]]:
        """Those around places of their signs, in order."""
        form, places = self.form(), some(places)
        if not self.before:
            return filter(None, [form.match(body, at, at + self.after) for at in places])
        spans = windows(body, places, self.before, self.after)
        return chain.from_iterable(form.finditer(body, *span) for span in spans)


def _stands(beside: tuple[tuple[str, ...], ...], near: str) -> bool:
    folded = near.casefold() if beside else ""
    return all(any(word in folded for word in words) for words in beside)


class FormTable:
    """Phrases or forms of one meaning, and their signs."""

    def __init__(self, *rows: Phrase | CommandForm) -> None:
        self.rows = rows
        self._by_sign: dict[bytes, list[Phrase | CommandForm]] = {}
        for row in rows:
            for sign in row.signs:
                self._by_sign.setdefault(sign.encode(), []).append(row)
        self.signs = tuple(self._by_sign)

    def stands_in(self, part: str) -> bool:
        """Whether one of them stands in a short text."""
        return any(row.form().search(part) for row in self.rows if any(sign in part for sign in row.signs))

    def may_stand_in(self, text: TextFile) -> bool:
        """Whether a text has a sign of one of them."""
        return not self._by_sign.keys().isdisjoint(text.places.found)

    def matches(self, text: TextFile) -> Iterator[re.Match[str]]:
        """What stands in a text, row by row, each place once."""
        body, known, near = text.document.text, text.places, dict[Phrase | CommandForm, list[int]]()
        for sign in self._by_sign.keys() & known.found.keys():
            offsets = known.of((sign,))
            for row in self._by_sign[sign]:
                places = [at for at in offsets if row.may_be(body, at, at + len(sign))]
                near.setdefault(row, []).extend(places)
        for row, places in near.items():
            if places:
                yield from row.matches(body, sorted(places))


def phrase_of(
    signs: Iterable[str], form: str, reach: int = 40, beside: str = "", then: str = "", after: str = ""
) -> Phrase:
    """The phrase of a form; `beside` and `then` are words with blanks between them, and `&` between groups."""
    expression = late(rf"\b(?:{form})", re.IGNORECASE | re.VERBOSE)
    groups = tuple(tuple(words.split()) for words in beside.split("&") if words)
    return Phrase(tuple(dict.fromkeys(signs)), expression, reach, groups, frozenset(then.split()), tuple(after.split()))


FAR = 200
"""The reach of phrases whose sign ends them."""
_BLANKS = (" ", "\n", "\r\n")


def each(words: str) -> tuple[str, ...]:
    """Beginnings of phrases as they may be written; words have `_` for a blank, and lack a first letter that varies."""
    plain = [
        "".join(chain.from_iterable(zip_longest(parts, blanks, fillvalue="")))
        for parts in (word.split("_") for word in words.split())
        for blanks in product(_BLANKS, repeat=len(parts) - 1)
    ]
    return (*plain, *(word.replace("_", " ").upper() for word in words.split()))
