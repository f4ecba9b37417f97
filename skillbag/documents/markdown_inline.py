"""The inline structure of Markdown: links, code, HTML. What binds tightest is taken first, from left to right.

Code, tags and comments are jumped over as they are met; brackets wait on a stack until one closes (CommonMark 0.31,
appendix). A search for an end that failed once is not made again, which keeps the time in step with the length.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from operator import attrgetter

from skillbag.base.records import NamedTuple
from skillbag.documents.markdown_html import ATTRIBUTE, TAG
from skillbag.documents.markdown_links import (
    LABEL,
    TAIL,
    definitions,
    folded_label,
    resolve,
    resolve_entities,
)
from skillbag.documents.markdown_values import Blocks, CodeSpan, Comment, Link, Span

_TOKEN = re.compile(r"\\.|`+|!?\[|\]|<", re.DOTALL)
_BACKTICKS = re.compile("`+")
_LINE_END = re.compile(r" ?\n[ \t]*")
_ADDRESS = r"[\w.!#$%&'*+/=?^`{|}~-]++@[A-Za-z0-9][A-Za-z0-9.-]*+"
_AUTOLINK = re.compile(rf"<(?:[A-Za-z][A-Za-z0-9+.-]{{1,31}}:[^\x00-\x20\x7f<>]*+|{_ADDRESS})>", re.ASCII)
_SECTIONS = (("<![CDATA[", "]]>"), ("<?", "?>"))


class Inline(NamedTuple):
    """The inline structure of a text; links, code and comments are in order.

    `ids` are the values of `id` attributes, and of `name` on `<a>`. `dropped` is the markup that leaves no text behind:
    tags, whole images, and what follows the text of a link. `labels` are those of the reference definitions.
    """

    links: tuple[Link, ...]
    code_spans: tuple[CodeSpan, ...]
    comments: tuple[Comment, ...]
    ids: frozenset[str]
    dropped: tuple[Span, ...]
    labels: frozenset[str]


class _Scanner:
    """State of the scan; `openers` are the brackets of the current paragraph that wait, and those below `dead` are
    such as can't become links any more, because there is one within them.
    """

    def __init__(self, text: str, labels: frozenset[str]) -> None:
        self.text = text
        self.labels = set(labels)
        self.links: list[Link] = []
        self.code_spans: list[CodeSpan] = []
        self.comments: list[Comment] = []
        self.ids: set[str] = set()
        self.dropped: list[Span] = []
        self.openers: list[tuple[int, bool]] = []
        self.dead = 0
        self.ahead: dict[str, int] = {}
        self.runs: dict[int, list[int]] = {}
        for run in _BACKTICKS.finditer(text):
            self.runs.setdefault(run.end() - run.start(), []).append(run.start())

    def define(self, start: int, end: int) -> int:
        """Take the definitions with which a paragraph begins; the result is where they end."""
        for found in definitions(self.text, start, end):
            self.labels.add(found.label)
            # What GitHub shows as a footnote has words there, not a destination.
            if not found.label.startswith("^"):
                self._link(found.start, found.end, image=False)
            start = found.stop
        return start

    def scan(self, at: int, end: int) -> None:
        """Take what stands in one paragraph or heading."""
        text, search = self.text, _TOKEN.search
        self.openers.clear()
        self.dead = 0
        while token := search(text, at, end):
            at = token.end()
            kind = text[token.start()]
            if kind == "`":
                at = self._code(at - token.start(), at, end)
            elif kind == "<":
                at = self._html(at - 1, end)
            elif kind == "]":
                if self.openers:
                    at = self._close_bracket(at, end)
            elif kind != "\\":
                self.openers.append((at, kind == "!"))

    def scan_html(self, at: int, end: int) -> None:
        """Take what stands in a block of HTML."""
        at = self.text.find("<", at, end)
        while at >= 0:
            if self.text.startswith("<!--", at) and not 0 <= self._next("-->", at + 2) < end:
                self._comment(at, end, end)
                return
            at = self.text.find("<", self._html(at, end), end)

    def _code(self, length: int, at: int, end: int) -> int:
        starts = self.runs.get(length, [])
        place = bisect_left(starts, at)
        if place == len(starts) or starts[place] >= end:
            return at
        stop = starts[place]
        text = self.text[at:stop]
        if "\n" in text:
            text = _LINE_END.sub(" ", text)
        if text[0] == text[-1] == " " and text.strip(" "):
            text = text[1:-1]
        self.code_spans.append(CodeSpan(text, at, stop))
        return stop + length

    def _close_bracket(self, at: int, end: int) -> int:
        opened, image = self.openers.pop()
        depth = len(self.openers)
        live = image or depth >= self.dead
        self.dead = min(self.dead, depth)
        if not live:
            return at
        tail = TAIL.match(self.text, at, end) if self.text.startswith("(", at) else None
        if tail:
            group = 1 if tail[1] is not None else 2
            self._link(tail.start(group), tail.end(group), image)
            stop = tail.end()
        else:
            stop = self._reference(opened, at, end) if self.labels else -1
        if stop < 0:
            return at
        if not image:
            self.dead = depth
        self.dropped.append((opened - 2 if image else at, stop))
        return stop

    def _reference(self, opened: int, at: int, end: int) -> int:
        """Where the reference link ends whose text stands between `opened` and the bracket before `at`, or -1."""
        label = LABEL.match(self.text, at, end)
        stop = label.end() if label else at
        if label is None:
            label = LABEL.match(self.text, opened - 1, at)
            if label is None or label.end() != at:
                return -1
            stop = at + 2 if self.text.startswith("[]", at) else at
        return stop if folded_label(label[1]) in self.labels else -1

    def _link(self, start: int, end: int, image: bool) -> None:
        self.links.append(Link(resolve(self.text[start:end]), start, end, image))

    def _html(self, at: int, end: int) -> int:
        """Take the tag, comment or autolink that begins at `at`; the result is where it ends, or the next character."""
        mark = self.text[at + 1 : at + 2]
        if mark in ("!", "?"):
            stop = self._section(at, end)
        elif tag := TAG.match(self.text, at, end):
            if tag[2]:
                self._attributes(tag)
            stop = tag.end()
        else:
            link = _AUTOLINK.match(self.text, at, end)
            return link.end() if link else at + 1
        if stop > at + 1:
            self.dropped.append((at, stop))
        return stop

    def _section(self, at: int, end: int) -> int:
        """The end of the comment, instruction, declaration or CDATA section at `at`."""
        text = self.text
        if text.startswith("<!--", at):
            stop = self._next("-->", at + 2)
            if not 0 <= stop <= end - 3:
                return at + 1
            self._comment(at, stop, stop + 3)
            return stop + 3
        declares = text[at + 2 : at + 3].isascii() and text[at + 2 : at + 3].isalpha()
        sections = (*_SECTIONS, ("<!", ">")) if declares else _SECTIONS
        for mark, closer in sections:
            if text.startswith(mark, at):
                stop = self._next(closer, at + len(mark))
                return stop + len(closer) if 0 <= stop <= end - len(closer) else at + 1
        return at + 1

    def _comment(self, start: int, stop: int, end: int) -> None:
        self.comments.append(Comment(self.text[start + 4 : stop], start, end))

    def _next(self, mark: str, at: int) -> int:
        """Where `mark` stands next from `at` on, in the whole text, or -1; asked for ever later places only."""
        known = self.ahead.get(mark, -2)
        if known != -1 and known < at:
            known = self.ahead[mark] = self.text.find(mark, at)
        return known

    def _attributes(self, tag: re.Match[str]) -> None:
        name = tag[1].lower()
        for found in ATTRIBUTE.finditer(self.text, tag.start(2), tag.end(2)):
            key, quoted = found[1].lower(), found[2][0] in "\"'"
            start, end = found.start(2) + quoted, found.end(2) - quoted
            value = resolve_entities(self.text[start:end])
            if key == "id" or (name, key) == ("a", "name"):
                self.ids.add(value)
            elif (name, key) in (("a", "href"), ("img", "src")):
                self.links.append(Link(value, start, end, name == "img"))


def scan_inline(blocks: Blocks) -> Inline:
    """The inline structure of the blocks; definitions are read first, for they may stand after the links."""
    text = blocks.plain
    scanner = _Scanner(text, frozenset())
    rests = [(scanner.define(*span) if text[span[0]] == "[" else span[0], span[1]) for span in blocks.paragraphs]
    places = [(start, end, False) for start, end in (*rests, *blocks.titles)]
    places += [(start, end, True) for start, end in blocks.html]
    for start, end, is_html in sorted(places):
        if is_html:
            scanner.scan_html(start, end)
        else:
            scanner.scan(start, end)
    return _result(scanner)


def scan_line(text: str, labels: frozenset[str]) -> Inline:
    """The inline structure of one line, where the reference definitions `labels` hold."""
    scanner = _Scanner(text, labels)
    scanner.scan(0, len(text))
    return _result(scanner)


def _result(scanner: _Scanner) -> Inline:
    # Definitions were read before the rest, and of links within images the inner one closes first.
    return Inline(
        tuple(sorted(scanner.links, key=attrgetter("start"))),
        tuple(scanner.code_spans),
        tuple(scanner.comments),
        frozenset(scanner.ids),
        tuple(scanner.dropped),
        frozenset(scanner.labels),
    )
