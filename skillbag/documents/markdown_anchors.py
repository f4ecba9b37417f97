"""Anchors of headings, as GitHub makes them: text without markup, in lower case, without punctuation, joined by `-`."""

from __future__ import annotations

import re
from collections.abc import Iterable

_ATTRIBUTE = re.compile(r"\{#([^\s{}]++)[^{}]*+\}\s*\Z")
_DROPPED = re.compile(r"[^\w\- ]+")


def heading_anchors(headings: Iterable[tuple[str, str]]) -> frozenset[str]:
    """The anchors of a page's headings, each given by its text and its words without markup.

    An anchor is made of the words (repeats are numbered), or set as `{#id}`.
    """
    found: set[str] = set()
    seen: dict[str, int] = {}
    for text, words in headings:
        found.add(_numbered(_DROPPED.sub(_kept, words.lower()).replace(" ", "-"), seen))
        if attribute := _ATTRIBUTE.search(text):
            found.add(attribute[1])
    return frozenset(found)


def _numbered(name: str, seen: dict[str, int]) -> str:
    numbered = name
    while numbered in seen:
        seen[name] += 1
        numbered = f"{name}-{seen[name]}"
    seen[numbered] = 0
    return numbered


def _kept(match: re.Match[str]) -> str:
    """Accents and vowel signs that combine with a letter, which count as parts of words."""
    if match[0].isascii():
        return ""
    from unicodedata import category

    return "".join(char for char in match[0] if category(char)[0] == "M")
