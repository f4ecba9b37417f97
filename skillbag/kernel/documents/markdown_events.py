"""The structure of Markdown from pyromark's events (pulldown-cmark), with what they leave out: the places of link
destinations and of the bodies of fences, whether a fence is closed, and links in HTML.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable
from itertools import accumulate
from operator import attrgetter

from pyromark import events_with_range, reference_definitions

from skillbag.kernel.documents.markdown_values import CodeSpan, Fence, Heading, HtmlComment, Link, Markdown, Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pyromark.event import Range

_ATX = re.compile(r"#{1,6}(?:[ \t]+|(?=\r?$))", re.MULTILINE)
_DESTINATION = re.compile(r"[ \t]*+(?:\r?\n[ \t>]*+)?(?:<((?:[^<>\\\n]|\\[^\n])*+)>|([^\x00-\x20\x7f]*+))")


def read_markdown(text: str, start: int) -> Markdown:
    """The structure of `text` from `start` on. A lone carriage return ends a line too, as CommonMark has it."""
    source = text[start:]
    if "\r" in source:
        source = re.sub(r"\r(?!\n)", "\n", source)
    to_character = start.__add__
    if not source.isascii():
        # A lone surrogate, which is half a character, has no bytes.
        source = source.encode("utf-8", "replace").decode()
        to_character = _to_characters(source, start)
    reader = _Reader(text[:start] + source, to_character)
    reader.read_events(events_with_range(source))
    if "]:" in source:
        reader.read_definitions(source)
    # Definitions were read last, and of links within images the inner one closes first.
    links = tuple(sorted(reader.links, key=attrgetter("start")))
    fences, headings, code_spans = tuple(reader.fences), tuple(reader.headings), tuple(reader.code_spans)
    comments, indented = tuple(reader.comments), tuple(reader.indented)
    return Markdown(text, start, fences, headings, links, code_spans, comments, indented, frozenset(reader.ids))


def _to_characters(source: str, start: int) -> Callable[[int], int]:
    """The function from byte offsets in `source` to character offsets in the text that has `source` at `start`.

    Markup is ASCII, so the parser never cuts another character.
    """
    raw = source.encode()
    sizes = [len(source[at : at + _PIECE].encode()) for at in range(0, len(source), _PIECE)]
    starts = [0, *accumulate(sizes[:-1])]

    def to_character(offset: int) -> int:
        piece = bisect_right(starts, offset) - 1
        return start + piece * _PIECE + len(raw[starts[piece] : offset].decode())

    return to_character


_PIECE = 64
"""Characters of a piece whose place is known: what is counted for each offset."""


class _Reader:
    """Collects the structure from events; `to_character` turns their byte offsets into offsets of `text`.

    `open` holds the open tags with data, each with the number of `words` before it: the visible text since the start of
    the last heading. `last` is the byte offset of the end of the event before, or of the start of the tag around.
    """

    def __init__(self, text: str, to_character: Callable[[int], int]) -> None:
        self.text = text
        self.to_character = to_character
        self.open: list[tuple[str, Any, int]] = []
        self.words: list[str] = []
        self.last = 0
        self.fences: list[Fence] = []
        self.headings: list[Heading] = []
        self.links: list[Link] = []
        self.code_spans: list[CodeSpan] = []
        self.comments: list[HtmlComment] = []
        self.indented: list[Span] = []
        self.ids: set[str] = set()

    def read_events(self, events: Iterable[tuple[Any, Any]]) -> None:
        """Read everything but reference definitions, which have no event."""
        say, last = self.words.append, 0
        for event, span in events:
            if "Text" in event:
                say(event["Text"])
            elif "End" in event:
                if type(tag := event["End"]) is dict or tag in _CLOSING:
                    self.last = last
                    self._close(span)
            elif "Start" in event:
                if type(tag := event["Start"]) is dict:
                    ((name, data),) = tag.items()
                    if name == "Heading":
                        self.words.clear()
                    self.open.append((name, data, len(self.words)))
                elif tag == "HtmlBlock":
                    self._take_html(*self._bounds(span))
                last = span["start"]
                continue
            elif "Code" in event:
                self._take_code(event["Code"], *self._bounds(span))
            elif "InlineHtml" in event:
                self._take_html(*self._bounds(span))
            elif event == "SoftBreak":
                say(" ")
            last = span["end"]

    def read_definitions(self, source: str) -> None:
        """Read the reference definitions; a footnote of GitHub has text there, not a destination."""
        for label, found in reference_definitions(source).items():
            start, end = self._bounds(found["span"])
            mark = re.match(r"(?s)\[(?:[^\[\]\\]|\\.)*+\]:", self.text[start:end])
            if mark and not label.startswith("^"):
                self._take_destination(found["dest"], start + mark.end(), end, image=False)

    def _bounds(self, span: Range) -> Span:
        return self.to_character(span["start"]), self.to_character(span["end"])

    def _close(self, span: Range) -> None:
        name, data, before = self.open.pop()
        if close := _CLOSING.get(name):
            close(self, data, *self._bounds(span))
        if name == "Image":
            del self.words[before:]

    def close_code_block(self, data: Any, start: int, end: int) -> None:
        if data == "Indented":
            self.indented.append((start, start + len(self.text[start:end].rstrip("\r\n"))))
            return
        body_start = self.text.find("\n", start, end) + 1 or end
        block = self.text[start:end].rstrip(" \t")
        # A line of marks that belongs to the body has an event of its own.
        closed = body_start < end and block[-1] in "`~" and self.to_character(self.last) < end
        end = start + len(block) if closed else end
        body_end = self.text.rfind("\n", start, end) + 1 if closed else end
        self.fences.append(Fence(data["Fenced"].strip(), start, end, body_start, body_end, closed))

    def close_heading(self, data: Any, start: int, end: int) -> None:
        mark = _ATX.match(self.text, start, end)
        content = self.text[mark.end() if mark else start : self.to_character(self.last)]
        content = _joined(content) if "\n" in content else content
        self.headings.append(Heading(int(data["level"][1]), content, start, end, "".join(self.words)))

    def close_link(self, data: Any, start: int, end: int) -> None:
        if data["link_type"] == "Inline":
            image = self.text[start] == "!"
            # There are only blanks between the last event in a link and the end of its text.
            at = self.text.index("](", self.to_character(self.last)) + 2
            self._take_destination(data["dest_url"], at, end - 1, image=image)

    def _take_destination(self, target: str, at: int, end: int, *, image: bool) -> None:
        if written := _DESTINATION.match(self.text, at, end):
            self.links.append(Link(target, *written.span(2 if written[1] is None else 1), image))

    def _take_code(self, content: str, start: int, end: int) -> None:
        self.words.append(content)
        code = self.text[start:end]
        ticks = len(code) - len(code.lstrip("`"))
        if "\n" in code:
            # The parser keeps the indentation of lines, which is no part of a paragraph.
            content = _joined(code[ticks:-ticks])
            content = content[1:-1] if content[0] == content[-1] == " " and content.strip(" ") else content
        self.code_spans.append(CodeSpan(content, start + ticks, end - ticks))

    def _take_html(self, start: int, end: int) -> None:
        from skillbag.kernel.documents.markdown_html import html_parts

        html = self.text[start:end]
        if "\n" in html and any(name == "BlockQuote" for name, _, _ in self.open):
            html = re.sub(r"(?<=\n)[ \t>]+", lambda marks: " " * len(marks[0]), html)
        for part in html_parts(html, start):
            if isinstance(part, HtmlComment):
                self.comments.append(part)
            elif isinstance(part, Link):
                self.links.append(part)
            else:
                self.ids.add(part)


def _joined(lines: str) -> str:
    """Lines of a paragraph as one, without the marks of lists and quotes."""
    return re.sub(r"[ \t]*\r?\n[ \t>]*", " ", lines)


_CLOSING: dict[str, Callable[[_Reader, Any, int, int], None]] = {
    "CodeBlock": _Reader.close_code_block,
    "Heading": _Reader.close_heading,
    "Image": _Reader.close_link,
    "Link": _Reader.close_link,
}
