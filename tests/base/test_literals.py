"""Where literals are: offsets in characters, whatever stands between them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillbag.base.literals import Literals

LITERALS = ("a", "ab", "b ", "é", "\u200b", "\U000e0041")


@given(st.text(st.sampled_from("ab é\u200b\U000e0041\u65e5\n"), max_size=40))
def test_every_place_is_found_in_order(text: str) -> None:
    places = Literals(literal.encode() for literal in LITERALS).search(text.encode())
    for literal in LITERALS:
        expected = [match.start() for match in re.finditer(f"(?={re.escape(literal)})", text)]
        assert places.of((literal.encode(),)) == expected
        assert (literal.encode() in places) == bool(expected)
    together = places.of(literal.encode() for literal in LITERALS)
    assert together == sorted(place for literal in LITERALS for place in places.of((literal.encode(),)))


@pytest.mark.parametrize("text", ["", "nothing"])
def test_a_text_without_any(text: str) -> None:
    assert not Literals((b"x",)).search(text.encode()).found
