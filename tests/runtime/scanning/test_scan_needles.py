"""A text that is not searched, since it lacks what every match has: that never hides a match."""

from __future__ import annotations

import re
import sys

from hypothesis import given
from hypothesis import strategies as st

from skillbag.kernel.documents.source import Document, decode
from skillbag.kernel.workspace.text import TextFile
from skillbag.runtime.scanning.needles import needle_of
from skillbag.runtime.scanning.regexes import RegexJob, RegexSearch
from tests.rows import each_row

LETTERS = "abkisKIS\u017f\u212a\u0131\u0130\u00e9"
ATOMS = st.one_of(
    st.text(LETTERS, min_size=1, max_size=3),
    st.sampled_from([".", "[ab]", "[^a]", r"\w", "^", "$", r"\b", "(?!a)", "(?<=b)", "(?=k)", r"\Z", " "]),
)


def combined(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Expressions made of others."""
    groups = st.sampled_from(["({})", "(?:{})", "(?>{})", "(?i:{})", "(?-i:{})", "(?={})", "(?!{})"])
    repeats = st.sampled_from(["?", "*", "+", "{0,2}", "{2}", "{1,3}?", "*?", "++", "?+"])
    return st.one_of(
        st.lists(inner, min_size=1, max_size=3).map("".join),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: f"(?:{'|'.join(parts)})"),
        st.tuples(groups, inner).map(lambda pair: pair[0].format(pair[1])),
        st.tuples(inner, repeats).map(lambda pair: f"(?:{pair[0]}){pair[1]}"),
        st.tuples(inner, inner, inner).map(lambda three: "({})?(?(1){}|{})".format(*three)),
    )


EXPRESSIONS = st.tuples(
    st.sampled_from(["", "(?i)", "(?x)", "(?s)", "(?ia)"]), st.recursive(ATOMS, combined, max_leaves=8)
)


@given(EXPRESSIONS.map("".join), st.text(LETTERS + "AB \n", max_size=12))
def test_a_text_with_a_match_has_the_needle(expression: str, text: str) -> None:
    try:
        compiled = re.compile(expression, re.MULTILINE)
    except re.error:
        return
    needle = needle_of(expression)
    if needle is not None and compiled.search(text):
        assert needle.may_be_in(text)


@each_row(
    ("expression", "any_of"),
    [
        ("ssn=[0-9]+", ("ssn=",)),
        (r"(secret|token)\s*=", ("secret", "token")),
        (r"(?i)PassWord\s*=", ("password",)),
        ("(?:ab)+x?", ("ab",)),
        ("a?bc(?!def)", ("bc",)),
    ],
)
def test_what_is_needed(expression: str, any_of: tuple[str, ...]) -> None:
    needle = needle_of(expression)
    assert needle is not None
    assert needle.any_of == any_of


@each_row("expression", ["a|", "[0-9]+", "(?:abc)?", "(?i:abc)", "|".join(map(chr, range(97, 123))) + "|0x"])
def test_nothing_is_needed(expression: str) -> None:
    assert needle_of(expression) is None


def test_only_texts_that_may_match_are_sent() -> None:
    started: list[object] = []
    sys.addaudithook(lambda name, _: started.append(name) if name == "subprocess.Popen" else None)

    def found(*contents: str) -> list[str]:
        texts = [decode(content, content.encode()) for content in contents]
        jobs = [RegexJob(TextFile(each, each.path, "text"), (0, 1)) for each in texts if isinstance(each, Document)]
        with RegexSearch(["eval[(]", "(?i)secret"]) as search:
            return [each.text.relative for each in search.search(jobs)]

    assert found("evaluate", "none") == []
    assert started == []
    assert found("eval(x)", "none", "eval (x)", "SECRET", "\u017fecret") == ["eval(x)", "SECRET", "\u017fecret"]
