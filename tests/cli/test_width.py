"""How wide what is printed is: as wide as the terminal, and in a pipe or a file each line as long as it is."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.terminals import on_terminal, plain
from tests.install.worlds import make_source, make_workspace
from tests.marketplace.markets import indexed, skill
from tests.support import SKILL, Run, Tree

WORDS = "Tidy a folder. Use when files lie about, " + "here and there and everywhere, " * 6 + "or where nobody looks."
TARGET = "references/" + "a-long-name-" * 12 + "guide.md"
TREE = {"skills/tidy/SKILL.md": SKILL.format(name="tidy", description=WORDS) + f"\nSee [the guide]({TARGET}).\n"}
WIDTHS = [None, "80", "200", "60", "1", "0", "-5", "many"]


def piped(cwd: Path, *arguments: str, columns: str | None) -> str:
    """What a command prints into a pipe, with `COLUMNS` as given."""
    environment = {key: value for key, value in os.environ.items() if key != "COLUMNS"}
    if columns is not None:
        environment["COLUMNS"] = columns
    command = [sys.executable, "-m", "skillbag", *arguments]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False).stdout


@pytest.mark.parametrize("columns", WIDTHS)
def test_a_pipe_and_a_file_get_each_sentence_in_one_line(tree: Tree, columns: str | None) -> None:
    root = tree(TREE)
    shown = piped(root, "check", "--output=report.txt", "--also=text=also.txt", columns=columns)
    assert shown == ""
    shown = piped(root, "check", columns=columns)
    assert [line for line in shown.splitlines() if "does not exist" in line and TARGET in line]
    assert shown == piped(root, "check", columns="80")
    assert (root / "report.txt").read_text("utf-8") == (root / "also.txt").read_text("utf-8") == shown


@pytest.mark.parametrize("columns", [60, 80, 160, 240])
def test_a_terminal_is_filled_and_not_overrun(tree: Tree, columns: int) -> None:
    text = f"{WORDS} See [the guide](references/guide.md). {WORDS}\n"
    root = tree({"skills/tidy/SKILL.md": SKILL.format(name="tidy", description=WORDS) + text})
    lines = plain(on_terminal(root, "check", columns=columns).text).splitlines()
    assert max(map(len, lines)) == columns


def test_a_terminal_that_does_not_tell_its_columns_is_taken_at_its_word_about_them(tree: Tree) -> None:
    root = tree(TREE)
    assert on_terminal(root, "check", columns=0).text == on_terminal(root, "check", columns=80).text
    assert on_terminal(root, "check", columns=0, COLUMNS="120").text == on_terminal(root, "check", columns=120).text
    assert on_terminal(root, "check", columns=200, COLUMNS="60").text == on_terminal(root, "check", columns=60).text


@pytest.mark.parametrize("columns", WIDTHS)
def test_what_is_said_about_installed_skills_is_not_folded_in_a_pipe(tmp_path: Path, columns: str | None) -> None:
    make_source(tmp_path / "one", {"tidy": skill("tidy", WORDS)})
    root = make_workspace(tmp_path / "work")
    assert f"tidy  {WORDS}\n" in piped(root, "list", "--source", "../one", columns=columns)


def test_what_is_said_about_installed_skills_fills_a_wide_terminal(tmp_path: Path) -> None:
    make_source(tmp_path / "one", {"tidy": skill("tidy", WORDS)})
    root = make_workspace(tmp_path / "work")
    for columns in (60, 80, 160):
        lines = plain(on_terminal(root, "list", "--source", "../one", columns=columns).text).splitlines()
        assert 0.75 * columns < max(len(line) for line in lines if line.startswith("    ")) <= columns


def test_a_search_is_cut_to_the_terminal_and_whole_in_a_pipe(run: Run, tmp_path: Path) -> None:
    indexed(run, tmp_path / "one", {"skills/tidy/SKILL.md": skill("tidy", WORDS)})
    assert f"    {WORDS}\n" in piped(tmp_path, "search", "tidy", columns="60")
    lines = on_terminal(tmp_path, "search", "tidy", columns=160).text.splitlines()
    assert max(map(len, lines)) == 160
