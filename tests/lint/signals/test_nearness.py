"""Lines around a place: blank lines and marks of quotes and boxes do not count."""

from __future__ import annotations

import time

from skillbag.lint.signals.nearness import around
from tests.rows import each_row


@each_row("gap", ["\n", "\r\n", "\n\n\n", "\n>\n> ", "\n║   ║\n║ ", "\n---\n"])
def test_blank_lines_do_not_count(gap: str) -> None:
    text = gap.join("abcdefg")
    start, end = around(text, text.index("d"), text.index("d") + 1, 2)
    assert [char for char in text[start:end] if char.isalpha()] == list("bcdef")


def test_a_long_line_is_cut() -> None:
    text = "x" * 1_000_000
    begun = time.process_time()
    assert around(text, 500_000, 500_001, 6) == (498_500, 501_501)
    assert time.process_time() - begun < 10


def test_the_ends_of_a_text() -> None:
    assert around("ab\ncd", 0, 1, 6) == (0, 5)
    assert around("", 0, 0, 6) == (0, 0)
