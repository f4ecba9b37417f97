"""What users' text goes through before any output."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillbag.report.sanitize import exact, shown, shown_page
from tests.report.report_results import TOKEN


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain text", "plain text"),
        ("é漢字 naïve ☃ ⚠️ 👍🏽\u3000\u00a0.", "é漢字 naïve ☃ ⚠️ 👍🏽\u3000\u00a0."),
        ("a\tb", "a\tb"),
        ("\x1b[31m", "\\x1b[31m"),
        ("a\nb\rc\0", "a\\nb\\rc\\x00"),
        ("\x7f\x85\x9b", "\\x7f\\x85\\x9b"),
        ("\u202e\u2066\u200f\u061c", "\\u202e\\u2066\\u200f\\u061c"),
        ("\u200b\u200d\ufeff\u2060\u00ad", "\\u200b\\u200d\\ufeff\\u2060\\xad"),
        ("\u2028\u2029", "\\u2028\\u2029"),
        ("\u3164\u115f\u034f\u180b", "\\u3164\\u115f\\u034f\\u180b"),
        ("\ufe00\U000e0101", "\\ufe00\\U000e0101"),
        ("\U000e0041\U000e007f", "\\U000e0041\\U000e007f"),
        ("\ud800\udc80", "\\ud800\\udc80"),
        ("\ufffe\U0010ffff", "\\ufffe\\U0010ffff"),
        ("x ##[error]y", "x #\\x23[error]y"),
    ],
)
def test_what_can_not_be_seen_is_spelt_out(text: str, expected: str) -> None:
    assert shown(text) == expected


@given(st.text(st.characters()))
def test_nothing_invisible_is_left(text: str) -> None:
    categories = {unicodedata.category(char) for char in shown(text) if char != "\t"}
    assert not categories & {"Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"}


def test_secrets_are_masked() -> None:
    for clean in (shown(f"key {TOKEN} end"), exact(f"key {TOKEN} end"), shown_page(f"one\nkey {TOKEN} end")):
        assert TOKEN[8:] not in clean
        assert clean.endswith(" end")


def test_exact_keeps_everything_but_lone_surrogates() -> None:
    assert exact("a\x1b\n\u202e漢") == "a\x1b\n\u202e漢"
    assert exact("a\udc80b") == "a\\udc80b"


def test_a_page_keeps_its_lines() -> None:
    assert shown_page("# Title\n\ntext\x1b\n") == "# Title\n\ntext\\x1b"
