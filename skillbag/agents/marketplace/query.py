"""The words of a marketplace query; SQLite's tokenizer folds case, accents and word endings."""

from __future__ import annotations

import re
from typing import NamedTuple

from skillbag.agents.marketplace.vocabulary import STOP_WORDS, others

_MAX_QUERY = 1000
_MAX_WORDS = 12
_MIN_PREFIX = 3
"""Letters; shorter prefixes match too many words."""

_WORD = re.compile(r"[^\W_]+")


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
