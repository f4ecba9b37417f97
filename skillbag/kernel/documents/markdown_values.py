"""The structure of a Markdown text. Every offset counts code points of the whole text; ends are exclusive."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import attrgetter, itemgetter
from unicodedata import category

from skillbag.kernel.base.records import NamedTuple, cached_property

_start = attrgetter("start")
_ANCHOR = re.compile(r"\{#([^\s{}]++)[^{}]*+\}\s*\Z")
_DROPPED = re.compile(r"[^\w\- ]+")

Span = tuple[int, int]
"""Start and end of a piece of text."""


class Fence(NamedTuple):
    """A fenced code block, also one inside a list item or a block quote.

    `start` is the first character of the opening fence and `end` the end of the closing one, or of the body if it is
    never closed. The body is whole lines, with the spaces of a list item or the `>` of a quote before them. `info` is
    the stripped text after the fence, with escapes and entities resolved.
    """

    info: str
    start: int
    end: int
    body_start: int
    body_end: int
    closed: bool


class Heading(NamedTuple):
    """A heading, from `start` to the line after it, `end`.

    `text` keeps the inline markup, but no closing `#`s, and joins the lines of an underlined one; `words` is the text
    that is visible, without images.
    """

    level: int
    text: str
    start: int
    end: int
    words: str


class Link(NamedTuple):
    """A link, image or reference definition; `start` and `end` bound the destination.

    `target` is the destination with backslash escapes and entities resolved; percent-encoding is kept.
    """

    target: str
    start: int
    end: int
    image: bool


class CodeSpan(NamedTuple):
    """Inline code; `start` and `end` bound the source between the backticks.

    `text` is the visible text: line ends are spaces, and one padding space on both sides is removed.
    """

    text: str
    start: int
    end: int


class HtmlComment(NamedTuple):
    """An HTML comment with its `text`; `start` and `end` include the marks."""

    text: str
    start: int
    end: int


class Section(NamedTuple):
    """The lines after a heading, up to the next heading of the same or a higher level."""

    heading: Heading
    start: int
    end: int


class Markdown(NamedTuple):
    """The structure of `text` from the offset `start` on, in order.

    `links` are links, images, reference definitions, `<a href>` and `<img src>`, none from code or comments. `indented`
    are code blocks without fences; `ids` are the link targets in HTML.
    """

    text: str
    start: int
    fences: tuple[Fence, ...]
    headings: tuple[Heading, ...]
    links: tuple[Link, ...]
    code_spans: tuple[CodeSpan, ...]
    comments: tuple[HtmlComment, ...]
    indented: tuple[Span, ...]
    ids: frozenset[str]

    @cached_property
    def anchors(self) -> frozenset[str]:
        """The anchors that `#…` can name: of headings as GitHub makes them, `{#id}` after a heading, ids in HTML."""
        return self.ids | _heading_anchors(self.headings)

    @cached_property
    def _code(self) -> list[Span]:
        spans = [(span.start, span.end) for spans in (self.fences, self.code_spans) for span in spans]
        return sorted((*spans, *self.indented))

    @cached_property
    def _commented(self) -> list[Span]:
        return [(comment.start, comment.end) for comment in self.comments]

    def in_code(self, offset: int) -> bool:
        """Whether the offset lies in a fenced block (fences included), an indented block or inline code."""
        return _covers(self._code, offset)

    def in_comment(self, offset: int) -> bool:
        """Whether the offset lies in an HTML comment."""
        return _covers(self._commented, offset)

    def section(self, title: str) -> Iterator[Section]:
        """Every section with the heading `title`, in any case and of any level, in order."""
        wanted = title.casefold()
        return self.sections(lambda heading: heading.text.casefold() == wanted)

    def sections(self, wanted: Callable[[Heading], bool]) -> Iterator[Section]:
        """Every section with a heading that is wanted, in order."""
        for index, heading in enumerate(self.headings):
            if wanted(heading):
                following = map(self.headings.__getitem__, range(index + 1, len(self.headings)))
                later = (other.start for other in following if other.level <= heading.level)
                yield Section(heading, heading.end, next(later, len(self.text)))

    def fences_in(self, section: Section) -> tuple[Fence, ...]:
        """The fenced blocks that begin in a section, in order."""
        first = bisect_left(self.fences, section.start, key=_start)
        return self.fences[first : bisect_left(self.fences, section.end, key=_start)]


def _covers(spans: Sequence[Span], offset: int) -> bool:
    # The spans do not overlap, so only the last one that begins early enough can hold the offset.
    index = bisect_right(spans, offset, key=itemgetter(0)) - 1
    return index >= 0 and offset < spans[index][1]


def _heading_anchors(headings: Iterable[Heading]) -> frozenset[str]:
    """The anchors of a page's headings: their words in lower case joined by `-` (repeats are numbered), or `{#id}`."""
    found: set[str] = set()
    repeats: dict[str, int] = {}
    for heading in headings:
        name = anchor = _DROPPED.sub(_kept, heading.words.lower()).replace(" ", "-")
        while anchor in repeats:
            repeats[name] += 1
            anchor = f"{name}-{repeats[name]}"
        repeats[anchor] = 0
        found.add(anchor)
        if attribute := _ANCHOR.search(heading.text):
            found.add(attribute[1])
    return frozenset(found)


def _kept(match: re.Match[str]) -> str:
    """Combining accents and vowel signs, which belong to words; all other punctuation is dropped."""
    if match[0].isascii():
        return ""
    return "".join(char for char in match[0] if category(char)[0] == "M")
