"""Lines that are taken for simple words: real shells must make the very same words of them."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillbag.agents.permissions.shell_lines import LONGEST, MAX, commands_of
from tests.agents.permissions.shells import SHELLS, Stubs, lines_of
from tests.rows import each_row


@pytest.mark.parametrize(
    ("line", "commands"),
    [
        ("git", [["git"]]),
        ("  git   status  ", [["git", "status"]]),
        ("git log -n 5 && ls src", [["git", "log", "-n", "5"], ["ls", "src"]]),
        ("git a|wc -l;ls||npm run x", [["git", "a"], ["wc", "-l"], ["ls"], ["npm", "run", "x"]]),
        ("git commit -m 'it is $5; `no` \\ more!'", [["git", "commit", "-m", "it is $5; `no` \\ more!"]]),
        ('git commit -m "it\'s ünï · 漢字 🎉"', [["git", "commit", "-m", "it's ünï · 漢字 🎉"]]),
        ("git a'b'\"c\"d ''", [["git", "abcd", ""]]),
        ("git ';' '&&' \"|\"", [["git", ";", "&&", "|"]]),
        ("git show HEAD~2:a HEAD^ @{u} stash@{0} HEAD@{2.days.ago} x#1", None),
        ("git x@{-1}~3", [["git", "x@{-1}~3"]]),
        ("git ;", [["git"]]),
        ("git log ; ", [["git", "log"]]),
        ("git 'a\nb' \"c\n\td\"\n", [["git", "a\nb", "c\n\td"]]),
        ('git "a\\b\\.c" "\\$x \\`y\\` \\\\ \\"z\\""', [["git", "a\\b\\.c", '$x `y` \\ "z"']]),
        ('git "a!b" ":!x" "wow!"', [["git", "a!b", ":!x", "wow!"]]),
        ('git "cost $5" "a$7b" "5$" "$ 5" "a$, b"', None),
        ("git 2>&1 a >/dev/null 2> /dev/null b 1>&2 | wc >&2", [["git", "a", "b"], ["wc"]]),
    ],
)
def test_a_plain_line_is_taken_apart_as_the_shells_do(
    line: str, commands: list[list[str]] | None, stubs: Stubs
) -> None:
    found = commands_of(line)

    assert found is not None
    assert commands is None or found == tuple(map(tuple, commands))
    for shell in SHELLS:
        assert stubs.calls(shell, line) == set(found), shell


_REFUSED: list[object] = [
    *("", "   ", "git\rls", 'git "a\rb"', "git\0status", "git\x0bstatus", "git\x1b[0m", "git\x7f", "git\x85ls"),
    *("git\u2028ls", "git\u00a0status", "git '\u00a0'", "git '\u202e'", "git '\ud800'", "gi\u0442\u200b"),
    *(None, 7, ["git"], {"git": 1}, True, "git " + "a" * LONGEST, "git '" + "ü" * (LONGEST // 2) + "'"),
]
"""Beside the printable ones in `lines/`: odd characters, no texts, and lines that are too long."""


def test_a_line_with_more_than_simple_words_is_refused() -> None:
    assert [line for line in (*lines_of("shell_refused"), *_REFUSED) if commands_of(line) is not None] == []


_SIGNS = "".join(chr(code) for code in range(0x21, 0x7F) if not chr(code).isalnum()) + "a1 "


def test_every_word_of_three_signs_is_the_same_to_the_shells(stubs: Stubs) -> None:
    words = ["".join(signs) for size in (1, 2, 3) for signs in itertools.product(_SIGNS, repeat=size)]
    words = [word for word in words if not re.search(r"(?:^|[ ;])#|; *$", word)]
    found = {word: commands_of(f"git {word}") for word in words}
    plain = {word: commands[0][1:] for word, commands in found.items() if commands and len(commands) == 1}

    assert 1000 < len(plain) < len(words) / 2
    for at in range(0, len(plain), 4000):
        part = list(plain)[at : at + 4000]
        expected = {("git", *(name for word in part for item in plain[word] for name in stubs.names(item)))}
        for shell in SHELLS:
            assert stubs.calls(shell, f"git {' '.join(part)}") == expected, shell


_PLAIN = st.text("abz019_./:,@%+=^~#-", min_size=1, max_size=6)
_SINGLE = st.text(st.characters(codec="utf-8", exclude_characters="'"), max_size=6).map(lambda text: f"'{text}'")
_ESCAPES = ["\\$", "\\`", '\\"', "\\\\", "\\n", "\\.", "$5", "$ ", "$,", "!", "!!", "!$", "\n", "\t", "'"]
_DOUBLE = st.lists(
    st.one_of(
        st.text(st.characters(codec="utf-8", exclude_characters='"$`\\\0'), max_size=4),
        st.sampled_from(_ESCAPES),
    ),
    max_size=4,
).map(lambda parts: f'"{"".join(parts)}"')
_TEXTS = ["a", "don't", "(x)", ")", "(", '"', "`ls`", "$(evil)", "$x", "\\", "#1", "", "!", "fix: x"]
_TEXTS += ["EOF", "EOF ", " EOF"]
_TEXT = st.lists(st.sampled_from(_TEXTS), max_size=4).map(
    lambda lines: "\"$(cat <<'EOF'\n" + "".join(f"{line}\n" for line in lines) + 'EOF\n)"'
)
_REFLOG = st.sampled_from(["@{0}", "HEAD@{u}", "stash@{1}", "HEAD@{2.days.ago}"])
_WORD = st.lists(st.one_of(_PLAIN, _PLAIN, _SINGLE, _DOUBLE, _DOUBLE, _REFLOG, _TEXT), min_size=1, max_size=3).map(
    "".join
)
_GAP = st.sampled_from([" ", " ", "  ", " \\\n", " \\\n  "])
_COMMAND = st.tuples(_GAP, st.sampled_from(["git", "ls", '"npm"', "w''c"]), st.lists(_WORD, max_size=3)).map(
    lambda parts: parts[0].join([parts[1], *parts[2]])
)
_SILENT = st.sampled_from(["", "", " 2>&1", " 2>/dev/null", " > /dev/null 2>&1", " >&2"])
_COMMAND = st.tuples(_COMMAND, _SILENT).map("".join)
_LINE = st.tuples(_COMMAND, st.lists(st.tuples(st.sampled_from(["&&", "||", ";", "|"]), _COMMAND), max_size=3)).map(
    lambda parts: parts[0] + "".join(f" {joint} {command}" for joint, command in parts[1])
)
_END = st.sampled_from(["", "", ";", " ; ", "\n", " # why", " ;# it's 1 \\", " #x#", " <<'EOF'\n$(ls) 'x\nEOF"])
_FORM = st.sampled_from(["{}", "{}", "({})", " ( {} ) # why", "({}\n)", "({}) ls"])
_LINE = st.tuples(_FORM, _LINE, _END).map(lambda parts: parts[0].replace("{}", parts[1] + parts[2]))


@given(_LINE)
def test_whatever_is_taken_for_plain_is_the_same_to_the_shells(stubs: Stubs, line: str) -> None:
    found = commands_of(line)
    if found is not None:
        for shell in SHELLS:
            assert stubs.calls(shell, line) == set(found), shell


@each_row("text", ["a " * 32000, "a;" * 32000, "@{a" * 20000, "''" * 32000, "a.b" * 20000, "'a'b " * 13000])
@each_row("end", ["", "$", "'", "{", "|"])
def test_a_long_line_is_judged_at_once(text: str, end: str) -> None:
    import time

    start = time.process_time()
    commands_of(text + end)
    assert time.process_time() - start < 20


def test_a_line_has_no_more_commands_than_can_be_judged_while_a_host_waits() -> None:
    assert commands_of("; ".join(["git"] * MAX)) == (("git",),) * MAX
    assert commands_of("; ".join(["git"] * (MAX + 1))) is None


def test_lines_are_as_long_as_the_limit(tmp_path: Path) -> None:
    assert commands_of("git " + "a" * (LONGEST - 4)) is not None
