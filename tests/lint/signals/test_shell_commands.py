"""Commands of shell texts: words, pipelines, substitutions, here-documents, and time that stays linear."""

from __future__ import annotations

import time

import pytest

from skillbag.lint.signals.programs import pipelines, run_of
from skillbag.lint.signals.shell_commands import commands
from tests.rows import each_row


def words(text: str) -> list[list[str]]:
    return [[word.text for word in command.words] for command in commands(text)]


@each_row(
    ("text", "expected"),
    [
        ('a \'b c\' "d\\"e" f\\ g # h', [["a", "b c", 'd"e', "f g"]]),
        ("a \\\r\n  b\r\nc", [["a", "b"], ["c"]]),
        ('a "$(b "c d")"', [["b", "c d"], ["a", '$(b "c d")']]),
        ("a <(b) `c d`", [["b"], ["c", "d"], ["a", "<(b)", "`c d`"]]),
        ("cat <<'E'\nit's; b\nE\nc", [["cat"], ["c"]]),
        ("case $x in\n  y) a;;\nesac", [["case", "$x", "in"], ["a"], ["esac"]]),
        ("A=(b c)\nd() { e; }\n((f++))", [[], ["{", "e"], ["}"]]),
        ("a don't b", [["a", "don't", "b"]]),
        ('A=${B:-"x }; y"} c\nd "${E:-${F:-"}"}}"', [["c"], ["d", '${E:-${F:-"}"}}']]),
        ('a ${b:-" c;} d\ne', [["a", '${b:-" c;}', "d"], ["e"]]),
        ("case $x in\n  y|z) a;;\nesac", [["case", "$x", "in"], ["a"], ["esac"]]),
        ("fix(api): change b\nc", [[":", "change", "b"], ["c"]]),
        ("long f(int x) ;\ng", [["g"]]),
        ("[[ $a =~ ^(b|c)$ ]] && (d; e)", [["[[", "$a", "=~", "^", "$", "]]"], ["d"], ["e"]]),
    ],
)
def test_words(text: str, expected: list[list[str]]) -> None:
    assert words(text) == expected


def test_pipelines_and_places() -> None:
    text = "x=1 a | b\nc && d 2> e"
    found = commands(text)
    assert [[command.words[0].text for command in line] for line in pipelines(found)] == [["a", "b"], ["c"], ["d"]]
    assert [text[word.start : word.end] for command in found for word in command.words] == ["a", "b", "c", "d"]
    assert [(one.operator, one.word.text) for one in found[-1].redirects] == [(">", "e")]


def test_wrappers_and_keywords() -> None:
    runs = [run_of(command) for command in commands("if sudo -u me env A=1 timeout 5 git log; then ! x; fi")]
    assert [(run.name, run.wrappers) for run in runs if run] == [("git", ("sudo", "env", "timeout")), ("x", ())]


@pytest.mark.slow
@pytest.mark.sampled(4)
@pytest.mark.parametrize("piece", ['"$(', "'", "$((", "`", "a=$(b ", "<(<(", "(\\'", '"', '"${', "<<E\n", "(('", "a("])
def test_time_is_linear(piece: str) -> None:
    start = time.process_time()
    commands(piece * (300_000 // len(piece)))
    assert time.process_time() - start < 20
