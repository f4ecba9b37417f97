"""What the Markdown scanner finds. Every offset counts code points of the text that was scanned; ends are exclusive."""

from __future__ import annotations

from collections.abc import Iterable

from skillbag.base.records import NamedTuple


class Fence(NamedTuple):
    """A fenced code block, also one inside a list item or a block quote.

    `start` is the first character of the opening fence and `end` the end of the closing one, or of the body where the
    fence is never closed. The body is whole lines, so it carries what stands before it in each line: the spaces of a
    list item, the `>` of a quote. `indent` is the column of the opening fence, counted from 0 with tab stops of 4: what
    may be taken off each body line. `info` is the stripped text after the fence, as written.
    """

    info: str
    start: int
    end: int
    body_start: int
    body_end: int
    closed: bool
    indent: int


class Heading(NamedTuple):
    """A heading; `text` has its inline markup, but no closing `#`s, and the lines of an underlined one in a row."""

    level: int
    text: str
    start: int


class Link(NamedTuple):
    """A link, image or reference definition; `start` and `end` bound the destination as it is written.

    `target` is the destination with backslash escapes and entities resolved; percent-encoding is kept.
    """

    target: str
    start: int
    end: int
    image: bool


class CodeSpan(NamedTuple):
    """Inline code; `start` and `end` bound what stands between the backticks.

    `text` is what a reader sees: line ends are spaces, and one padding space on both sides is gone.
    """

    text: str
    start: int
    end: int


class Comment(NamedTuple):
    """An HTML comment; `text` is what stands between its marks, `start` and `end` bound the whole."""

    text: str
    start: int
    end: int


class Section(NamedTuple):
    """The lines after a heading, up to the next heading of the same or a higher level."""

    heading: Heading
    start: int
    end: int


Span = tuple[int, int]
"""Start and end of a piece of text."""


class Blocks(NamedTuple):
    """The block structure of a text.

    `plain` is the text as the inline scanner reads it: as long as the original, with line ends that are all `\\n` and
    blanks in place of the quote marks before continued lines, so that offsets agree. `paragraphs`, `titles` (what
    headings hold) and `html` are the places where inline markup can stand; `bodies` tells for each heading where the
    line after it begins.
    """

    plain: str
    fences: tuple[Fence, ...]
    headings: tuple[Heading, ...]
    bodies: tuple[int, ...]
    indented: tuple[Span, ...]
    paragraphs: tuple[Span, ...]
    titles: tuple[Span, ...]
    html: tuple[Span, ...]


def replaced(text: str, spans: Iterable[Span], filler: str) -> str:
    """The text with `filler` for every character within the spans, which come in the order of their starts."""
    pieces: list[str] = []
    at = 0
    for start, end in spans:
        pieces += text[at:start], filler * (end - start)
        at = max(at, end)
    return "".join((*pieces, text[at:])) if pieces else text
