"""The Markdown reader: what it finds. `test_markdown_differential` holds its reading against another's."""

from __future__ import annotations

from skillbag.kernel.documents.markdown import Markdown, scan
from tests.rows import each_row
from tests.support import table

TEXTS = table(__file__, "markdown.toml")


def fences(text: str) -> list[tuple[str, str, str, bool]]:
    """Info, text of the whole, body and closed of each fence."""
    return [
        (fence.info, text[fence.start : fence.end], text[fence.body_start : fence.body_end], fence.closed)
        for fence in scan(text).fences
    ]


def written(text: str, markdown: Markdown | None = None) -> list[tuple[str, str]]:
    """The target of each link, and how it is written."""
    return [(link.target, text[link.start : link.end]) for link in (markdown or scan(text)).links]


@each_row(
    ("text", "expected"),
    TEXTS["fences"],
)
def test_fence(text: str, expected: list[str | bool]) -> None:
    assert fences(text) == [tuple(expected)]


@each_row("text", TEXTS["no-fences"])
def test_no_fence(text: str) -> None:
    assert not fences(text)


def test_a_fence_can_cut_a_paragraph_short_and_a_code_span_does_not_reach_over_it() -> None:
    markdown = scan("a `b\n```\nc` d\n```\ne` f\n")
    assert len(markdown.fences) == 1
    assert not markdown.code_spans


@each_row(
    ("text", "expected"),
    TEXTS["headings"],
)
def test_headings(text: str, expected: list[list[int | str]]) -> None:
    assert [[heading.level, heading.text, heading.start] for heading in scan(text).headings] == expected


@each_row(
    ("text", "expected"),
    TEXTS["indented"],
)
def test_indented_code(text: str, expected: list[str]) -> None:
    assert [text[start:end] for start, end in scan(text).indented] == expected


@each_row(
    ("text", "expected"),
    TEXTS["links"],
)
def test_links(text: str, expected: list[list[str]]) -> None:
    assert [*map(list, written(text))] == expected


def test_images_are_reported_from_links() -> None:
    text = "![a](b) [c](d) <img src='e'> ![f [g](h)][i]\n\n[i]: j"
    assert [(link.target, link.image) for link in scan(text).links] == [
        ("b", True),
        ("d", False),
        ("e", True),
        ("h", False),
        ("j", False),
    ]


@each_row(
    ("text", "expected"),
    TEXTS["code-spans"],
)
def test_code_spans(text: str, expected: list[list[str]]) -> None:
    assert [[span.text, text[span.start : span.end]] for span in scan(text).code_spans] == expected


def test_comments_cover_what_they_hide() -> None:
    text = "a <!-- b\nc --> d `<!-- e -->`\n\n- <!-- f\n\n  g -->\n\n<p><!-- h -->\n\n<!-- i\n# j\n"
    markdown = scan(text)
    assert [comment.text for comment in markdown.comments] == [" b\nc ", " f\n\n  g ", " h ", " i\n# j\n"]
    assert [text[c.start : c.end] for c in markdown.comments][:2] == ["<!-- b\nc -->", "<!-- f\n\n  g -->"]
    assert [char for char in "abcdefghij" if markdown.in_comment(text.index(char))] == list("bcfghij")
    assert not markdown.headings


def test_a_comment_is_found_in_its_place_among_headings_and_html() -> None:
    text = "<p><!-- a -->\n\nb <!-- c -->\n===\nd <!-- e -->\n\n# f <!-- g -->\n"
    assert [comment.text for comment in scan(text).comments] == [" a ", " c ", " e ", " g "]


def test_in_code() -> None:
    text = "a `b` c\n\n```d\ne\n```\n\n    f\n\ng"
    markdown = scan(text)
    assert [char for char in "abcdefg" if markdown.in_code(text.index(char))] == ["b", "d", "e", "f"]
    assert not markdown.in_code(len(text))
