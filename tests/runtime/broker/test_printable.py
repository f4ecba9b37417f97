"""A call's input in a question to the user."""

from __future__ import annotations

from skillbag.runtime.printable import input_text
from tests.rows import each_row
from tests.runtime.host.test_host_llm import TOKEN


def test_a_short_input_is_itself() -> None:
    assert input_text({"why": "old one"}) == '{"why": "old one"}'
    assert input_text("C:\\new\\n \\t") == r'"C:\\new\\n \\t"'


@each_row("blank", [" ", "\n", "\t", "\u3000", "\u2800", "\u200b", "\r\n"])
def test_blanks_hide_nothing(blank: str) -> None:
    text = input_text({"command": f"ls{blank * 5000}; rm -rf ~"})
    assert text.startswith('{"command": "ls [… ')
    assert text.endswith(' blanks …] ; rm -rf ~"}')
    assert len(text) < 80


def test_a_long_input_shows_its_head_and_its_tail() -> None:
    text = input_text({"command": "a" * 5000 + "; rm -rf ~"})
    assert text.startswith('{"command": "aaa')
    assert " [… 3,025 more characters …] " in text
    assert text.endswith('; rm -rf ~"}')


def test_control_characters_and_secrets_are_not_shown() -> None:
    text = input_text(["\x9b2J\u202e", TOKEN])
    assert text.isprintable()
    assert TOKEN[8:] not in text
