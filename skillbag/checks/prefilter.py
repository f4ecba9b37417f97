"""A first look at a Markdown text: what its links name and what is left, in one pass and without its structure."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache

from skillbag.base.lazy_regex import late
from skillbag.base.records import NamedTuple
from skillbag.documents.markdown import CodeSpan, Fence, Link
from skillbag.workspace.text import TextFile

# Inline links and, with a blank before the rest of the line, definitions. Possessive: nothing is scanned twice.
_TARGET = re.compile(r"\][(:]([^)]*+)")
# Targets without blanks, signs or brackets, each with a bracket after it.
_PLAIN = late(r"(?:[A-Za-z0-9_./:-]{0,200}+(?:#[A-Za-z0-9_.:-]{0,90}+)?\))*+")
_WINDOW = 300
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    _SpanT = TypeVar("_SpanT", CodeSpan, Fence, Link)


class LinkPrefilter(NamedTuple):
    """What a Markdown text holds at a first look, too much rather than too little.

    `targets` are those of whatever looks like a link, code included; `html` says that some may be in tags besides;
    `paths` that there is a slash outside of `targets`. `rest` is what is left of the text when targets are taken out;
    it is the whole text where one of them is not plainly a path or an address.
    """

    targets: frozenset[str]
    html: bool
    paths: bool
    rest: str


@lru_cache(maxsize=1)
def glance_at(file: TextFile) -> LinkPrefilter:
    """The first look at a text, made once for all rules that ask for it in a row."""
    text = file.document.text
    # Single characters are searched ten times as fast as words, so each question begins with one.
    html = "<" in text and ("<a" in text or "<img" in text or "<A" in text or "<IMG" in text)
    pieces = _TARGET.split(text)
    targets = frozenset(pieces[1::2])
    rest = "](".join(pieces[::2])
    return LinkPrefilter(targets, html, "/" in rest, rest if _PLAIN().fullmatch(")".join((*targets, ""))) else text)


def line_around(text: str, start: int, end: int) -> tuple[str, str]:
    """What stands before `start` and after `end` in their line, at most 300 characters of each."""
    before = text[max(text.rfind("\n", max(0, start - _WINDOW), start) + 1, start - _WINDOW, 0) : start]
    return before, text[end : end + _WINDOW].partition("\n")[0]


def span_at(spans: Sequence[_SpanT], offset: int) -> _SpanT | None:
    """The one of ordered spans, none within another, that an offset lies in."""
    index = bisect_right(spans, offset, key=lambda span: span.start) - 1
    return spans[index] if index >= 0 and offset < spans[index].end else None
