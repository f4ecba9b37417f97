"""The words of a marketplace query; SQLite's tokenizer folds case, accents and word endings."""

from __future__ import annotations

import re
from typing import NamedTuple

_MAX_QUERY = 1000
_MAX_WORDS = 8
_MIN_PREFIX = 3
"""Letters; shorter prefixes match too many words."""

_WORD = re.compile(r"[^\W_]+")
_STOP_WORDS = frozenset(
    ("a", "an", "and", "for", "how", "i", "in", "is", "it", "my", "of", "on", "or", "that", "the", "this", "to", "with")
)
"""Words without meaning for a search; used only when a query has no others."""


class Query(NamedTuple):
    """The distinct words to search for, and the skill name that all words of the query spell."""

    words: tuple[str, ...]
    name: str

    @property
    def terms(self) -> tuple[str, ...]:
        """The words as FTS5 terms; the last one also matches as a prefix."""
        terms = [f'"{word}"' for word in self.words]
        if self.words and len(self.words[-1]) >= _MIN_PREFIX:
            terms[-1] += "*"
        return tuple(terms)


def parse_query(text: str) -> Query:
    """The query; anything but letters and digits separates words."""
    text = text[:_MAX_QUERY]
    if not text.isascii():
        import unicodedata

        text = unicodedata.normalize("NFKC", text)
    words = _WORD.findall(text.lower())
    distinct = dict.fromkeys(words)
    terms = [word for word in distinct if word not in _STOP_WORDS] or list(distinct)
    return Query(tuple(terms[:_MAX_WORDS]), "-".join(words))
