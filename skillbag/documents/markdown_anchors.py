"""Anchors of headings, as GitHub makes them: text without markup, in lower case, without punctuation, joined by `-`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from skillbag.documents.markdown_inline import Inline, scan_line
from skillbag.documents.markdown_links import resolve_entities
from skillbag.documents.markdown_values import replaced

_ATTRIBUTE = re.compile(r"\{#([^\s{}]++)[^{}]*+\}\s*\Z")
_DROPPED = re.compile(r"[^\w\- ]+")
# Underscores within a word are part of it. What stands between two marks holds no other mark, so no try is long.
_EMPHASIS = re.compile(r"(?<![\w\\])(_{1,3}+)(?!\s)((?:[^_\\]|\\.|(?<=[^\W_])_(?=[^\W_]))++)(?<!\s)\1(?!\w)")


def anchors(headings: Iterable[str], inline: Inline) -> frozenset[str]:
    """The anchors of a page: its headings' (repeats are numbered), those set as `{#id}`, and the ids in its HTML."""
    found = set(inline.ids)
    seen: dict[str, int] = {}
    for heading in headings:
        found.add(_numbered(anchor(heading, inline.labels), seen))
        if attribute := _ATTRIBUTE.search(heading):
            found.add(attribute[1])
    return frozenset(found)


def _numbered(name: str, seen: dict[str, int]) -> str:
    numbered = name
    while numbered in seen:
        seen[name] += 1
        numbered = f"{name}-{seen[name]}"
    seen[numbered] = 0
    return numbered


def anchor(heading: str, labels: frozenset[str] = frozenset()) -> str:
    """The anchor of one heading, where the reference definitions `labels` hold."""
    text = heading.strip()
    if any(char in text for char in "[_<&"):
        text = _without_markup(text, labels)
    return _DROPPED.sub(_kept, text.lower()).replace(" ", "-")


def _without_markup(heading: str, labels: frozenset[str]) -> str:
    inline = scan_line(heading, labels)
    # Code is looked at as one long word, so that no emphasis is seen in it.
    shadow = replaced(heading, [span[1:] for span in inline.code_spans], "x")
    dropped = sorted((*inline.dropped, *_emphasis(shadow)))
    return resolve_entities(replaced(heading, dropped, ""))


def _emphasis(text: str) -> Iterator[tuple[int, int]]:
    for match in _EMPHASIS.finditer(text):
        yield match.span(1)
        yield match.end(2), match.end()


def _kept(match: re.Match[str]) -> str:
    """Accents and vowel signs that combine with a letter, which count as parts of words."""
    if match[0].isascii():
        return ""
    from unicodedata import category

    return "".join(char for char in match[0] if category(char)[0] == "M")
