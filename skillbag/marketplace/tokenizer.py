"""Words as the marketplace's index knows them: in texts that are indexed, and in what somebody searches for."""

from __future__ import annotations

import re
from collections.abc import Sequence

_LONGEST_QUERY = 1000
_MOST_WORDS = 8
_SHORTEST_BEGINNING = 3
"""Letters; shorter ones begin too many words, and would cost a search more than they are worth."""

_WORD = re.compile(r"[^\W_]+")
_FILLERS = frozenset(
    ("a", "an", "and", "for", "how", "i", "in", "is", "it", "my", "of", "on", "or", "that", "the", "this", "to", "with")
)
"""Words that say nothing of a skill; they count only where there are no others."""


class _Folding(dict[int, str | None]):
    """A translation table that fills itself: letters and digits stay, marks on them go, all else becomes a space."""

    def __missing__(self, code: int) -> str | None:
        import unicodedata

        char = chr(code)
        self[code] = char if char.isalnum() else None if unicodedata.combining(char) else " "
        return self[code]


_FOLDING = _Folding()


def fold(text: str) -> str:
    """The text as it is indexed: without case, accents and forms of compatibility, words apart from each other.

    What is not ASCII is folded here and not by SQLite, so that the same words are one whatever its version.
    """
    if text.isascii():
        return text.lower()
    import unicodedata

    return unicodedata.normalize("NFKD", text).casefold().translate(_FOLDING)


def words_of(query: str) -> tuple[str, ...]:
    """The words that a query looks for, each once, in order; whatever else it holds separates them."""
    words = list(dict.fromkeys(_WORD.findall(fold(query[:_LONGEST_QUERY]))))
    return tuple([word for word in words if word not in _FILLERS] or words)[:_MOST_WORDS]


def all_words(words: Sequence[str]) -> str:
    """The full-text expression for what holds all of the words."""
    return " AND ".join(f'"{word}"' for word in words)


def all_begun(words: Sequence[str]) -> str | None:
    """As `all_words`, with the last word as the beginning of one; None where it is too short for that."""
    return f"{all_words(words)} *" if len(words[-1]) >= _SHORTEST_BEGINNING else None


def any_word(words: Sequence[str]) -> str:
    """The full-text expression for what holds one of the words or more, the last as the beginning of one too."""
    found = " OR ".join(f'"{word}"' for word in words)
    return f"{found} *" if len(words[-1]) >= _SHORTEST_BEGINNING else found
