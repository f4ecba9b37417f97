"""How messages begin: with a capital letter, or with what they are about."""

from __future__ import annotations

from tests.lint.checks.rule_runs import RULES
from tests.rows import each_row


@each_row("rule", RULES)
def test_a_message_begins_with_a_capital_letter_or_a_value(rule: str) -> None:
    message, fix = RULES[rule].message, RULES[rule].fix
    for text in filter(None, (message, fix)):
        words = text.lstrip("`{")
        # Names of files are written as they are.
        assert text[0].isupper() or text[0] in "`{" or words.startswith("skillbag.lock"), text
    assert not message.endswith((".", "!"))
