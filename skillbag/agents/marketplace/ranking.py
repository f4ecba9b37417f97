"""The words of a marketplace query, and the skills that match it: ranked by BM25 over name, description and body, and
by how much of it they match. SQLite's tokenizer folds case, accents and word endings."""

from __future__ import annotations

import math
import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

from skillbag.agents.marketplace.vocabulary import STOP_WORDS, others

_MAX_QUERY = 1000
_MAX_WORDS = 12
_MIN_PREFIX = 3
"""Letters; shorter prefixes match too many words."""

_WORD = re.compile(r"[^\W_]+")

MAX_RANKED = 4000
"""Matches that a search ranks. It takes the rarest words first, until they have more matches than this: a word of
nearly all skills carries little information and would cost time."""

_MAX_COMMON = 3
"""Words with too many matches each that a search uses; more would take too long."""

_SYNONYM = 0.7
"""The worth of another word for the same thing."""

_NAME = 3.0
"""The worth of a word in the name, whose length says nothing."""

_MATCHES = """
SELECT rowid, bm25(texts, 1, 0, 0) < 0, -2 * bm25(texts, 0, 1, 0) - bm25(texts, 0, 0, 1)
FROM texts WHERE texts MATCH ? AND rowid BETWEEN ? AND ? LIMIT ?
"""
"""Each column counts by itself: otherwise a long body would make up for a word that the description lacks."""

_COMMON = """
SELECT rowid, -bm25(texts, 100, 10, 1) AS score FROM texts
WHERE texts MATCH ? AND rowid BETWEEN ? AND ? LIMIT ?
"""


class SearchWord(NamedTuple):
    """A word to search for: its FTS5 term, and those of other words for the same thing."""

    term: str
    others: tuple[str, ...] = ()


class Query(NamedTuple):
    """The distinct words to search for, and the skill name that all words of the query spell."""

    words: tuple[str, ...]
    name: str

    @property
    def wanted(self) -> tuple[SearchWord, ...]:
        """The words as terms; the last one also matches as a prefix."""
        last = len(self.words) - 1 if self.words and len(self.words[-1]) >= _MIN_PREFIX else None
        return tuple(
            SearchWord(f'"{word}"*' if place == last else f'"{word}"', tuple(f'"{other}"' for other in others(word)))
            for place, word in enumerate(self.words)
        )


def parse_query(text: str) -> Query:
    """The query; anything but letters and digits separates words."""
    text = text[:_MAX_QUERY]
    if not text.isascii():
        import unicodedata

        text = unicodedata.normalize("NFKC", text)
    words = _WORD.findall(text.lower())
    distinct = dict.fromkeys(words)
    terms = [word for word in distinct if word not in STOP_WORDS] or list(distinct)
    return Query(tuple(terms[:_MAX_WORDS]), "-".join(words))


class WordScore(NamedTuple):
    """What a row gains from one word: its score, and the share of the word (less for another word for it)."""

    score: float
    share: float


class Ranking:
    """The rows of the texts between two numbers, by how well they match; higher scores are better."""

    def __init__(self, connection: sqlite3.Connection, rows: tuple[int, int]) -> None:
        self._connection = connection
        self._rows = rows

    def ranked(self, wanted: Iterable[SearchWord], limit: int) -> dict[int, float]:
        """The scores of rows that match any of the words."""
        wanted = tuple(wanted)
        terms = dict.fromkeys(term for word in wanted for term in (word.term, *word.others))
        counts = {term: count for term in terms if (count := self._count(term))}
        rare = _rare(counts)
        if not counts:
            return {}
        if not rare:
            return self._common([word.term for word in wanted if word.term in counts] or list(counts), limit)
        matches = {term: self._scores(term, counts[term]) for term in rare}
        scores: dict[int, float] = {}
        shares: dict[int, float] = {}
        total = 0.0
        for word in wanted:
            weight = self._weight(
                counts.get(word.term) or max((counts.get(other, 0) for other in word.others), default=0)
            )
            total += weight
            for row, match in _best(word, matches):
                scores[row] = scores.get(row, 0.0) + match.score
                shares[row] = shares.get(row, 0.0) + match.share * weight
        return {row: score * shares[row] / total for row, score in scores.items()}

    def _common(self, terms: list[str], limit: int) -> dict[int, float]:
        """The scores where all words have too many matches: of some that have them in their names, then of others."""
        common = " OR ".join(terms[:_MAX_COMMON])
        scores: dict[int, float] = {}
        for expression, lift in ((f"{{name}} : ({common})", 1000.0), (common, 0.0)):
            if len(scores) < limit:
                found = self._matches(_COMMON, expression)
                scores = {row: score + lift for row, score in found.items()} | scores
        return scores

    def _matches(self, select: str, expression: str) -> dict[int, float]:
        return dict(self._connection.execute(select, (expression, *self._rows, MAX_RANKED)).fetchall())

    def _count(self, term: str) -> int:
        """The number of matches of a term, at most the number that is ranked."""
        select = "SELECT count(*) FROM (SELECT 1 FROM texts WHERE texts MATCH ? AND rowid BETWEEN ? AND ? LIMIT ?)"
        found = self._connection.execute(select, (term, *self._rows, MAX_RANKED)).fetchone()
        return int(found[0])

    def _scores(self, term: str, count: int) -> dict[int, float]:
        """The scores of the rows that match a term."""
        in_name = _NAME * self._weight(count)
        rows = self._connection.execute(_MATCHES, (term, *self._rows, MAX_RANKED))
        return {row: in_name * is_in_name + score for row, is_in_name, score in rows}

    def _weight(self, count: int) -> float:
        """How much a word says that so many rows have: the more, the fewer (its inverse document frequency)."""
        return math.log(1 + (max(self._size, count) - count + 0.5) / (count + 0.5)) if count else 0.0

    @cached_property
    def _size(self) -> int:
        """The number of rows."""
        select = "SELECT total(min(last, ?) - max(first, ?) + 1) FROM sources WHERE last >= ? AND first <= ?"
        first, last = self._rows
        return int(self._connection.execute(select, (last, first, first, last)).fetchone()[0])


def _best(word: SearchWord, matches: Mapping[str, Mapping[int, float]]) -> Iterator[tuple[int, WordScore]]:
    """The rows that match a word or another one for it, each with its best match."""
    best: dict[int, WordScore] = {}
    for term in (*word.others, word.term):
        worth = 1.0 if term == word.term else _SYNONYM
        for row, score in matches.get(term, {}).items():
            match = WordScore(worth * score, worth)
            best[row] = max(match, best.get(row, match))
    yield from best.items()


def _rare(counts: Mapping[str, int]) -> list[str]:
    """The rarest terms, as many as can be ranked."""
    total = 0
    rare = []
    for term in sorted(counts, key=counts.__getitem__):
        total += counts[term]
        if total >= MAX_RANKED:
            break
        rare.append(term)
    return rare
