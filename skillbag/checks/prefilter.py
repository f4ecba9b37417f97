"""Quick looks at a Markdown text that need no parsed structure: link targets, lines, spans, fences within fences."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from skillbag.base.lazy_regex import late
from skillbag.base.records import NamedTuple
from skillbag.documents.markdown import CodeSpan, Fence, Link
from skillbag.workspace.text import TextFile

# Inline links and, with a blank before the rest of the line, definitions. Possessive: nothing is scanned twice.
_TARGET = re.compile(r"\][(:]([^)]*+)")
# Targets without blanks, signs or brackets, each with a bracket after it.
_PLAIN = late(r"(?:[A-Za-z0-9_./:-]{0,200}+(?:#[A-Za-z0-9_.:-]{0,90}+)?\))*+")
_FENCE = late(r"^[ \t]*+(?:```+|~~~+)(?P<info>[^\n`]*+)$", re.MULTILINE)
_WINDOW = 300
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    _SpanT = TypeVar("_SpanT", CodeSpan, Fence, Link)


class LinkPrefilter(NamedTuple):
    """What a Markdown text may contain; it errs on the side of too much.

    `targets` are those of everything that looks like a link, code included; `html`: there may be links in tags, too;
    `paths`: there is a slash outside of `targets`. `rest` is the text without the targets, or the whole text where one
    of them is not clearly a path or an address.
    """

    targets: frozenset[str]
    html: bool
    paths: bool
    rest: str


@lru_cache(maxsize=1)
def glance_at(file: TextFile) -> LinkPrefilter:
    """The prefilter of a text, computed once for all rules that ask for it in a row."""
    text = file.document.text
    # Single characters are searched ten times as fast as words, so each question begins with one.
    html = "<" in text and ("<a" in text or "<img" in text or "<A" in text or "<IMG" in text)
    pieces = _TARGET.split(text)
    targets = frozenset(pieces[1::2])
    rest = "](".join(pieces[::2])
    return LinkPrefilter(targets, html, "/" in rest, rest if _PLAIN().fullmatch(")".join((*targets, ""))) else text)


def line_around(text: str, start: int, end: int) -> tuple[str, str]:
    """The text before `start` and after `end` in their line, at most 300 characters of each."""
    before = text[max(text.rfind("\n", max(0, start - _WINDOW), start) + 1, start - _WINDOW, 0) : start]
    return before, text[end : end + _WINDOW].partition("\n")[0]


def lines_of(text: str, offsets: Iterable[int]) -> Iterator[tuple[int, int]]:
    """The bounds of each line that one of the ordered offsets is in, once, without line ends."""
    end = -1
    for offset in offsets:
        if offset > end:
            start, end = text.rfind("\n", 0, offset) + 1, text.find("\n", offset)
            end = len(text) if end < 0 else end
            yield start, end


def windows(text: str, offsets: Iterable[int], before: int, after: int) -> list[tuple[int, int]]:
    """The bounds of the text around the ordered offsets; windows that touch are one."""
    found: list[tuple[int, int]] = []
    for offset in offsets:
        start = max(offset - before, 0)
        if found and start <= found[-1][1]:
            start, _ = found.pop()
        found.append((start, min(offset + after, len(text))))
    return found


def span_at(spans: Sequence[_SpanT], offset: int) -> _SpanT | None:
    """The span that contains an offset, of ordered spans that do not overlap."""
    index = bisect_right(spans, offset, key=lambda span: span.start) - 1
    return spans[index] if index >= 0 and offset < spans[index].end else None


def in_outer_fence(text: TextFile, offset: int) -> bool:
    """Whether an offset lies in a fence that was meant to contain others."""
    return outer_fence(text, offset) is not None


def outer_fence(text: TextFile, offset: int) -> int | None:
    """The start of the fence that was meant to contain other fences and the offset, or None.

    Markdown ends a fence at the first line of marks alone, so that a sample of Markdown with fences of its own ends too
    early: the rest of what its author means as code is parsed as text.
    """
    spans = _outer_fences(text)
    index = bisect_right(spans, (offset, len(text.document.text))) - 1
    return spans[index][0] if index >= 0 and offset < spans[index][1] else None


# Several faults of one text ask for it in a row.
@lru_cache(maxsize=1)
def _outer_fences(text: TextFile) -> list[tuple[int, int]]:
    """The outermost spans with fences within, when a line of marks with words opens and one without closes."""
    spans: list[tuple[int, int]] = []
    depth = deepest = start = 0
    for match in _FENCE().finditer(text.document.text, text.body):
        if match["info"].strip() or not depth:
            start = start if depth else match.start()
            depth += 1
            deepest = max(deepest, depth)
            continue
        depth -= 1
        if not depth:
            spans += [(start, match.end())] if deepest > 1 else []
            deepest = 0
    return spans
