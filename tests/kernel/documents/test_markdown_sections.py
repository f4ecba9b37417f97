"""Places in Markdown, its sections and anchors; and texts of any depth and length, in time."""

from __future__ import annotations

import gc
import time

import pytest

from skillbag.kernel.documents.markdown import scan
from tests.kernel.documents.test_markdown import TEXTS, written
from tests.rows import each_row


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
