"""Quick looks at a Markdown text that need no parsed structure: link targets, lines, spans, fences within fences."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import lru_cache

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.documents.markdown_fences import outside
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.signals.fences import seen_fences

# Inline links and definitions, with all up to a bracket. Possessive: nothing is scanned twice.
_TARGET = late(r"\][(:]([^)]*+)")
# Targets without blanks, signs or brackets, each with a bracket after it.
_PLAIN = late(r"(?:[A-Za-z0-9_./:-]{0,200}+(?:#[A-Za-z0-9_.:-]{0,90}+)?\))*+")
# The destination of an inline link, and that of a definition.
_INLINE = late(r"\]\([ \t]*+(?:\r?\n[ \t>]*+)?(?:<(?P<angled>[^<>\n]*+)>|(?P<bare>[^\s)]*+))")
_DEFINED = late(r"[ \t]*+(?:\r?\n[ \t>]*+)?(?:<(?P<angled>[^<>\n]*+)>|(?P<bare>\S*+))")
_CONTAINERS = " \t>*+-.)0123456789"
"""What may stand before a definition: marks of lists and quotes."""
_LABEL = 1000
"""Longest label of a definition, in code points."""
_WINDOW = 300


class LinkPrefilter(NamedTuple):
    """What a Markdown text may contain; it errs on the side of too much.

    `targets` are those of everything that looks like a link, inline code included; `odd`: there are others, which only
    the parser can read. `rest` is the text without what looks like targets, or the whole text where one of them is not
    clearly a path or an address; `paths`: `rest` has a slash.
    """

    targets: frozenset[str]
    odd: bool
    paths: bool
    rest: str


@lru_cache(maxsize=1)
def glance_at(file: TextFile) -> LinkPrefilter:
    """The prefilter of a text, computed once for all rules that ask for it in a row."""
    text = file.document.text
    pieces = _TARGET().split(text)
    rest, targets = "](".join(pieces[::2]), frozenset(pieces[1::2])
    # Single characters are searched ten times as fast as words, so each question begins with one.
    html = "<" in text and ("<a" in text or "<A" in text or (("<i" in text or "<I" in text) and "<img" in text.lower()))
    plain = _PLAIN().fullmatch(")".join((*targets, "")))
    if html or not plain:
        targets = frozenset(_targets(outside(text, seen_fences(file) or ()), html))
    shown = rest if plain else text
    return LinkPrefilter(targets - {_ODD}, _ODD in targets, "/" in shown, shown)


_ODD = "]("
"""Stands for a destination that only the parser can read."""


def _targets(text: str, html: bool) -> Iterator[str]:
    """The destinations of everything that looks like a link, image or definition."""
    if "](" in text:
        yield from map(_destination, _INLINE().finditer(text))
    at = text.find("]:")
    while at >= 0:
        if match := _DEFINED().match(text, at + 2) if _may_define(text, at) else None:
            yield _destination(match)
        at = text.find("]:", at + 2)
    if html:
        from skillbag.kernel.documents.markdown_html import seeming_links

        yield from (target or _ODD for target in seeming_links(text))


def _destination(match: re.Match[str]) -> str:
    target = match["angled"] if match["bare"] is None else match["bare"]
    if "](" in target:
        return _ODD
    if target.startswith(("https://", "http://")):
        return "https://"
    return _ODD if "\\" in target or "&" in target or "(" in target else target


def _may_define(text: str, at: int) -> bool:
    """Whether the bracket at `at` may end the label of a definition: a footnote has none."""
    start = text.rfind("[", max(0, at - _LABEL), at)
    while start > 0 and text[start - 1] == "\\":
        start = text.rfind("[", max(0, at - _LABEL), start)
    if start < 0 or text[start + 1] == "^":
        return False
    before = text[max(0, start - _WINDOW) : start].replace("\r", "\n")
    return not before.rpartition("\n")[2].rstrip("\\").strip(_CONTAINERS)


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


def in_outer_fence(text: TextFile, offset: int) -> bool:
    """Whether an offset lies in a fence that was meant to contain others."""
    return outer_fence(text, offset) is not None


def outer_fence(text: TextFile, offset: int) -> tuple[int, int] | None:
    """The bounds of the fence that was meant to contain other fences and the offset, from its line on, or None.

    Markdown ends a fence at the first line of marks alone, so that a sample of Markdown with fences of its own ends too
    early: the rest of what its author means as code is parsed as text.
    """
    spans = _outer_fences(text)
    index = bisect_right(spans, (offset, len(text.document.text))) - 1
    return spans[index] if index >= 0 and offset < spans[index][1] else None


def mark_lines(text: str, start: int, end: int | None = None) -> Iterator[tuple[int, str]]:
    """The lines from `start` on that begin with the marks of a fence, blanks aside, with their offsets."""
    end = len(text) if end is None else end
    for at in _mark_offsets(text, start, end):
        line, after = max(text.rfind("\n", start, at) + 1, start), text.find("\n", at, end)
        if not text[line:at].strip(" \t"):
            yield line, text[line : after if after >= 0 else end]


def _mark_offsets(text: str, start: int, end: int) -> list[int]:
    """Where the first marks of a fence are in each line that has any."""
    found = []
    for marks in ("```", "~~~"):
        at = text.find(marks, start, end)
        while at >= 0:
            found.append(at)
            after = text.find("\n", at, end)
            at = text.find(marks, after, end) if after >= 0 else -1
    return sorted(found)


# Several faults of one text ask for it in a row.
@lru_cache(maxsize=1)
def _outer_fences(text: TextFile) -> list[tuple[int, int]]:
    """The outermost spans with fences within, when a line of marks with words opens and one without closes."""
    spans: list[tuple[int, int]] = []
    depth = deepest = start = 0
    for at, line in mark_lines(text.document.text, text.body):
        marked = line.lstrip(" \t")
        info = marked.lstrip(marked[0])
        if "`" in info:
            continue
        if info.strip() or not depth:
            start = start if depth else at
            depth += 1
            deepest = max(deepest, depth)
            continue
        depth -= 1
        if not depth:
            spans += [(start, at + len(line))] if deepest > 1 else []
            deepest = 0
    return spans
