"""The quick reader held to libyaml: where it answers, values and places are libyaml's; and it answers what is usual."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillbag.documents.fast_yaml import read_plain
from skillbag.documents.libyaml import read_any
from skillbag.documents.yaml_values import YamlError
from tests.sampling import NIGHTLY
from tests.support import CORPUS

pytestmark = pytest.mark.boundary


def answered(text: str, offset: int = 4) -> bool:
    """Whether the quick reader answers; if it does, it says what libyaml says, classes included."""
    quick = read_plain(text, offset)
    assert quick is None or repr(quick) == repr(read_any(text, offset)), text
    return quick is not None


USUAL = """\
name: tidy
description: Tidy things up, e.g. a#b, http://x/y:80 and it's "done" -- [all] of it. #run/always
version: 1.10
=====
name: tidy

# note
description: "Say: \\"yes\\" \\\\ no. #run/always" # note
license: 'it''s: MIT'   # note
empty:
  # deep
also-empty: # note
last: ''
=====
metadata:
  author: ann
  nested:
      deeper:
       deepest: x
  version: "1"
allowed-tools:
  - Read
  - Bash(git:*)
dependencies:
- name: a # note
  version: v1
-   name: b
    values: [x, 'y, z', "w", https://x/y]
    example.com/path: /x
    /y: z
    sources:
    - -x
    - "y"
target:
    next line
  another
=====
description: one
  two  
 three:[a

  - four#five

  ':six
metadata: {a: b, c: {d: [e, f]}, 'g': []}
options: [ {a: b c} , ]
=====
description: >-
  Fold this,
  and that.

  A paragraph.


  Another.
usage: |
   Keep:
     # this

   - and that  
note: >+
  x

# note
last: |-
  x
=====
- a
- b: c
  d: e
- |
 f
- g
 h
=====
  a: é 😀 ✅ – “x”
  b: c
"""  # noqa: W291 - spaces at the end of a line are among the usual


@pytest.mark.parametrize("text", USUAL.split("=====\n"))
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_usual_texts_are_read_quickly(text: str, newline: str) -> None:
    assert answered(text.replace("\n", newline))
    assert answered(text.rstrip("\n").replace("\n", newline), 0)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# note\n",
        "words\n",
        "a: b: c\n",
        "a: b:\n",
        "a: &x b\n",
        "a: *x\n",
        "a: !x b\n",
        "a: b\na: c\n",
        "a: {b: c, b: d}\n",
        "a: b\n--- \nc: d\n",
        "a: b\n...\n",
        "---\na: b\n",
        "%YAML 1.1\n",
        "a:\tb\n",
        "\ufeffa: b\n",
        "a: \ufeffb\n",
        "a: b\rc: d\n",
        "a: b\x85c: d\n",
        "a: b\u2028c: d\n",
        "a: b\x7f\n",
        "a: 'b\n",
        'a: "\\x41"\n',
        "a: [b, c\n",
        'a: "b\\nc"\n',
        "a: 'b'#c\n",
        "- a: |\n  b\n",
        "a: |2\n  b\n",
        "a: |\n  b\n   \n",
        "a: >\n  b\n    c\n",
        "? a\n: b\n",
        "a: b\n  # note\n  c\n",
        "a: b\n  c: d\n",
        "a:\n    b: c\n  d: e\n",
        "a: - b\n",
        "- - a\n",
        "a: " + "[" * 101 + "]" * 101 + "\n",
        "".join(" " * n + "a:\n" for n in range(101)),
        "k" * 2000 + ": b\n",
        "a: {'" + "k" * 2000 + "': b}\n",
        "{" * 20_000,
        "- " * 20_000,
    ],
)
def test_the_rest_is_left_to_libyaml(text: str) -> None:
    assert read_plain(text, 0) is None


def test_usual_texts_need_no_parser_to_be_imported() -> None:
    code = """
import sys
from skillbag.documents.frontmatter import front_matter
from skillbag.documents.source import decode
found = front_matter(decode("SKILL.md", b"---\\nname: a\\ndescription: >-\\n  b\\n  c\\n---\\n"))
assert found.mapping.keys() == ("name", "description"), found
assert "yaml" not in sys.modules
assert front_matter(decode("SKILL.md", b"---\\na: *b\\n---\\n")).kind == "anchor"
assert "yaml" in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=300)


CHOSEN = ("agent-skills-superpowers", "awesome-skills", "skillbag-utils")
"""Archives that shares are counted in; whatever else lies beside them holds for the differences alone."""


def published(name: str) -> Iterator[str]:
    """The front matters and the fenced blocks of an archive of the corpora."""
    with zipfile.ZipFile(CORPUS / f"{name}.zip") as archive:
        for member in archive.namelist():
            text = archive.read(member).decode(errors="replace") if member.endswith(".md") else ""
            for match in re.finditer(r"\A---\n(.*?)^---$|^```ya?ml[^\n]*\n(.*?)^```", text, re.S | re.M):
                yield match[1] or match[2] or ""


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


def neighbours(text: str, signs: list[str]) -> Iterator[str]:
    """Each beginning of a text, and the text with a character taken out, put in or replaced, at every place."""
    for at in range(len(text) + 1):
        yield text[:at]
        yield text[:at] + text[at + 1 :]
        for sign in signs:
            yield text[:at] + sign + text[at:]
            yield text[:at] + sign + text[at + 1 :]


def readable(text: str) -> bool:
    """Whether it is YAML of the dialect; more than half of what the quick reader leaves out is not."""
    return not isinstance(read_any(text, 4), YamlError)


@pytest.mark.parametrize("name", sorted(path.stem for path in CORPUS.glob("*.zip")) or CHOSEN)
def test_published_texts(name: str) -> None:
    if not (CORPUS / f"{name}.zip").is_file():
        pytest.skip(f"the corpus {name}.zip is not beside the project (../shared/corpus)")
    texts = list(published(name))
    quick = [text for text in texts if answered(text)]
    signs = SIGNS if NIGHTLY else ["\n", ":", " ", "\t"]
    beside = [answered(near) for text in sorted(texts, key=len)[:5] for near in neighbours(text, signs)]
    if name in CHOSEN:
        assert len(quick) > 0.9 * len(list(filter(readable, texts)))
        assert sum(beside) > 0.3 * len(beside)


@pytest.mark.parametrize("text", USUAL.split("=====\n"))
def test_texts_beside_the_usual(text: str) -> None:
    signs = SIGNS if NIGHTLY else SIGNS[:: len(SIGNS) // 4]
    beside = list(neighbours(text, signs))
    assert sum(map(answered, beside)) > 0.1 * len(beside)


COMMON = """a b;word;1.10;it's;http://x/y;a#b;é 😀;'q';"r s";'it''s';"a\\"b";[a, 'b c'];{a: b};[]"""
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


@given(written(TEXTS | LINES))
def test_generated_texts(text: str) -> None:
    answered(text)


@given(changed())
def test_changed_texts(text: str) -> None:
    answered(text, 0)
