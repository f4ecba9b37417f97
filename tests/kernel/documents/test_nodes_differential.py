"""The dialect compared with its oracle: strictyaml and our reader give the same verdict and values on any text."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

import pytest
import strictyaml
from hypothesis import given
from hypothesis import strategies as st

from skillbag.kernel.documents.nodes import Mapping, Node, Scalar, Sequence, YamlError, parse_yaml
from tests.kernel.documents.yaml_texts import SIGNS, corpus_texts
from tests.rows import each_row
from tests.support import CORPUS

pytestmark = pytest.mark.boundary


def plain(node: Node | YamlError | None) -> object:
    """Dicts, lists and strings of a node."""
    if isinstance(node, Scalar):
        return node.value
    if isinstance(node, Mapping):
        return {entry.key.value: plain(entry.value) for entry in node.entries}
    return [plain(item) for item in node.items] if isinstance(node, Sequence) else node


class Case(NamedTuple):
    """A text and what the two readers make of it: a value, or why there is none."""

    text: str
    ours: object
    theirs: object

    @property
    def equal(self) -> bool:
        """The same verdict and the same value, keys in the same order."""
        refused = isinstance(self.ours, YamlError), isinstance(self.theirs, Exception)
        return all(refused) or (not any(refused) and repr(self.ours) == repr(self.theirs))

    @property
    def stumble(self) -> str:
        """The text from where our reader refuses it."""
        return self.text[self.ours.offset :] if isinstance(self.ours, YamlError) else ""


def read(text: str) -> Case:
    value = plain(parse_yaml(text))
    # strictyaml answers with the text itself where the document is no collection.
    mine = value if isinstance(value, dict | list | YamlError) else text
    try:
        return Case(text, mine, strictyaml.dirty_load(text, allow_flow_style=True).data)
    except Exception as error:  # it leaks KeyError, ValueError, AssertionError and more
        return Case(text, mine, error)


class Difference(NamedTuple):
    """A named exception: which cases it excuses, a short text that shows it, and why it is so."""

    name: str
    text: str
    excuses: Callable[[Case], object]
    reason: str


DIFFERENCES = [
    Difference(
        "tab",
        "a:\tb",
        lambda case: "'\\t'" in str(case.theirs) or case.stumble.startswith("\t"),
        "libyaml takes tabs between tokens but not before the text of a block, strictyaml the other way round",
    ),
    Difference(
        "byte-order-mark",
        "\n\ufeffa: b",
        lambda case: re.search("[\n\r\x85\u2028\u2029\ufeff]\ufeff", case.text),
        "libyaml skips the mark at the start of any line, strictyaml only at the start of the text",
    ),
    Difference(
        "line-separator",
        "a: b\u2028c: d",
        lambda case: re.search("[\x85\u2028\u2029]", case.text),
        "line ends in YAML 1.1, which libyaml reads; characters like others in 1.2, which strictyaml reads",
    ),
    Difference(
        "empty-key",
        ": b",
        lambda case: isinstance(case.ours, YamlError) and re.search("[{ ]'': ", repr(case.theirs)),
        "libyaml wants a key before a colon",
    ),
    Difference(
        "merge-key",
        "<<: {a: b}",
        lambda case: re.search("<<[\"']?\\s*:", case.text),
        "strictyaml drops or refuses what is to be merged; here it is a key as any other",
    ),
    Difference(
        "comments",
        "a:\n b: # x\n  c\n\n\n d: [ ]\n e: >\n   f",
        lambda case: isinstance(case.theirs, NotImplementedError | AssertionError),
        "strictyaml can't keep two comments in one place, and we need not",
    ),
    Difference(
        "typed-sign",
        "a: =",
        lambda case: "TaggedScalar" in repr(case.theirs),
        "strictyaml gives an object of its parser for a value `=` or `<<`, which have types of their own in YAML 1.1",
    ),
    Difference(
        "directive",
        "%X\n---\na: b",
        lambda case: "scanning a directive" in str(case.ours),
        "YAML passes over directives it does not know; libyaml refuses them",
    ),
    Difference(
        "colon-in-flow",
        "[:a]",
        lambda case: re.match(r":\S", case.stumble) or re.search("[\"']:[],}]", case.text),
        "within brackets libyaml wants `:a` and `a:` quoted, and takes a comma right after `'a':`",
    ),
    Difference(
        "surrogate",
        r'a: "\ud800"',
        lambda case: "Unicode character escape" in str(case.ours),
        "strictyaml makes a string that can't be written as UTF-8",
    ),
    Difference(
        "block-header",
        "a: |# b",
        lambda case: "indicators, but found '#'" in str(case.theirs),
        "libyaml takes a comment that touches the sign of its block",
    ),
    Difference(
        "block-as-document",
        "|\na",
        lambda case: isinstance(case.theirs, str) and re.match("([\\s\ufeff]|[#%].*|---)*[|>]", case.text),
        "libyaml wants the text of a block indented even where the block is the whole document",
    ),
]


def excused(case: Case) -> list[str]:
    return [difference.name for difference in DIFFERENCES if difference.excuses(case)]


# Texts are built as lists of lines, so that a block can stand at any indentation.
Lines = list[str]
USUAL = """a;b;key;two words;1.10;true;null;2024-01-01;a#b;it's;a:b;-x;é;😀;a\u00a0b;say "x" * 2;a - b;\
back\\slash;a, b;http://x/y?a=b&c!"""
STRANGE = """;#t;?x;:x;x,;,x;@at;%p;=;<<;~;[x;x];{x;x};';";a: b;- a;...;---;&a x;*a;!t x;! x;&a;!!str;&a [x];!<t> x;\
`x`;|;>;<< x;x:;x :y;"\\ud800\""""
WORD = st.sampled_from(USUAL.split(";"))
ODD = st.sampled_from(STRANGE.split(";"))


