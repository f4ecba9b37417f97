"""Names of secrets, of a parameter, a setting or a variable, and the words for them in sentences."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.secrets import words
from skillbag.kernel.secrets.words import ANY, DOUBTFUL, KEY

_CAPITAL = late(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[a-z])(?=\d{1,3}\Z)")
_SIGNS = late(r"[\W_]+")
_ACCENTED = late(r"(?<!\w)[èéÈÉ](?!\w)|([À-ɏḀ-ỹ！-～])")
_TOKEN = late(r"[a-z0-9łа-я]+|[^\x00-ɏḀ-ỹЀ-ӿ\W]+")
_PARTS = frozenset({"", *"-_. ’'"})
_LONG = tuple(words.PASSWORDS.split())
_OF, _QUALIFIERS = frozenset(words.OF.split()), frozenset(words.QUALIFIERS.split())
ABOUT, BOOLEAN = frozenset(words.ABOUT.split()), frozenset(words.BOOLEAN.split())
DETERMINED = frozenset(words.DETERMINED.split())


class Noun(NamedTuple):
    """A word for a secret: where it is in a text, its class (`words`), and the word itself."""

    start: int
    end: int
    kind: str
    word: str


def composed(text: str) -> str:
    """A text in form NFC."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def folded(text: str) -> str:
    """The small letters of a text in form NFC, without accents, as many; `è` and `é` stay where they are words."""
    if text.isascii():
        return text.lower()
    text = _ACCENTED().sub(lambda m: unicodedata.normalize("NFKD", m[1])[0] if m[1] else m[0], text)
    return "".join([char if len(small := char.lower()) != 1 else small for char in text])


def nouns(text: str) -> Iterator[Noun]:
    """The words for secrets in a folded text, in order."""
    before: list[tuple[int, int]] = []
    for match in _TOKEN().finditer(text):
        start, end, token = match.start(), match.end(), match[0]
        if token[0] > "\u0fff" and (noun := _unspaced(text, before[-1][0] if _adjoins(before, start) else start, end)):
            yield noun
        elif token in words.ENDS or token.endswith(_LONG) or token.endswith(words.TOKENS):
            noun = _noun(text, [*before[1 - words.LONGEST :], (start, end)])
            if noun:
                yield noun
        if before and text[before[-1][1] : start] not in _PARTS:
            before.clear()
        before.append((start, end))


def _noun(text: str, spans: list[tuple[int, int]]) -> Noun | None:
    """The longest noun that ends with the last of some words."""
    end = spans[-1][1]
    joined, found, following = "", None, end
    for start, stop in reversed(spans):
        if following != end and text[stop:following] not in _PARTS:
            break
        joined, following = text[start:stop] + joined, start
        if kind := words.NOUNS.get(joined):
            found = Noun(start, end, kind, joined)
    if found is None and (last := text[spans[-1][0] : end]).endswith((*_LONG, *words.TOKENS)):
        found = Noun(spans[-1][0], end, KEY if last.endswith(words.TOKENS) else ANY, last)
    return found


def _adjoins(before: list[tuple[int, int]], start: int) -> bool:
    return bool(before) and before[-1][1] == start


def _unspaced(text: str, start: int, end: int) -> Noun | None:
    """The last noun in words that nothing parts."""
    at, word = max((text.rfind(word, start, end), word) for word in words.UNSPACED)
    return Noun(at, at + len(word), words.UNSPACED[word], word) if at >= 0 else None


def name_words(name: str) -> list[str]:
    """The words of a name, folded."""
    return _SIGNS().sub(" ", folded(composed(_CAPITAL().sub(" ", name)))).split()


def secret_class(name: str) -> str:
    """The class of secrets that a name is of (`words`); empty where it is of none."""
    text = " ".join(name_words(name))
    found = [*nouns(text)]
    if not found:
        return ""
    last = max(found, key=lambda noun: (noun.end, -noun.start))
    before, after = text[: last.start].split(), text[last.end :].split()
    if not ABOUT.isdisjoint(after) or (before and before[-1] in DETERMINED):
        return ""
    if last.kind == KEY and not BOOLEAN.isdisjoint(before):
        return ""
    is_plain = not after or after[0] in _OF or all(word.isdigit() or word in _QUALIFIERS for word in after)
    if not is_plain or (last.kind == ANY and before and before[0] in BOOLEAN):
        return DOUBTFUL
    return last.kind
