"""The Markdown reader: what it finds, and where. `test_markdown_differential` holds its reading against another's."""

from __future__ import annotations

import time

import pytest

from skillbag.documents.markdown import Markdown, scan


def fences(text: str) -> list[tuple[str, str, str, bool]]:
    """Info, text of the whole, body and closed of each fence."""
    return [
        (fence.info, text[fence.start : fence.end], text[fence.body_start : fence.body_end], fence.closed)
        for fence in scan(text).fences
    ]


def written(text: str, markdown: Markdown | None = None) -> list[tuple[str, str]]:
    """The target of each link, and how it is written."""
    return [(link.target, text[link.start : link.end]) for link in (markdown or scan(text)).links]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\n```yaml x\nb: 1\n```  \nc\n", ("yaml x", "```yaml x\nb: 1\n```", "b: 1\n", True)),
        ("  ~~~~\r\na\r\n~~~\r\n ~~~~~\r\n", ("", "~~~~\r\na\r\n~~~\r\n ~~~~~", "a\r\n~~~\r\n", True)),
        ("```\n```", ("", "```\n```", "", True)),
        ("```", ("", "```", "", False)),
        ("``` x\na\n    ```", ("x", "``` x\na\n    ```", "a\n    ```", False)),
        ("- a\n\n  ```\n  b\n\n  ```\n", ("", "```\n  b\n\n  ```", "  b\n\n", True)),
        ("1. ```\n   a\n\nb\n```x`\n", ("", "```\n   a\n\n", "   a\n\n", False)),
        ("> ~~~ py\n> a\n> ~~~\n", ("py", "~~~ py\n> a\n> ~~~", "> a\n", True)),
        ("> - ```\n>   a\nb", ("", "```\n>   a\n", ">   a\n", False)),
        ("-\t```\n\ta\n\t```\n", ("", "```\n\ta\n\t```", "\ta\n", True)),
        ("```\ra\r```\r", ("", "```\ra\r```", "a\r", True)),
        ("<div>\n\n```\n</div>\n```\n", ("", "```\n</div>\n```", "</div>\n", True)),
    ],
)
def test_fence(text: str, expected: tuple[str, str, str, bool]) -> None:
    assert fences(text) == [expected]


@pytest.mark.parametrize(
    "text", ["    ```\n    a", "``` a`b\n", "``\n``", "<p>\n```\n", "<!--\n\n```\n-->", "a ```\nb", "a\n2. ```\n"]
)
def test_no_fence(text: str) -> None:
    assert not fences(text)


def test_a_fence_can_cut_a_paragraph_short_and_a_code_span_does_not_reach_over_it() -> None:
    markdown = scan("a `b\n```\nc` d\n```\ne` f\n")
    assert len(markdown.fences) == 1
    assert not markdown.code_spans


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# a", [(1, "a", 0)]),
        ("x\n\n  ###   a *b* `c`  ##  \n", [(3, "a *b* `c`", 5)]),
        ("# a#\n## b \\##\n#\n### #\n", [(1, "a#", 0), (2, "b \\##", 5), (1, "", 14), (3, "", 16)]),
        ("####### a\n#b\n\n    # c\n", []),
        ("a\n  b\n===\nc\n-\n", [(1, "a b", 0), (2, "c", 10)]),
        ("> a\n> b\n> ---\n> # c\n", [(2, "a b", 2), (1, "c", 16)]),
        ("> a\n===\n\n- b\n---\n", []),
        ("- # a\n  b\n  ---\n", [(1, "a", 2), (2, "b", 8)]),
        ("```\n# a\n```\n<!--\n# b\n-->\n", []),
        ("[a]: b\n===\n[c]: d\ne\n---\n", [(2, "=== [c]: d e", 7)]),
        ("[a]: b\nc\n---\n", [(2, "c", 7)]),
        ("a\r\n---\r\n# b\r\n", [(2, "a", 0), (1, "b", 8)]),
    ],
)
def test_headings(text: str, expected: list[tuple[int, str, int]]) -> None:
    assert [(heading.level, heading.text, heading.start) for heading in scan(text).headings] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("    a\n\n\tb  \n\nc", ["a\n\n\tb  "]),
        ("a\n    b\n", []),
        ("- a\n\n    b\n\n      c\n", ["c"]),
        ("-     a\n", ["a"]),
        ("-\n\n    a\n", ["a"]),
        (">     a\n>\tb\n> \n>\t\tc\n", ["a", "c"]),
        ("# a\n    b", ["b"]),
    ],
)
def test_indented_code(text: str, expected: list[str]) -> None:
    assert [text[start:end] for start, end in scan(text).indented] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[a](b.md)", [("b.md", "b.md")]),
        ('[a]( <b c.md> "d" ) ![e](f)', [("b c.md", "b c.md"), ("f", "f")]),
        (
            "[a](b(c(d))e) [f](g\\)h) [i](j&amp;k%20l)",
            [("b(c(d))e", "b(c(d))e"), ("g)h", "g\\)h"), ("j&k%20l", "j&amp;k%20l")],
        ),
        ("[a](b 'c\nd')", [("b", "b")]),
        ("[![x](a)](b)", [("a", "a"), ("b", "b")]),
        ("[a [b](c)](d) ![e [f](g)](h)", [("c", "c"), ("g", "g"), ("h", "h")]),
        ("[a\\](b) \\[c](d) \\\\[e](f)", [("d", "d"), ("f", "f")]),
        ("[a `](b)` c](d)", [("d", "d")]),
        ("[a <b x='](c)'>](d)", [("d", "d")]),
        ("[a](b c) [d](<e\nf>) [g] (h) [i](\n\nj)", []),
        ("[a]()", [("", "")]),
        ("[a]: <b c>\n 'd'\n[e]:\nf\n[g]: h 'i' j\n", [("b c", "b c"), ("f", "f")]),
        ("a\n[b]: c\n", []),
        ("[^1]: word\n\n[a]:\n\n[a]", []),
        ("[a [b] c](d)\n\n[b]: e", [("e", "e")]),
        ("[a [b][c] d](e) [f][c](g) [c][](h)\n\n[C]: i", [("i", "i")]),
        ("<a title='t' href=\"b&lt;c\">d</a> <IMG src=e>", [("b<c", "b&lt;c"), ("e", "e")]),
        ("<div>\n<a href='b'>[c](d)\n\n[e](f)", [("b", "b"), ("f", "f")]),
        ("<!-- [a](b)\n\n[c](d) --> [e](f)\n[g](h)", [("h", "h")]),
        ("x <!-- [a](b) --> [e](f)", [("f", "f")]),
        ("`[a](b)`\n\n    [c](d)\n\n```\n[e](f)\n```\n", []),
        ("> [a\n> b](c\n> 'd')\n", [("c", "c")]),
        ("| [a](b) | `c` |\n", [("b", "b")]),
        ("[a](b&notit;c&#35;d&copy)", [("b&notit;c#d&copy", "b&notit;c&#35;d&copy")]),
        ("<https://a.b/[c](d)> <?[e](f)?> x <!A [i](j)> <![k](l)", [("l", "l")]),
        ("<![CDATA[[a](b)]]>\n[c](d)\n\n[e](f)", [("d", "d"), ("f", "f")]),
        ("<p>\n<? [a](b) > <a href='c'> <b title=\"<a href='d'>\">", [("c", "c")]),
        ("> <div>\n> <a\n>  href='b'>\n\n> x <img\n> src='c'>", [("b", "b"), ("c", "c")]),
        ("[a\\]b]: <c d> 'e'\n[é]: f#ü\n[é]: g\n> [h]:\n> i", [("c d", "c d"), ("f#ü", "f#ü"), ("i", "i")]),
        ("é [ö](ä 'ü') 日本 `語` ![😀](<文 字> \"x\")\n\nß [é](#é)", [("ä", "ä"), ("文 字", "文 字"), ("#é", "#é")]),
        ("<!A\n[b](c)\n>\n[d](e)", [("e", "e")]),
    ],
)
def test_links(text: str, expected: list[tuple[str, str]]) -> None:
    assert written(text) == expected


