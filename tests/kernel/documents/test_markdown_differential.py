"""The Markdown reader compared with its oracle: markdown-it finds the same fences, headings, links and inline code."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable, Iterator
from html.parser import HTMLParser
from itertools import pairwise
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.common.utils import unescapeAll
from markdown_it.token import Token

from skillbag.kernel.documents.markdown import Fence, scan
from tests.kernel.documents.markdown_texts import JUMBLES, documents
from tests.rows import each_row
from tests.sampling import EXAMPLES, sample
from tests.support import CORPUS

COUNT = 2 * EXAMPLES


class Found(NamedTuple):
    """What one of the two found; blanks within code and headings count as one, for browsers show them so."""

    fences: list[tuple[str, str]]
    headings: list[tuple[int, str]]
    targets: set[str]
    code: list[str]
    indented: list[str]


class Difference(NamedTuple):
    """A named exception: the texts that it excuses, one that shows it, and why our reading is the right one."""

    name: str
    text: str
    excuses: re.Pattern[str]
    reason: str


DIFFERENCES = [
    Difference(
        "line-after-definition",
        "[a]: b\n    # c\n",
        re.compile(r"\]:[^\n]*(?:\n[^\n]*)?\n[ >\t]*(?:\t| {4}|[0-9]+[.)]|[-+*][ \t]*$|<)", re.MULTILINE),
        "A definition is the beginning of a paragraph, so what can't cut a paragraph short can't follow it directly.",
    ),
    Difference(
        "lazy-line-in-definition",
        "> [a]: b\n[c]:\n> d\n",
        re.compile(r">[^\n]*\]:[^\n]*\n *[^\s>]"),
        "A definition is text of a paragraph also where a line of it goes on without the mark of its quote.",
    ),
    Difference(
        "lazy-line-as-code",
        "1.   a\n    # b\n",
        re.compile(r"^(?=[-+*0-9.) \t>]{5}| *>[ \t]*[->+*0-9])[^\0]*\n[ >]*(?:\t| {4})\s*[-+*>#~`<_0-9]", re.MULTILINE),
        "Four columns in, nothing can cut the paragraph of an inner container short, and code can't do so either.",
    ),
    Difference(
        "quote-mark-indented",
        ">\n    > a\n",
        re.compile(r">[^\n]*\n[ >]*(?:\t| {4})[ \t]*>"),
        "A `>` behind four columns marks no quote, also where a quote stands above it.",
    ),
    Difference(
        "tab-in-nested-quotes",
        ">>> \ta\n",
        re.compile(r">[^\n]*>[-+*0-9.) ]*\t"),
        "Tab stops count from the beginning of the line, not from the mark of the quote around the innermost one.",
    ),
    Difference(
        "backslash-before-blank",
        "[a](b\\ 'c')",
        re.compile(r"\\(?:\s|\Z)"),
        "A backslash before a blank is a backslash, and ends no destination before itself.",
    ),
    Difference(
        "dash-ends-comment",
        "a <!-- `b` --->",
        re.compile(r"--->"),
        "A comment ends with the first `-->`, also behind another dash (since CommonMark 0.31).",
    ),
    Difference(
        "cdata-in-a-line",
        "a <![CDATA[ [b](c) ]]>",
        re.compile(r"\S[^\n]*<!\[CDATA\["),
        "Ours is wrong: pulldown-cmark reads no CDATA section within a paragraph. No published text has one.",
    ),
]


class Destinations(HTMLParser):
    """Collects what `<a href>` and `<img src>` name."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: set[str] = set()
        self.feed(re.sub(r"<!--.*?(?:-->|\Z)", "", html, flags=re.DOTALL))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.update(value for key, value in attrs if value is not None and (tag, key) in LINKING)


LINKING = (("a", "href"), ("img", "src"))


def oracle() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": True, "maxNesting": 100})
    # It refuses `javascript:` and the like and percent-encodes the rest; both are its reader's business here.
    parser.validateLink = lambda url: True  # type: ignore[method-assign]
    parser.normalizeLink = lambda url: url  # type: ignore[method-assign]
    return parser


ORACLE = oracle()


