"""The block structure of Markdown, line by line: containers first, then what is in them (CommonMark 0.31, appendix).

One pass, and no line is looked at again: whatever the input, the time grows with its length. Regular expressions are
kept off the common lines, because this runs over whole repositories.
"""

from __future__ import annotations

from collections.abc import Callable

from skillbag.documents.markdown_marks import (
    Cursor,
    fence_mark,
    heading_mark,
    is_break,
    is_run,
    list_mark,
)
from skillbag.documents.markdown_values import Blocks, Fence, Heading, Span, replaced

DEPTH = 20
"""Containers nested deeper than this are read as plain text, so that no line costs more than so many steps."""

_SPECIAL = frozenset(" \t`~#>*+-_=<0123456789") | {""}
"""First characters of the lines that can be more than plain text; the empty one is a blank line's."""

_QUOTE = 0
"""The container that is a block quote; every other number is a list item's width."""

# Plain numbers: an enum's members cost more to look up than a line may take.
_NONE, _PARAGRAPH, _INDENTED, _FENCE, _HTML = range(5)
_TEXT, _CONTAINER, _DONE = range(3)


class _Scanner(Cursor):
    """State of the scan: the cursor in the current line, the open containers, and the one open leaf.

    A container is a number: the columns that a list item wants before its content, or `_QUOTE`.
    """

    def __init__(self, text: str, start: int) -> None:
        super().__init__()
        self.text = text
        self.start = start
        self.line_start = self.line_end = start
        self.containers: list[int] = []
        self.empty_item = 0
        self.leaf, self.leaf_start, self.leaf_end = _NONE, start, start
        self.mark, self.info, self.indent, self.body_start = "", "", 0, 0
        self.closers: tuple[str, ...] = ()
        self.fences: list[Fence] = []
        self.headings: list[Heading] = []
        self.bodies: list[int] = []
        self.indented: list[Span] = []
        self.paragraphs: list[Span] = []
        self.titles: list[Span] = []
        self.html: list[Span] = []
        self.quote_marks: list[Span] = []
        self.own_marks = 0

    def run(self) -> Blocks:
        at = self.start
        for line in self.text[at:].split("\n"):
            end = at + len(line)
            if self.leaf == _PARAGRAPH and line[:1] not in _SPECIAL:
                self.leaf_end = end
            elif self.containers or not self._passes(line, at, end):
                self.line_start, self.line_end = at, end
                self._read(line)
            at = end + 1
        self.line_start = len(self.text)
        self._close(0)
        return Blocks(
            replaced(self.text, self.quote_marks, " "),
            tuple(self.fences),
            tuple(self.headings),
            tuple(self.bodies),
            tuple(self.indented),
            tuple(self.paragraphs),
            tuple(self.titles),
            tuple(self.html),
        )

    def _passes(self, line: str, at: int, end: int) -> bool:
        """Take a line outside all containers that needs no more than a glance, as most lines do."""
        leaf = self.leaf
        if leaf == _FENCE:
            return self.mark not in line
        if not line:
            if leaf == _PARAGRAPH:
                self._close_leaf()
            return leaf <= _PARAGRAPH
        if leaf == _NONE and line[0] not in _SPECIAL:
            self.leaf, self.leaf_start, self.leaf_end = _PARAGRAPH, at, end
            self.own_marks = len(self.quote_marks)
            return True
        return False

    def _read(self, line: str) -> None:
        self.place(line)
        matched = self._match() if self.containers else 0
        whole = matched == len(self.containers)
        self.empty_item = 0
        if whole and self.leaf >= _FENCE:
            self._continue_verbatim()
        elif not self.body:
            if not whole or self.leaf == _PARAGRAPH:
                self._close(matched)
        elif whole and self.leaf == _INDENTED and self.pad > 3:
            self.leaf_end = self.line_end
        else:
            if self.leaf != _PARAGRAPH:
                self._close(matched)
            self._begin(matched)

    def _match(self) -> int:
        """How many of the open containers go on in this line; the cursor moves behind their marks."""
        matched = 0
        for needed in self.containers:
            if needed == _QUOTE:
                if self.pad > 3 or self.body[:1] != ">":
                    break
                self.take_quote_mark()
            elif self.body:
                if self.pad < needed:
                    break
                self.pad -= needed
            elif matched + 1 == self.empty_item:
                break
            matched += 1
        return matched

    def _continue_verbatim(self) -> None:
        if self.leaf == _FENCE:
            if self.pad < 4 and self.body.startswith(self.mark) and is_run(self.body):
                self._close_fence(self.line_end - len(self.body) + len(self.body.rstrip(" \t")), closed=True)
        elif not self.body and not self.closers:
            self._close_leaf()
        else:
            self._extend()
            self._end_html()

    def _end_html(self) -> None:
        folded = self.body.lower() if len(self.closers) > 1 else self.body
        if any(closer in folded for closer in self.closers):
            self._close_leaf()

    def _begin(self, matched: int) -> None:
        """Open what begins in this line, then add the rest of it as text."""
        while self.body and self.pad < 4 and (start := _STARTS.get(self.body[0])):
            step = start(self, matched)
            if step == _DONE:
                return
            if step == _TEXT:
                break
            matched = len(self.containers)
        if self.body and self.leaf == _PARAGRAPH:
            self._extend()
        elif self.body:
            self._open(_INDENTED if self.pad > 3 else _PARAGRAPH)

    def _open(self, leaf: int) -> None:
        self.leaf, self.leaf_start, self.leaf_end = leaf, self.line_end - len(self.body), self.line_end
        self.own_marks = len(self.quote_marks)

    def _extend(self) -> None:
        """Add this line to the open leaf; quote marks before it are remembered, for they are no part of it."""
        self.leaf_end = self.line_end
        content = self.line_end - len(self.body)
        if self.containers and ">" in self.text[self.line_start : content]:
            self.quote_marks.append((self.line_start, content))

    def _close(self, depth: int) -> None:
        """Close the open leaf, and the containers from `depth` on."""
        if self.leaf:
            self._close_leaf()
        del self.containers[depth:]

    def _close_leaf(self) -> None:
        leaf, span = self.leaf, (self.leaf_start, self.leaf_end)
        self.leaf = _NONE
        if leaf == _PARAGRAPH:
            self.paragraphs.append(span)
        elif leaf == _INDENTED:
            self.indented.append(span)
        elif leaf == _HTML:
            self.html.append(span)
        else:
            self._close_fence(self.line_start, closed=False)

    def _close_fence(self, end: int, *, closed: bool) -> None:
        self.leaf = _NONE
        body_end = max(self.line_start, self.body_start)
        self.fences.append(
            Fence(self.info, self.leaf_start, max(end, body_end), self.body_start, body_end, closed, self.indent)
        )

    def _add_heading(self, level: int, text: str, start: int, title: Span) -> None:
        self.headings.append(Heading(level, text, start))
        self.bodies.append(self._next_line())
        self.titles.append(title)

    def _next_line(self) -> int:
        return min(self.line_end + 1, len(self.text))

    # What can begin in a line. Each is given how many of the open containers go on in it.

    def start_quote(self, matched: int) -> int:
        if matched >= DEPTH:
            return _TEXT
        self._close(matched)
        self.containers.append(_QUOTE)
        self.take_quote_mark()
        return _CONTAINER

    def start_heading(self, matched: int) -> int:
        found = heading_mark(self.body)
        if found is None:
            return _TEXT
        self._close(matched)
        start = self.line_end - len(self.body)
        self._add_heading(found.level, found.text, start, (start + found.at, start + found.at + len(found.text)))
        return _DONE

    def start_fence(self, matched: int) -> int:
        mark = fence_mark(self.body)
        if not mark:
            return _TEXT
        self._close(matched)
        self._open(_FENCE)
        self.mark, self.info = mark, self.body[len(mark) :].strip()
        self.indent, self.body_start = self.column, self._next_line()
        return _DONE

    def start_html(self, matched: int) -> int:
        from skillbag.documents.markdown_html import block_end

        closers = block_end(self.body, self.leaf == _PARAGRAPH)
        if closers is None:
            return _TEXT
        self._close(matched)
        self._open(_HTML)
        self.closers = closers
        self._end_html()
        return _DONE

    def start_dashes(self, matched: int) -> int:
        """An underline, a thematic break or a list item: one character can begin any of them, in this order."""
        body, in_paragraph = self.body, self.leaf == _PARAGRAPH and matched == len(self.containers)
        if in_paragraph and body[0] in "-=" and is_run(body) and self._underline():
            return _DONE
        if body[0] in "-*_" and is_break(body):
            self._close(matched)
            return _DONE
        length = 0 if body[0] in "=_" or matched >= DEPTH else list_mark(body, in_paragraph)
        if not length:
            return _TEXT
        self._close(matched)
        before = self.pad
        self.advance(length)
        after = self.pad if self.body and self.pad < 5 else 1
        self.pad -= min(after, self.pad)
        self.containers.append(before + length + after)
        if not self.body:
            self.empty_item = len(self.containers)
        return _CONTAINER

    def _underline(self) -> bool:
        """Make the open paragraph a heading, unless nothing of it is left once its definitions are off."""
        first, kept = self.leaf_start, 0
        marks = [(start - first, end - first) for start, end in self.quote_marks[self.own_marks :]]
        source = replaced(self.text[first : self.leaf_end], marks, " ")
        if source[0] == "[":
            from skillbag.documents.markdown_links import definitions_end

            kept = definitions_end(source)
        if kept == len(source):
            return False
        start, self.leaf = first + kept, _NONE
        if kept:
            self.paragraphs.append((first, start))
        text = " ".join(line.strip(" \t") for line in source[kept:].split("\n"))
        self._add_heading(1 if self.body[0] == "=" else 2, text, start, (start, self.leaf_end))
        return True


_STARTS: dict[str, Callable[[_Scanner, int], int]] = {
    ">": _Scanner.start_quote,
    "#": _Scanner.start_heading,
    "<": _Scanner.start_html,
    **dict.fromkeys("`~", _Scanner.start_fence),
    **dict.fromkeys("-+*_=0123456789", _Scanner.start_dashes),
}


def scan_blocks(text: str, start: int) -> Blocks:
    """The blocks of `text` from `start` on. A lone carriage return ends a line too, as CommonMark has it."""
    if "\r" in text:
        text = text.replace("\r\n", " \n").replace("\r", "\n")
    return _Scanner(text, start).run()
