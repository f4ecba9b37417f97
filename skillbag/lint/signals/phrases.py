"""Phrases for agents: each is written once, as signs that stand in it and as its form.

The literals of a predicate are the signs, and its first look is the form itself, beside a sign. A form is compiled when
a text has one of its signs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from skillbag.kernel.base.lazy_regex import Late, late
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.workspace.text import TextFile

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
    without them the form is not even compiled.
    """

    signs: tuple[str, ...]
    form: Late
    reach: int = 0
    beside: tuple[tuple[str, ...], ...] = ()
    then: frozenset[str] = frozenset()


class PhraseBook:
    """Phrases of one meaning, and their signs."""

    def __init__(self, *phrases: Phrase) -> None:
        self.phrases = phrases
        self._by_sign: dict[bytes, list[Phrase]] = {}
        for phrase in phrases:
            for sign in phrase.signs:
                self._by_sign.setdefault(sign.encode(), []).append(phrase)
        self.signs = tuple(self._by_sign)

    def said(self, text: TextFile) -> Iterator[re.Match[str]]:
        """The phrases of a text, phrase by phrase, each place once."""
        body, known, near = text.document.text, text.places, dict[Phrase, list[int]]()
        for sign in self._by_sign.keys() & known.found.keys():
            offsets = known.of((sign,))
            for phrase in self._by_sign[sign]:
                places = [at for at in offsets if _may_be(phrase, body, at, at + len(sign))]
                near.setdefault(phrase, []).extend(places)
        for phrase, places in near.items():
            if places:
                yield from _matches(phrase, body, sorted(places))


def _may_be(phrase: Phrase, body: str, at: int, end: int) -> bool:
    """Whether a sign between two offsets may be one of a phrase: words and blanks of uncommon length hide nothing."""
    if phrase.then:
        following = body[end : end + _NEXT]
        if not following[:1].isspace():
            return False
        words = following.split(None, 1)
        if words and words[0].strip(_MARKS).casefold() not in phrase.then:
            return False
    around = body[max(0, at - (phrase.reach or _BEFORE)) : at + _AFTER].casefold()
    if all(any(word in around for word in words) for words in phrase.beside):
        return True
    return not _CLOSE().fullmatch(body, max(0, at - _BEFORE), at + _AFTER)


def _matches(phrase: Phrase, body: str, places: Iterable[int]) -> Iterator[re.Match[str]]:
    form, end, stretched = phrase.form(), 0, 0
    for at in places:
        first, last = max(0, at - (phrase.reach or _BEFORE), end), at + _AFTER
        if not _CLOSE().fullmatch(body, max(0, at - _BEFORE), last):
            stretched += 1
            if stretched > _MAX_STRETCHED:
                # So many of them are made to hide one: the rest is searched once, as a whole.
                yield from form.finditer(body, max(0, at - _FAR, end))
                return
            found = form.finditer(body, max(0, at - _FAR, end), at + _FAR)
        elif phrase.reach:
            # A phrase is tried at the beginnings of words alone: a search tries every place.
            words = (form.match(body, word.start(), last) for word in _WORD().finditer(body, first, at + 2))
            found = islice(filter(None, words), 1)
        else:
            found = form.finditer(body, first, last)
        for match in found:
            if match.start() >= end:
                end = match.end()
                yield match
