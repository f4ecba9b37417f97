"""Whether a text may have a flow at all: the words of a source, and the words of an act. Nothing is parsed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache

from skillbag.kernel.base.literals import Literals
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.facts.literals import Word
from skillbag.lint.facts.values import OriginKind
from skillbag.lint.signals.fences import some

CODE = frozenset(["python", "javascript"])
_MAX_PLACES = 2_000


class WordSearch:
    """Words of which a text has one, searched for at once.

    Those in small letters stand for all cases; of several in a tuple all are wanted.
    """

    def __init__(self, words: Iterable[Word]) -> None:
        each_word = [(word,) if isinstance(word, str) else word for word in words]
        self._exact = tuple(word for (word, *others) in each_word if not others and word != word.lower())
        together = {tuple(map(_folded, some)) for some in each_word if some[0] not in self._exact}
        self._alone = frozenset(some[0] for some in together if len(some) == 1)
        self._together = tuple(frozenset(some) for some in together if len(some) > 1)
        self._literals = Literals(dict.fromkeys(each for some in together for each in some))

    def finds(self, text: str) -> bool:
        """Whether a text has one of the words; before its first character there is a line end."""
        found = self._literals.search(_folded(f"\n{text}")).found
        return (
            not self._alone.isdisjoint(found)
            or any(some.issubset(found) for some in self._together)
            or any(word in text for word in self._exact)
        )


def _folded(text: str) -> bytes:
    return text.lower().encode("utf-8", "surrogatepass")


class FlowSigns:
    """Which units may have a flow: those with one of the `literals` of a source, and a word of an act.

    `code_acts` are those of Python and JavaScript, `acts` those of all others. `linked_acts` are those of a file that
    gets a value of another, over `most_links` files at most. `kinds` are the sources. `is_source(text, offset)` looks
    at what is beside a literal; `said` are literals that only sentences have. A unit that has the source and stores it
    in a file counts if another unit has the act. Compared by identity, since a cache asks for it often.
    """

    __slots__ = ("acts", "code_acts", "code_literals", "is_source", "kinds", "linked_acts", "literals", "most_links")

    def __init__(
        self,
        literals: Iterable[bytes],
        acts: WordSearch,
        code_acts: WordSearch,
        is_source: Callable[[str, int], bool],
        kinds: frozenset[OriginKind],
        linked_acts: WordSearch,
        most_links: int,
        said: Iterable[bytes] = (),
    ) -> None:
        self.literals, self.acts, self.code_acts, self.is_source = frozenset(literals), acts, code_acts, is_source
        self.code_literals = self.literals.difference(said)
        self.kinds, self.linked_acts, self.most_links = kinds, linked_acts, most_links


@lru_cache(maxsize=8)
def source_places(file: TextFile, signs: FlowSigns) -> tuple[int, ...]:
    """Where a text may take something, in order."""
    text = file.document.text
    literals = signs.literals if file.language in ("markdown", "text") else signs.code_literals
    return tuple(at for at in some(file.places.of(literals), _MAX_PLACES) if signs.is_source(text, at))