def test_images_are_told_from_links() -> None:
    text = "![a](b) [c](d) <img src='e'> ![f [g](h)][i]\n\n[i]: j"
    assert [(link.target, link.image) for link in scan(text).links] == [
        ("b", True),
        ("d", False),
        ("e", True),
        ("h", False),
        ("j", False),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a `b` ``c`d`` ` `` ` `e", [("b", "b"), ("c`d", "c`d"), ("``", " `` ")]),
        ("`a\n  b`", [("a b", "a\n  b")]),
        ("`a\r\nb`", [("a b", "a\r\nb")]),
        ("> `a\n> b`", [("a b", "a\n> b")]),
        ("`a\n\nb`", []),
        ("- `a\n- b`", []),
        ("# `a`\nb `c\n# d` e", [("a", "a")]),
        ("\\`a` b`", [(" b", " b")]),
        ("`a\\` <b c='`'> `d`", [("a\\", "a\\"), ("d", "d")]),
        ("`  `", [("  ", "  ")]),
    ],
)
def test_code_spans(text: str, expected: list[tuple[str, str]]) -> None:
    assert [(span.text, text[span.start : span.end]) for span in scan(text).code_spans] == expected


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


@pytest.mark.parametrize(
    ("heading", "expected"),
    [
        ("Getting Started", "getting-started"),
        ("What's new, in 2.0?", "whats-new-in-20"),
        ("`code` & *em* **strong**", "code--em-strong"),
        ("snake_case and _em_ and __strong__", "snake_case-and-em-and-strong"),
        ("_a_b_ `__init__` \\_c\\_", "a_b-__init__-_c_"),
        ("The [text](url.md) of ![alt](i.png)", "the-text-of-"),
        ("![a [b](c)](d) e <b>f</b> &amp; g", "-e-f--g"),
        ("Übung № 1 – naïve", "übung--1--naïve"),
        ("नमस्ते", "नमस्ते"),
        ("a - b", "a---b"),
        ("", ""),
    ],
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
    """Processor time of everything that can be asked of a text."""
    begin = time.process_time()
    markdown = scan(text)
    assert markdown.links is not None
    assert markdown.anchors is not None
    assert not markdown.in_comment(len(text))
    return time.process_time() - begin


HOSTILE = [
    *(("", unit) for unit in UNITS),
    *(("# ", unit) for unit in ("_a ", "[", "<?", "``a`")),
    *(("- " * 15 + "\n", unit) for unit in ("# {#\n", "\n", "\t", "`", "> ")),
    *(("日", unit) for unit in ("é[", "é`", "é\n", "[é](", "![é")),
    *(("[a]: b\n\n" + "[" * 5000, unit) for unit in ("]", "[a](b)", "[a]", "![")),
]


@pytest.mark.parametrize(("before", "unit"), HOSTILE)
def test_hostile_text_takes_time_in_step_with_its_length(before: str, unit: str) -> None:
    half, whole = (before + unit * (size // len(unit)) for size in (100_000, 200_000))
    assert seconds(whole) < 5
    # The machine's speed may change between two readings, so one sound pair of five is enough: what grows with the
    # square of the length gives four in every pair. Times below the clock's grain tell nothing.
    assert any(twice < 0.1 or twice < 3.2 * once for once, twice in ((seconds(half), seconds(whole)) for _ in range(5)))
