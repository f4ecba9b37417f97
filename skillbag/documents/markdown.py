"""Markdown with exact places: what rules look for in a text, found the way CommonMark 0.31 reads it.

`scan` finds the blocks; links, code spans and comments are found when they are first asked for.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from operator import attrgetter, itemgetter

from skillbag.base.records import NamedTuple, cached_property
from skillbag.documents.markdown_blocks import scan_blocks
from skillbag.documents.markdown_values import (
    Blocks,
    CodeSpan,
    Comment,
    Fence,
    Heading,
    Link,
    Section,
    Span,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from skillbag.documents.markdown_inline import Inline

__all__ = ["CodeSpan", "Comment", "Fence", "Heading", "Link", "Markdown", "Section", "scan", "slug"]

_start = attrgetter("start")


class Markdown(NamedTuple):
    """The structure of `text` from the offset `start` on; every offset counts code points of the whole text."""

    text: str
    start: int
    fences: tuple[Fence, ...]
    headings: tuple[Heading, ...]
    indented: tuple[Span, ...]
    blocks: Blocks

    @cached_property
    def _inline(self) -> Inline:
        # Most texts are never asked for more than their blocks, and are spared the patterns.
        from skillbag.documents.markdown_inline import scan_inline

        return scan_inline(self.blocks)

    @property
    def links(self) -> tuple[Link, ...]:
        """Links, images, reference definitions, `<a href>` and `<img src>`, in order; none from code or comments."""
        return self._inline.links

    @property
    def code_spans(self) -> tuple[CodeSpan, ...]:
        """Inline code, in order."""
        return self._inline.code_spans

    @property
    def comments(self) -> tuple[Comment, ...]:
        """HTML comments, in order; one that nothing closes ends with its block."""
        return self._inline.comments

    @cached_property
    def anchors(self) -> frozenset[str]:
        """What `#…` can name on this page: headings as GitHub does it, `{#id}` after a heading, ids in HTML."""
        from skillbag.documents.markdown_anchors import anchors

        return anchors((heading.text for heading in self.headings), self._inline)

    @cached_property
    def _code(self) -> list[Span]:
        fences = [(fence.start, fence.end) for fence in self.fences]
        return sorted((*fences, *self.indented, *((span.start, span.end) for span in self.code_spans)))

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
        """Every section whose heading is `title`, whatever its case and its level, in order."""
        wanted = title.casefold()
        for index, heading in enumerate(self.headings):
            if heading.text.casefold() == wanted:
                yield Section(heading, self.blocks.bodies[index], self._section_end(index))

    def _section_end(self, index: int) -> int:
        level = self.headings[index].level
        for later in range(index + 1, len(self.headings)):
            if self.headings[later].level <= level:
                return self.headings[later].start
        return len(self.text)

    def fences_in(self, section: Section) -> tuple[Fence, ...]:
        """The fenced blocks that begin in a section, in order."""
        first = bisect_left(self.fences, section.start, key=_start)
        return self.fences[first : bisect_left(self.fences, section.end, key=_start)]


def _covers(spans: Sequence[Span], offset: int) -> bool:
    # The spans do not overlap, so only the last one that begins early enough can hold the offset.
    index = bisect_right(spans, offset, key=itemgetter(0)) - 1
    return index >= 0 and offset < spans[index][1]


def scan(text: str, start: int = 0) -> Markdown:
    """The structure of `text`, read from `start` on (after front matter, say); any text is Markdown."""
    blocks = scan_blocks(text, start)
    return Markdown(text, start, blocks.fences, blocks.headings, blocks.indented, blocks)


def slug(heading_text: str) -> str:
    """GitHub's anchor of a heading: `## The *first* step!` is reached with `#the-first-step`."""
    from skillbag.documents.markdown_anchors import anchor

    return anchor(heading_text)
