"""Whether a text may have a flow at all: the words of a source, and the words of an act. Nothing is parsed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache

from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.facts.literals import Word
from skillbag.lint.facts.values import OriginKind
from skillbag.lint.signals.fences import some

CODE = frozenset(["python", "javascript"])
_MAX_PLACES = 2_000


class FlowSigns:
    """Which units may have a flow: those with one of the `literals` of a source, and a word of an act.

    `code_acts` are those of Python and JavaScript, `acts` those of all others. A word in small letters stands for all
    cases; of several in a tuple all are wanted. `linked_acts` are those of a file that gets a value of another, over
    `most_links` files at most. `kinds` are the sources. `is_source(text, offset)` looks at what is beside a literal. A
    unit that has the source and stores it in a file counts if another unit has the act. Compared by identity, since a
    cache asks for it often.
    """

    __slots__ = ("acts", "code_acts", "is_source", "kinds", "linked_acts", "literals", "most_links")

    def __init__(
        self,
        literals: Iterable[bytes],
        acts: tuple[Word, ...],
        code_acts: tuple[Word, ...],
        is_source: Callable[[str, int], bool],
        kinds: frozenset[OriginKind],
        linked_acts: tuple[Word, ...],
        most_links: int,
    ) -> None:
        self.literals, self.acts, self.code_acts, self.is_source = frozenset(literals), acts, code_acts, is_source
        self.kinds, self.linked_acts, self.most_links = kinds, linked_acts, most_links


@lru_cache(maxsize=8)
def source_places(file: TextFile, signs: FlowSigns) -> tuple[int, ...]:
    """Where a text may take something, in order."""
    text = file.document.text
    return tuple(at for at in some(file.places.of(signs.literals), _MAX_PLACES) if signs.is_source(text, at))


def has_words(text: str, words: tuple[Word, ...]) -> bool:
    """Whether a text has one of the words."""
    # A word may be the first of the text.
    folded = f"\n{text.lower()}"
    for word in words:
        if isinstance(word, tuple):
            if all(each in folded for each in word):
                return True
        elif word in folded or (not word.islower() and word in text):
            return True
    return False
