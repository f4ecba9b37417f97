"""Expressions that are searched in linear time: they match where Python's own do, and nothing makes them hang."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillbag.kernel.base.linear_nodes import BadExpressionError
from skillbag.kernel.base.linear_regex import Expression, TooMuchWorkError
from tests.rows import each_row

ATOMS = (
    "a",
    "b",
    ".",
    r"\w",
    r"\d",
    r"\s",
    "[ab]",
    "[^a]",
    r"\b",
    "^",
    "$",
    r"\n",
    r"\A",
    r"\Z",
    "(?i:A)",
    r"\.",
    "(?s:.)",
)
EXPRESSIONS = st.recursive(
    st.sampled_from(ATOMS),
    lambda inner: st.one_of(
        st.builds("{}{}".format, inner, inner),
        st.builds("(?:{}|{})".format, inner, inner),
        st.builds("(?:{}){}".format, inner, st.sampled_from(["*", "+", "?", "{1,2}", "{2}", "*?", "{2,}"])),
    ),
    max_leaves=6,
)


@given(EXPRESSIONS, st.text("aAb1 .\n", max_size=10))
def test_it_matches_what_python_matches(written: str, text: str) -> None:
    expected = re.compile(written, re.MULTILINE)
    found = Expression(written)
    assert found.matches(text) is (expected.search(text) is not None)
    for start, end in found.places(text):
        rest = len(text) - end
        assert re.compile(rf"(?:{written})(?=(?s:.){{{rest}}}\Z)", re.MULTILINE).match(text, start)


@each_row(
    ("written", "text", "places"),
    [
        (r"\d+", "12 345", [(0, 2), (3, 6)]),
        (r"https?://\S+", "see http://a.b/c, x", [(4, 17)]),
        ("(?i)stra(ß|ss)e", "STRASSE Straße", [(0, 7), (8, 14)]),
        ("^- ", "- a\n- b", [(0, 2), (4, 6)]),
        ("a*", "baab", [(1, 3)]),
        (r"\bfoo\b", "foo food", [(0, 3)]),
        (".", "日本", [(0, 1), (1, 2)]),
    ],
)
def test_places(written: str, text: str, places: list[tuple[int, int]]) -> None:
    assert list(Expression(written).places(text)) == places


@each_row(
    ("written", "words"),
    [
        ("(", "missing"),
        ("a{2", None),
        ("a*+", "possessive"),
        ("(?>a)", "atomic"),
        ("(?<!a)b", "look-around"),
        (r"(a)\1", "back reference"),
        ("a{2000}", "too large"),
        ("(((){999}){999}){999}", "too large"),
        ("(" * 600 + ")" * 600, "longer"),
        ("(" * 450 + ")" * 450, None),
        ("[[a]", "no regular expression"),
    ],
)
def test_what_is_refused(written: str, words: str | None) -> None:
    if words is None:
        Expression(written)
        return
    with pytest.raises(BadExpressionError, match=words):
        Expression(written)


@each_row(
    "written", ["(a+)+$", "(a|aa)+$", "(.*a){20}", "a*a*a*a*a*a*a*b", "(x+x+)+y", r"(\w+\s?)*$", "(a|b)*a(a|b){200}"]
)
def test_nothing_hangs(written: str) -> None:
    begun = time.process_time()
    found = Expression(written)
    for text in ("a" * 100_000 + "!", "ab" * 50_000, " " * 100_000, "x" * 100_000):
        try:
            assert sum(1 for _, _ in zip(range(1_000), found.places(text), strict=False)) <= 1_000
        except TooMuchWorkError:
            continue
    assert time.process_time() - begun < 60
