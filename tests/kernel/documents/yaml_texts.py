"""Texts in YAML for tests of its readers: those of published archives, and generated ones."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

from hypothesis import strategies as st

SIGNS = [
    *"\t\n\r :-?#&*!|>'\"%@`[]{},\\+a0\0\x7f\x85\u2028\ufeff\u00a0é😀",
    "\r\n",
    "  ",
    "\n\n",
    ": ",
    " #",
    "- ",
    "\n  ",
]


def corpus_texts(path: Path) -> Iterator[tuple[str, str]]:
    """Where and what: each front matter and each fenced block of an archive's Markdown."""
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            text = archive.read(name).decode(errors="replace") if name.endswith(".md") else ""
            for match in re.finditer(r"\A---\n(.*?)^---$|^```ya?ml[^\n]*\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
                yield f"{name}:{text.count(chr(10), 0, match.start()) + 1}", match[1] or match[2] or ""


COMMON = """a b;word;1.10;it's;http://x/y;a#b;é 😀;'q';"r s";'it''s';"a\\"b";[a, 'b c'];{a: b};[];\
"\\U0001F50A";"x \\u26a0ab \\u2028\\U000E0041";["\\u2713", b]"""
STRANGE = """-x;--- c;a:b;a - b;a\\b;a, b;[x;]x;'';"";{};[a b, 'c', "d"];[a,];{a: [b, c]};[{a: b}, c];\
{a:  b , c: "d"};[a:b];[ a ];[a -];[a#b];x: y;x:;- a;- - a;#c;# c;x #c;{y};|;>;|-;\
|+;>2;...;---;&a;*a;!t;~;?;? x;:x;,;%x;@x;`x;'b;'b' c;\
"b": c;'b'#c;[b]#c;[a: b];[a, 'b];{a};{a: };{"a":b};{a: b, a: c};{x: y}};[https://x/y, b];"a\\nb";x\u2028y;x\ty;\
\ufeffx;\u00a0x;x  """
SURE = st.sampled_from(COMMON.split(";"))
WORDS = st.sampled_from(COMMON.split(";") + STRANGE.split(";"))
KEYS = st.sampled_from(["a", "b", "c", "d", "name", "k-1", "x.y", "x.y/z", "/x"])
NOTES = st.sampled_from([""] * 8 + [" # note", " ", "   #n: o", "#n"])
GAPS = st.sampled_from([""] * 8 + ["\n", "# note\n", "   \n", "        # deep\n", "\n\n"])
BLANKS = st.sampled_from([""] * 8 + ["\n", "  \n", "\n\n"])
INDENTS = st.sampled_from([1, 2, 2, 2, 4])


@st.composite
def line(draw: st.DrawFn) -> str:
    """Any line; few sequences of them are plain."""
    indent = " " * draw(st.sampled_from([0, 0, 0, 2, 2, 2, 4, 1, 3]))
    sign = draw(st.sampled_from(["", "", "", "- ", "-", "-  "]))
    key = draw(st.sampled_from(["", "a: ", "b: ", "c:", "name: ", "a b: ", "'q': ", "é: ", "//", "/a: ", "a/: "]))
    return draw(st.sampled_from([indent + sign + key, indent + "# c", indent, ""])) + draw(WORDS) + draw(NOTES)


@st.composite
def value(draw: st.DrawFn, column: int) -> str:
    """A value beside its key or sign, which stands at a column."""
    kind = draw(st.integers(0, 9))
    if kind < 6:
        return " " + draw(SURE if kind else WORDS) + draw(NOTES) + "\n"
    more = ["more", "x y", "- z", "'q'", "a:b", "#c", "b #c", "[", "x  ", "k: v", ":k"]
    by = draw(INDENTS)
    lines = [
        draw(BLANKS) + " " * (column + by + draw(st.sampled_from([0] * 9 + [1, 2]))) + draw(text) + "\n"
        for text in draw(st.lists(st.just(st.sampled_from(more)), min_size=1, max_size=4))
    ]
    head = draw(st.sampled_from(["|", ">", "|-", ">-", "|+", ">+"]) if kind > 7 else SURE) + draw(NOTES)
    return f" {head}\n" + "".join(lines) + draw(st.sampled_from(["", "", "\n", "\n\n", "   \n"]))


@st.composite
def mapping(draw: st.DrawFn, column: int, depth: int) -> str:
    text = ""
    for key in draw(st.lists(KEYS, min_size=1, max_size=3, unique=draw(st.integers(0, 9)) > 0)):
        text += draw(GAPS) if text else ""
        text += " " * column + key + ":" + draw(below(column, depth) if depth else value(column))
    return text


@st.composite
def below(draw: st.DrawFn, column: int, depth: int) -> str:
    kind = draw(st.integers(0, 6))
    if kind < 3:
        return draw(value(column))
    head = draw(NOTES) + "\n" + draw(GAPS)
    deeper = column + draw(INDENTS)
    if kind == 3:
        return head + " " * deeper + draw(value(column)).lstrip()
    if kind < 6:
        return head + draw(mapping(deeper, depth - 1))
    return head + draw(sequence(draw(st.sampled_from([column, deeper])), depth - 1))


@st.composite
def sequence(draw: st.DrawFn, column: int, depth: int) -> str:
    text = ""
    for _ in range(draw(st.integers(1, 3))):
        text += draw(GAPS) if text else ""
        space = draw(st.sampled_from([1, 1, 1, 2]))
        inner = column + 1 + space
        item = draw(mapping(inner, depth)).lstrip() if depth and draw(st.booleans()) else draw(value(column)).lstrip()
        text += " " * column + "-" + " " * space + item
    return text


TEXTS = st.sampled_from([0, 0, 0, 2]).flatmap(
    lambda column: mapping(column, 2) | mapping(column, 1) | sequence(column, 2)
)
LINES = st.lists(line(), max_size=6).map("\n".join)


@st.composite
def written(draw: st.DrawFn, texts: st.SearchStrategy[str]) -> str:
    """A text with its line ends, whole or cut off."""
    text = draw(texts)
    text = text.replace("\n", draw(st.sampled_from(["\n"] * 8 + ["\r\n", "\r"])))
    return draw(st.sampled_from([text, text, text.rstrip(), text[: draw(st.integers(0, len(text)))]]))


@st.composite
def changed(draw: st.DrawFn) -> str:
    """A text with a few characters taken out, put in or replaced."""
    text = draw(written(TEXTS))
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(text)))
        text = text[:at] + draw(st.sampled_from([*SIGNS, ""])) + text[at + draw(st.integers(0, 2)) :]
    return text