def all_tokens(tokens: Iterable[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from all_tokens(token.children or ())


def theirs(text: str) -> Found:
    env: dict[str, Any] = {}
    try:
        tokens = list(all_tokens(ORACLE.parse(text, env)))
    except IndexError:
        # It stumbles over a last line that holds only a quote mark; a line end there changes nothing.
        tokens = list(all_tokens(ORACLE.parse(text + "\n", env)))
    # GitHub reads `[^a]: b` as a footnote, and so do we.
    definitions = env.get("references", {}).items()
    targets = {str(found["href"]) for label, found in definitions if not label.startswith("^")}
    for token in tokens:
        if token.type in ("link_open", "image") and token.markup != "autolink":
            targets.add(str(token.attrs.get("href", token.attrs.get("src"))))
        elif token.type in ("html_inline", "html_block"):
            targets |= Destinations(token.content).found
    return Found(
        [(unescapeAll(token.info).strip(), shown(token.content, text)) for token in tokens if token.type == "fence"],
        [
            (int(token.tag[1]), words(inner.content))
            for token, inner in pairwise(tokens)
            if token.type == "heading_open"
        ],
        targets,
        [words(token.content) for token in tokens if token.type == "code_inline"],
        [bare(token.content) for token in tokens if token.type == "code_block"],
    )


def ours(text: str) -> Found:
    markdown = scan(text)
    return Found(
        [(fence.info, shown(body(text, fence), text)) for fence in markdown.fences],
        [(heading.level, words(heading.text)) for heading in markdown.headings],
        {link.target for link in markdown.links},
        [words(span.text) for span in markdown.code_spans],
        [bare(text[start:end]) for start, end in markdown.indented],
    )


def words(text: str) -> str:
    return " ".join(re.split("[ \t\r\n]+", text)).strip(" ")


def body(text: str, fence: Fence) -> str:
    """The body of a fence without the margin that the fence has itself."""
    margin = column(re.split("[\r\n]", text[: fence.start])[-1])
    lines = re.split("\r\n?|\n", text[fence.body_start : fence.body_end])
    return "\n".join(dedented(line, margin) for line in lines)


def column(before: str) -> int:
    """The column behind what stands before a fence in its line."""
    return len(before.expandtabs(4))


def dedented(line: str, columns: int) -> str:
    at = 0
    for index, char in enumerate(line):
        if at >= columns or char not in " \t":
            return " " * (at - columns) + line[index:]
        at += 4 - at % 4 if char == "\t" else 1
    return " " * (at - columns)


def shown(code: str, text: str) -> str:
    """Code as it is compared: exactly, but for the blanks that end it, unless quote marks stand in its lines."""
    return bare(code) if ">" in text else code.rstrip()


def bare(code: str) -> str:
    return "\n".join(line.lstrip(" \t>") for line in re.split("\r\n?|\n", code)).rstrip()


def fault(text: str) -> str:
    """What is wrong with a text, or nothing: no difference, or one that is excused."""
    mine, other = ours(text), theirs(text)
    if mine == other or any(difference.excuses.search(text) for difference in DIFFERENCES):
        return ""
    return f"{text!r}\nours:   {mine}\ntheirs: {other}"


@each_row("difference", DIFFERENCES, ids=lambda difference: difference.name)
def test_every_exception_is_still_one(difference: Difference) -> None:
    assert ours(difference.text) != theirs(difference.text)
    assert not fault(difference.text)


CORPORA = ("skillbag-utils", "agent-skills-superpowers", "awesome-skills", "oms-spec-and-vectors", "signed-skills")


@pytest.mark.slow
@pytest.mark.parametrize("name", CORPORA)
def test_published_texts(name: str) -> None:
    if not (CORPUS / f"{name}.zip").exists():
        pytest.skip(f"the corpus {name} is not beside the project (../shared/corpus)")
    with zipfile.ZipFile(CORPUS / f"{name}.zip") as archive:
        texts = {path: archive.read(path).decode() for path in archive.namelist() if path.endswith(".md")}
    assert texts
    for path, text in sample(name, texts.items(), 60):
        crlf = text.replace("\n", "\r\n")
        assert ours(text) == theirs(text), path
        assert ours(crlf) == theirs(crlf), path


@pytest.mark.parametrize("texts", [documents(), JUMBLES], ids=["blocks", "jumbles"])
def test_generated_texts(texts: st.SearchStrategy[str]) -> None:
    excused = 0

    @settings(max_examples=COUNT)
    @given(texts)
    def compare(text: str) -> None:
        nonlocal excused
        if ours(text) != theirs(text):
            assert not fault(text)
            excused += 1

    compare()
    # The exceptions are to stay narrow: were they to swallow more than a few, they would hide faults.
    assert excused <= COUNT // 10