def often(usual: st.SearchStrategy[str], odd: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """One in thirty is odd (not at an edge, which comes up more often), so that long texts are valid now and then."""
    return st.integers(0, 29).flatmap(lambda n: odd if n == 7 else usual)


SINGLE = WORD.map(lambda word: "'" + word.replace("'", "''") + "'")
DOUBLE = WORD.map(lambda word: '"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"')
ESCAPED = st.sampled_from(['"\\t\\x41\\u00e9\\n\\N"', '"\\/ \\""', "''''", "''"])
INLINE = often(WORD | SINGLE | DOUBLE | ESCAPED, ODD)
KEY = often(st.sampled_from(["a", "b", "c d", "'q'", '"r"', "e-f", "1", "é", "x.y", "k ", "u/v", "[i]", "? g\n"]), ODD)
PAIR = st.tuples(KEY, st.sampled_from([": ", ": ", " : ", ": \n "])).map("".join)


def flow(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    tail = st.sampled_from(["", "", " ", ","])
    items = st.lists(inner, max_size=3).map(", ".join)
    pairs = st.lists(st.tuples(PAIR, inner).map("".join), max_size=3).map(", ".join)
    return st.builds("[{}{}]".format, items, tail) | st.builds("{{{}{}}}".format, pairs, tail)


FLOW = st.recursive(INLINE, flow, max_leaves=4)
NOTE = st.sampled_from(["", "", "", " # note", " #note", "   # a: b", "  "])
COMMENT = often(NOTE, st.sampled_from(["\t# tab", "#", " #", "#x"]))
FILLER = st.sampled_from(["", "# note", "  # note", "   ", "        # deep"])
HEADER = often(st.sampled_from(["|", ">", "|-", ">-", "|+", ">+"]), st.sampled_from(["|2", ">1-", "|-2", "|0"]))


def indented(lines: Lines, by: int) -> Lines:
    return [" " * by + line if line else line for line in lines]


@st.composite
def scalars(draw: st.DrawFn) -> Lines:
    """A value that begins beside its key: one line, several lines, or a block."""
    kind = draw(st.integers(0, 9))
    if kind < 6:
        return (draw(FLOW) + draw(COMMENT)).split("\n")
    body = [draw(WORD), *draw(st.lists(st.one_of(WORD, FILLER), max_size=3))]
    if kind < 8:
        return [draw(HEADER) + draw(COMMENT), *indented(body, draw(st.integers(1, 4)))]
    quote = draw(st.sampled_from(["", "'", '"']))
    return [quote + body[0].replace(quote or "#", ""), *indented(body[1:], 2), "  x" + quote + draw(COMMENT)]


@st.composite
def mappings(draw: st.DrawFn, inner: st.SearchStrategy[Lines]) -> Lines:
    lines: Lines = []
    by = draw(st.integers(1, 3))
    for key in draw(st.lists(KEY, min_size=1, max_size=4, unique=draw(st.integers(0, 9)) > 0)):
        lines += draw(st.lists(FILLER, max_size=1))
        value = [*draw(inner)]
        below = value[0].startswith(("- ", "? ")) or ": " in value[0] or draw(st.integers(0, 3)) == 0
        lines += [f"{key}: {'' if below else value.pop(0)}" + draw(COMMENT) * below, *indented(value, by)]
    return "\n".join(lines).split("\n")


@st.composite
def lists(draw: st.DrawFn, inner: st.SearchStrategy[Lines]) -> Lines:
    lines: Lines = []
    for value in draw(st.lists(inner, min_size=1, max_size=3)):
        lines += draw(st.lists(FILLER, max_size=1))
        lines += ["- " + value[0], *indented(value[1:], 2)]
    return lines


def nested(inner: st.SearchStrategy[Lines]) -> st.SearchStrategy[Lines]:
    return mappings(inner) | lists(inner)


BLOCKS = st.recursive(scalars(), nested, max_leaves=6)
HEAD = st.sampled_from([[]] * 9 + [["---"], ["# note"], [""], ["%YAML 1.2", "---"], ["\ufeff"]])
FOOT = st.sampled_from([[]] * 9 + [["---"], ["..."], ["# note"], [""], ["...", "# note"], ["---", "a"]])


@st.composite
def documents(draw: st.DrawFn) -> str:
    lines = [*draw(HEAD), *draw(nested(BLOCKS)), *draw(FOOT)]
    newline = draw(st.sampled_from(["\n"] * 8 + ["\r\n", "\r"]))
    return newline.join(lines) + draw(st.sampled_from(["", newline]))


SPLINTERS = st.sampled_from([*SIGNS, "b", "\ufffe"]).map(str.encode)


@st.composite
def mutated(draw: st.DrawFn) -> str:
    raw = draw(documents()).encode()
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(raw)))
        piece = draw(SPLINTERS | st.just(b"") | st.binary(max_size=1))
        raw = raw[:at] + piece + raw[at + draw(st.integers(0, 2)) :]
    return raw.decode(errors="replace")


@pytest.mark.parametrize("name", ["skillbag-utils.zip", "agent-skills-superpowers.zip"])
def test_published_texts(name: str) -> None:
    if not (CORPUS / name).exists():
        pytest.skip(f"the corpus {name} is not beside the project (../shared/corpus)")
    cases = {place: read(text) for place, text in corpus_texts(CORPUS / name)}
    assert len(cases) > 10
    assert [place for place, case in cases.items() if not case.equal] == []


@given(documents())
def test_generated_texts(text: str) -> None:
    assert (case := read(text)).equal or excused(case), case


@given(mutated())
def test_mutated_texts(text: str) -> None:
    assert (case := read(text)).equal or excused(case), case


@each_row("difference", DIFFERENCES, ids=[difference.name for difference in DIFFERENCES])
def test_differences_are_real(difference: Difference) -> None:
    case = read(difference.text)
    assert not case.equal
    assert excused(case) == [difference.name]
