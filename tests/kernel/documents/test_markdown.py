"""The Markdown reader: what it finds, and where. `test_markdown_differential` holds its reading against another's."""

from __future__ import annotations

import gc
import time

import pytest

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


@pytest.mark.parametrize("text", TEXTS["no-fences"])
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


@pytest.mark.parametrize(
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


def test_offsets_count_from_the_beginning_of_the_text() -> None:
    text = "---\na: `b` [c](d)\n---\n# e\n\n[f](g) `h`\n```\ni\n```\n"
    markdown = scan(text, text.index("# e"))
    assert written(text, markdown) == [("g", "g")]
    assert [text[span.start] for span in markdown.code_spans] == ["h"]
    assert [text[heading.start] for heading in markdown.headings] == ["#"]
    assert text[markdown.fences[0].body_start] == "i"
    assert markdown.start == text.index("# e")


def test_sections_end_at_the_next_heading_of_their_level_or_above() -> None:
    bodies = ["# A\n```1\n```\n## Parameters\n```2\n```\n### Sub\n```3\n```\n## B\n```4\n```\n\n", "```5\n```\n"]
    text = "parameters\n---\n".join(bodies)
    markdown = scan(text)
    sections = list(markdown.section("PARAMETERS"))
    infos = [(section.heading.level, [fence.info for fence in markdown.fences_in(section)]) for section in sections]
    assert infos == [(2, ["2", "3"]), (2, ["5"])]
    assert text[sections[1].start : sections[1].end] == bodies[1]
    assert not list(markdown.section("Nothing"))


@each_row(
    ("heading", "expected"),
    TEXTS["anchors"],
)
def test_anchor(heading: str, expected: str) -> None:
    assert scan(f"# {heading}").anchors == {expected}


def test_anchors() -> None:
    headings = "# A\n## a-1\n## A\nA\n===\n# B [c][d] {#own .x}\n\n[d]: u\n\n"
    html = "<a id=\"e\"></a> <a name='f'> `<a id='g'>`\n<p id=h>\n"
    assert scan(headings + html).anchors == {"a", "a-1", "a-2", "a-3", "b-c-own-x", "own", "e", "f", "h"}


def test_nesting_has_no_limit() -> None:
    assert len(scan("> " * 1000 + "# a\n").headings) == 1


def test_half_a_character_counts_as_one() -> None:
    text = "\ud800 `a` \udfff\n\n[é\ud800](b)"
    markdown = scan(text)
    assert written(text, markdown) == [("b", "b")]
    assert [text[span.start] for span in markdown.code_spans] == ["a"]


UNITS = [
    *("[", "![", "(", "](", "[a](", "[a](<", '[a](b "', "[a]: b\n", "[a][", "\\", "_a ", "`", "``a`"),
    *("<a ", "<a x='\" y=\"' ", "<!--", "<?", "<![CDATA[", "<!a", "&"),
    *(">", "- ", "# {#\n", "> a\n> ===\n", "- a\n", "```\n", "\t", " \n", "a\n---\n"),
]


def seconds(text: str) -> float:
    """Processor time of everything that can be asked of a text, without the collector, which a check switches off.

    It looks at all objects of the process: those of other tests, too.
    """
    gc.disable()
    begin = time.process_time()
    markdown = scan(text)
    assert markdown.links is not None
    assert markdown.anchors is not None
    assert not markdown.in_comment(len(text))
    taken = time.process_time() - begin
    gc.enable()
    return taken


HOSTILE = [
    *(("", unit) for unit in UNITS),
    *(("# ", unit) for unit in ("_a ", "[", "<?", "``a`")),
    *(("- " * 15 + "\n", unit) for unit in ("# {#\n", "\n", "\t", "`", "> ")),
    *(("日", unit) for unit in ("é[", "é`", "é\n", "[é](", "![é")),
    *(("[a]: b\n\n" + "[" * 5000, unit) for unit in ("]", "[a](b)", "[a]", "![")),
]


@pytest.mark.sampled(16)
@each_row(("before", "unit"), HOSTILE)
def test_hostile_text_takes_time_in_step_with_its_length(before: str, unit: str) -> None:
    half, whole = (before + unit * (size // len(unit)) for size in (100_000, 200_000))
    # The machine's speed may change between two readings, so one sound pair of five is enough: what grows with the
    # square of the length gives four in every pair. Times below the clock's grain tell nothing.
    for _ in range(5):
        twice = seconds(whole)
        assert twice < 5
        if twice < 0.1 or twice < 3.2 * seconds(half):
            return
    pytest.fail(f"{twice} s for twice the length")
