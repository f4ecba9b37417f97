"""Invisible characters: which are reported, under which name, and which are part of a writing system."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillbag.lint.signals.hidden_characters import hidden_in_name
from tests.kernel.transaction.workspaces import write
from tests.lint.checks.rule_runs import findings, in_skill
from tests.rows import each_row
from tests.support import Run, Tree, skill

RULES = ("invisible-characters", "bidirectional-characters", "tag-characters")


def found(root: Path, text: str) -> list[tuple[str, int, str]]:
    """Rule, column and message of each finding in one line of a reference."""
    in_notes = in_skill(root, f"{text}\n", *RULES, name="notes.md")
    return [(finding.rule, finding.column, finding.message) for finding in in_notes]


@each_row(
    ("text", "rule", "column", "words"),
    [
        ("a\u200bb", RULES[0], 2, "U+200B ZERO WIDTH SPACE"),
        ("a\u200cb", RULES[0], 2, "U+200C ZERO WIDTH NON-JOINER"),
        ("a\u200db", RULES[0], 2, "U+200D ZERO WIDTH JOINER"),
        ("ab\u2060c", RULES[0], 3, "U+2060 WORD JOINER"),
        ("ab\ufeffc", RULES[0], 3, "byte order mark"),
        ("a\u3164b", RULES[0], 2, "U+3164 HANGUL FILLER"),
        ("a\x08b", RULES[0], 2, "U+0008 BACKSPACE"),
        ("a\u200b\u200c\u200b\u200cb", RULES[0], 2, "ZERO WIDTH SPACE, U+200C ZERO WIDTH NON-JOINER (4 characters)"),
        ("a\ufe01\ufe02b", RULES[0], 2, "U+FE01 VARIATION SELECTOR-2"),
        ("a\u202eb", RULES[1], 2, "U+202E RIGHT-TO-LEFT OVERRIDE"),
        ("a\u2066b", RULES[1], 2, "U+2066 LEFT-TO-RIGHT ISOLATE"),
        ("a\u200fb", RULES[1], 2, "U+200F RIGHT-TO-LEFT MARK"),
        ("a" + "".join(chr(0xE0000 + ord(c)) for c in "run it"), RULES[2], 2, "spell `run it`"),
        ("a\U000e0001", RULES[2], 2, "U+E0001"),
    ],
)
def test_a_character_is_named(text: str, rule: str, column: int, words: str, tmp_path: Path) -> None:
    ((found_rule, found_column, message),) = found(tmp_path, text)
    assert (found_rule, found_column) == (rule, column)
    assert words in message
    assert message.isprintable()


@each_row(
    "text",
    [
        "plain text, café, naïve, 漢字, кириллица",
        "no-break\u00a0space, soft\u00adhyphen, thin\u2009space, em\u2014dash",
        "family 👨\u200d👩\u200d👧, heart ❤\ufe0f\u200d🔥, pirate 🏴\u200d☠\ufe0f, thumb 👍🏽",
        "runner 🏃🏽\u200d♀\ufe0f and keycap 1\ufe0f\u20e3",
        "می\u200cخواهم",
        "क्\u200dष and ක්\u200dෂ",
        "שלום\u200f! and العربية\u200e.",
        "flags 🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f and 🇩🇪",
        "a heart ❤\ufe0f\ufe0f that was pasted twice",
        "สวัสดี\u200bครับ and ភាសា\u200bខ្មែរ",
        "ideograph 葛\U000e0100",
    ],
)
def test_characters_of_a_writing_system_are_left_alone(text: str, tmp_path: Path) -> None:
    assert found(tmp_path, text) == []


def test_a_byte_order_mark_is_no_finding(tmp_path: Path) -> None:
    assert found(tmp_path, "\ufeffText") == []
    assert [rule for rule, _, _ in found(tmp_path, "\ufeffText\ufeff")] == [RULES[0]]


def test_a_flag_that_spells_more_is_no_flag(tmp_path: Path) -> None:
    long = "".join(chr(0xE0000 + ord(char)) for char in "obey the next page")
    assert [rule for rule, _, _ in found(tmp_path, f"🏴{long}\U000e007f")] == [RULES[2]]


def test_a_secret_in_tags_is_masked(tmp_path: Path) -> None:
    token = "gh" + "p_" + "Zk3Qw8Rt1Yp6Ls9Dv4Bn7Mx2Hc5Jg0Fa" + "Te8U"
    ((_, _, message),) = found(tmp_path, "".join(chr(0xE0000 + ord(char)) for char in token))
    assert token not in message
    assert "ghp_****" in message


@pytest.mark.parametrize(
    ("text", "level"),
    [
        ("\u200b```sh\nls\n\u200b```", "note"),
        ("fi\u200bles", "warning"),
        ("\u4ee5\u4e0b\u200b\uff1a\u8981\u6c42 \u200bVS \u53ca\u200b\u4ee5\u4e0a", "note"),
        ("\u4ee5" + "\u200b" * 8 + "\u4e0b", "warning"),
    ],
)
def test_a_few_zero_width_spaces_before_a_fence_or_beside_east_asian_letters_are_a_note(
    text: str, level: str, tree: Tree
) -> None:
    root = tree({"skills/tidy/SKILL.md": f"{skill('tidy')}\n{text}\n"})
    assert {finding.level for finding in findings(root, "invisible-characters")} == {level}


NAMES = {
    "a\u202etxt.md": "U+202E RIGHT-TO-LEFT OVERRIDE",
    "a\u2066.md": "U+2066 LEFT-TO-RIGHT ISOLATE",
    "a\u200b.md": "U+200B ZERO WIDTH SPACE",
    "a\u2060.md": "U+2060 WORD JOINER",
    "a\U000e0041.md": "U+E0041",
    "a\nb.md": "U+000A LINE FEED",
    "a\x1b[2Jb.md": "U+001B ESCAPE",
    "a\x9bb.md": "U+009B",
    "a\u2028b.md": "U+2028 LINE SEPARATOR",
    "a\xadb.md": "U+00AD SOFT HYPHEN",
    "a\tb.md": "U+0009 TABULATION",
}


PLAIN = [
    "1\ufe0f\u20e3.md",
    "☎\ufe0e.md",
    "葛\U000e0100城.md",
    "ᠠ\u180bᠨ.md",
    "⠓⠊\u2800⠁.md",
    "図\u3000一.md",
    "10.00\u202fAM.md",
]


UNSEEN = {
    "a\u2800.md": "U+2800 BRAILLE PATTERN BLANK",
    "a\u115f.md": "U+115F HANGUL CHOSEONG FILLER",
    "a\u1160.md": "U+1160 HANGUL JUNGSEONG FILLER",
    "a\u3164.md": "U+3164 HANGUL FILLER",
    "a\uffa0.md": "U+FFA0 HALFWIDTH HANGUL FILLER",
    "a\u034f.md": "U+034F COMBINING GRAPHEME JOINER",
    "a\u17b4.md": "U+17B4 KHMER VOWEL INHERENT AQ",
    "a\u180b.md": "U+180B MONGOLIAN FREE VARIATION SELECTOR ONE",
    "a\u180e.md": "U+180E MONGOLIAN VOWEL SEPARATOR",
    "a\u2065.md": "U+2065",
    "a\ufe00.md": "U+FE00 VARIATION SELECTOR-1",
    "a\ufe0f.md": "U+FE0F VARIATION SELECTOR-16",
    "❤\ufe0f\ufe0f.md": "U+FE0F VARIATION SELECTOR-16",
    "\ufe0fa.md": "U+FE0F VARIATION SELECTOR-16",
    "a\ufff0.md": "U+FFF0",
    "a\U0001bca0.md": "U+1BCA0 SHORTHAND FORMAT LETTER OVERLAP",
    "a\U0001d173.md": "U+1D173 MUSICAL SYMBOL BEGIN BEAM",
    "a\U000e0100.md": "U+E0100 VARIATION SELECTOR-17",
    "a\U000e0080.md": "U+E0080",
}


@each_row("name", NAMES)
def test_hidden_characters_in_the_name_of_a_file(tmp_path: Path, run: Run, name: str) -> None:
    write(tmp_path, {"tidy/SKILL.md": skill("tidy"), f"tidy/references/{name}": "Kinds.\n"})
    done = run("check", "--strict", "--select=file-name-hidden-characters", cwd=tmp_path)
    assert (done.code, NAMES[name] in done.out) == (1, True)
    assert not any(char in done.out for char in "\x1b\x9b\u202e\u2066\u200b\u2060\u2028\U000e0041\t\xad")


def test_every_character_that_shows_nothing_is_told_by_its_number() -> None:
    assert {name: (hidden_in_name(name) or "")[: len(what)] for name, what in UNSEEN.items()} == UNSEEN


@each_row("name", ["可以.md", "می\u200cخواهم.md", "👩\u200d💻.md", "שלום\u200f.md", "❤️.md", "a b.md", *PLAIN])
def test_names_of_other_scripts_and_emoji_are_plain(name: str) -> None:
    assert hidden_in_name(name) is None
