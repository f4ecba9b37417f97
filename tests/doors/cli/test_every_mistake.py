"""Each mistake with each command is one clear error: what is wrong, as text and as JSON, and never a traceback."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.doors.cli.every_command import SERVERS, commands
from tests.doors.cli.mistakes import Mistake, mistakes
from tests.rows import each_row
from tests.sampling import sample
from tests.support import Run

SPOKEN = frozenset(
    {
        "runtime hook",
        "runtime host",
        "runtime dev",
        "team conformance",
        "agent plugin serve",
        "agent plugin",
        "agent hook run",
    }
)
"""What they are given is not theirs to refuse, or they run for long."""

CASES = [
    (words, mistake)
    for words, command in commands()
    if " ".join(words) not in SPOKEN | SERVERS
    for mistake in mistakes(command)
]


def test_there_are_ten_for_each_command() -> None:
    assert all(len(list(mistakes(command))) >= 10 for _, command in commands())


def check(run: Run, root: Path, words: tuple[str, ...], mistake: Mistake) -> None:
    root.mkdir()
    (root / "SKILLBAG.md").write_text("# Skills\n", "utf-8")
    mistake.breaks(root)
    done = run(*words, *mistake.arguments, cwd=root)
    assert "Traceback" not in done.err
    assert done.code in (1, 2, 3, 4) or not mistake.is_wrong
    if mistake.is_wrong:
        error, *hints = done.err.splitlines()
        assert error.startswith("error: ")
        assert error[7:8] == error[7:8].lower()
        assert all(hint.startswith("hint: ") for hint in hints)
    values = json.loads(run(*words, "--json", *mistake.arguments, cwd=root).out)
    assert [*values][:3] == ["version", "command", "exit"]
    assert "error" in values or values["exit"] not in (2, 4)


@each_row(("words", "mistake"), sample("mistakes", CASES, 60), ids=lambda each: getattr(each, "name", None))
def test_a_mistake_is_one_clear_error(run: Run, tmp_path: Path, words: tuple[str, ...], mistake: Mistake) -> None:
    check(run, tmp_path / "w", words, mistake)


@pytest.mark.nightly
@pytest.mark.parametrize("words", sorted({words for words, _ in CASES}), ids=" ".join)
def test_each_mistake_with_each_command(run: Run, tmp_path: Path, words: tuple[str, ...]) -> None:
    for number, mistake in enumerate(each for name, each in CASES if name == words):
        check(run, tmp_path / str(number), words, mistake)
