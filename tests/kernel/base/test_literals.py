"""Where literals are: offsets in characters, whatever stands between them."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from skillbag.kernel.base.literals import Literals
from tests.rows import each_row

LITERALS = ("a", "ab", "b ", "é", "\u200b", "\U000e0041", "abababababa", "é a", "a\u200b")
SIZES = (0, 100_000, 10_000_000)
"""Bytes of all texts: few, so that there is no automaton, some, and many."""


@given(st.text(st.sampled_from("ab é\u200b\U000e0041\u65e5\n"), max_size=40), st.sampled_from(SIZES))
@example("abababababababa\u200bé a", 10_000_000)
def test_every_place_is_found_in_order(text: str, size: int) -> None:
    literals = Literals(literal.encode() for literal in LITERALS)
    literals.expect(size)
    places = literals.search(text.encode())
    for literal in LITERALS:
        expected = [match.start() for match in re.finditer(f"(?={re.escape(literal)})", text)]
        assert places.of((literal.encode(),)) == expected
        assert (literal.encode() in places) == bool(expected)
    together = places.of(literal.encode() for literal in LITERALS)
    assert together == sorted(place for literal in LITERALS for place in places.of((literal.encode(),)))


@pytest.mark.parametrize("text", ["", "nothing"])
def test_a_text_without_any(text: str) -> None:
    assert not Literals((b"x",)).search(text.encode()).found


@each_row("size", SIZES)
def test_a_literal_may_be_the_first_bytes_of_many_characters(size: int) -> None:
    literals = Literals((b"\xf3\xa0",))
    literals.expect(size)
    assert literals.search("x\U000e0041y\U0001f600".encode()).found == {b"\xf3\xa0": [1]}
