"""Hypothesis strategies for Markdown: well-formed blocks within each other, and marks in no order at all."""

from __future__ import annotations

from hypothesis import strategies as st

Lines = list[str]

INLINE = st.sampled_from(
    [
        *("word", "two words", "*em*", "_a_b_", "&amp;", "1. ", "- ", "> ", "[", "![", "\\`"),
        *("`code`", "`` a`b ``", "`open", "[r]", "[text][r]", "[r][]", "<https://a.b/[c](d)>"),
        *("[text](target.md)", "![alt](<a b.png> 'title')", "[a](b(c)d)", "[a](b&amp;c)", '[a](b "c', "]("),
        *("[![i](j)](k)", "[a [b](c)](d)", "[x [y] z](w)", "\\[a](b)", "[a\\](b)", "[a](b\\)c)"),
        *('<a href="e&lt;f">', "<img src=g>", "</a>", "<!-- [h](i) -->", "<!-- open"),
    ]
)
PARAGRAPH = st.lists(st.lists(INLINE, min_size=1, max_size=4).map(" ".join), min_size=1, max_size=3)
RAW = st.lists(
    st.sampled_from(["code", "", "    deep", "# no", "```", "~~~", "[a](b)", "- x", "`c`", "\tt"]), max_size=4
)
RARE = st.sampled_from(
    [["***"], ["- - -"], [""], ["[r]: s 't'", ""], ["[R]: <u v>", "[q]:", "w", ""], ["<pre>", "", "`a`</pre>"]]
)


def fenced(indent: str, mark: str, info: str, lines: Lines) -> Lines:
    closing = [] if info == "open" else [indent + mark]
    return [f"{indent}{mark}{info}", *(indent + line for line in lines), *closing]


def quoted(lines: Lines, mark: str) -> Lines:
    return [mark + line for line in lines]


def item(lines: Lines, mark: str) -> Lines:
    first, *rest = lines or [""]
    return [mark + first, *(" " * len(mark) + line if line else "" for line in rest)]


def heading(mark: str, text: str, closing: str) -> Lines:
    return [mark + text + closing]


INFOS = ["", " sh", "open"]
LEAVES = st.one_of(
    PARAGRAPH,
    st.builds(
        fenced, st.sampled_from(["", " ", "   "]), st.sampled_from(["```", "````", "~~~"]), st.sampled_from(INFOS), RAW
    ),
    st.builds(heading, st.sampled_from(["# ", "## ", "###", "####### "]), INLINE, st.sampled_from(["", " ##", "#"])),
    st.builds(lambda lines, underline: [*lines, underline], PARAGRAPH, st.sampled_from(["===", "--- "])),
    RAW.map(lambda lines: quoted(lines, "    ")),
    RAW.map(lambda lines: quoted(lines, "\t")),
    PARAGRAPH.map(lambda lines: ["<!--", *lines, "", "-->"]),
    PARAGRAPH.map(lambda lines: ["<div>", *lines, "</div>"]),
    RARE,
)


def contain(blocks: st.SearchStrategy[Lines]) -> st.SearchStrategy[Lines]:
    inner = st.lists(blocks, min_size=1, max_size=3).map(lambda parts: [line for part in parts for line in part])
    return st.one_of(
        st.builds(quoted, inner, st.sampled_from([">", "> ", " >  "])),
        st.builds(item, inner, st.sampled_from(["- ", "* ", "1. ", "2) ", "-   ", " 10. ", "-     "])),
    )


BLOCKS = st.recursive(LEAVES, contain, max_leaves=6)


@st.composite
def documents(draw: st.DrawFn) -> str:
    """Blocks in a row, with blank lines between some, some lines moved out of their place, and either line end."""
    lines: Lines = []
    for block in draw(st.lists(BLOCKS, min_size=1, max_size=4)):
        lines += [*block, *([""] if draw(st.booleans()) else [])]
    for at in draw(st.lists(st.integers(0, len(lines) - 1), max_size=2)) if lines else ():
        lines[at] = draw(st.sampled_from([lines[at].lstrip(), lines[at][2:], "", "\t" + lines[at], "  " + lines[at]]))
    end = draw(st.sampled_from(["\n", "\n", "\r\n"]))
    return end.join(lines) + draw(st.sampled_from(["", end]))


MARKS = (
    *("a", "b", "\n", "\n", "\n", "\r\n", " ", "   ", "    ", "\t", "0", "|", ":", "_", '"', "'", "\\", "&amp;"),
    *("`", "``", "```", "~~~", "#", "## ", ">", "> ", "- ", "* ", "+", "1. ", "2) ", "===", "---"),
    *("![", "[", "]", "(", ")", "](", "[a]: b", "[a]"),
    *("<a>", "</p>", "<div>", "<!--", "-->", '<x y="z">', "<b@c.d>", "<h:a>", "<?", "?>"),
)
JUMBLES = st.lists(st.sampled_from(MARKS), max_size=16).map("".join)
