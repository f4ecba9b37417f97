"""Words of shell code with the variables that the text itself sets put in. Nothing is run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from skillbag.kernel.base.lazy_regex import late
from skillbag.lint.signals.shell_commands import Word

_VARIABLE = late(
    r"\$(?:(\w+|[@*])|\{!?(\w+)(?:\[[^\]}]*\])?\}|\{(\w+)(?:\[[^\]}]*\])?(?::?[-=]([^}]*)|[:#%/^,][^}]*)\})"
)
_WHOLE = late(r"[\"']?\$\{(\w+)\[[@*]\]\}[\"']?")
"""All items of an array."""
_MAX = 8
_LONGEST = 4_000
Values = Mapping[str, Sequence[str]]


def variables_in(word: Word) -> Iterator[str]:
    """The variables that a word uses."""
    if "$" in word.raw and not word.raw.startswith("'"):
        for match in _VARIABLE().finditer(word.raw):
            yield match[1] or match[2] or match[3]


def texts_of(word: Word, values: Values) -> list[str]:
    """What a word may be, variables of several values included; a variable without a known value stays as written."""
    if "$" not in word.text or word.raw.startswith("'"):
        return [word.text]
    found = [""]
    end = 0
    for match in _VARIABLE().finditer(word.text):
        between = word.text[end : match.start()]
        given = _given(match, values)
        found = [f"{text}{between}{value}"[:_LONGEST] for text in found for value in given][:_MAX]
        end = match.end()
    return [text + word.text[end:] for text in found]


def _given(match: re.Match[str], values: Values) -> Sequence[str]:
    known = values.get(match[1] or match[2] or match[3])
    if known:
        return known
    return [match[4]] if match[4] else [match[0]]


_PRINTED = late(r"\$\([ \t]*(?:printf|echo)[ \t]+(?:-\w+[ \t]+)*([\"']?)([^\"'()$`|\n]{1,200})\1[ \t]*\)")
_ESCAPE = late(r"\\(?:x([0-9a-fA-F]{1,2})|([0-7]{1,3}))")


def _spelled(word: Word) -> Word:
    """A word with what `$(printf TEXT)` prints and `$'TEXT'` means put in."""
    if word.raw.startswith("$'"):
        return word._replace(text=_unescaped(word.text[1:]))
    if "$(" not in word.text:
        return word
    return word._replace(text=_PRINTED().sub(lambda match: _unescaped(match[2]), word.text))


def _unescaped(text: str) -> str:
    return _ESCAPE().sub(lambda match: chr(int(match[1], 16) if match[1] else int(match[2], 8) % 256), text)


def expanded(words: Sequence[Word], values: Values) -> tuple[Word, ...]:
    """The words of a command as far as they are known; an unquoted one with blanks becomes several."""
    found: list[Word] = []
    for word in map(_spelled, words):
        if whole := _WHOLE().fullmatch(word.raw):
            items = values.get(whole[1], [word.text])
            found += [word._replace(text=item, raw=item) for item in items]
            continue
        text = texts_of(word, values)[0]
        if text == word.text:
            found.append(word)
        elif word.raw[:1] in "\"'":
            found.append(word._replace(text=text, raw=f'"{text}"'))
        else:
            found += [word._replace(text=part, raw=part) for part in text.split()]
    return tuple(found)
