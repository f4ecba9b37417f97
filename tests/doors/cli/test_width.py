"""How wide what is printed is: as wide as the terminal, and in a pipe or a file each line as long as it is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from skillbag.doors.cli.streams import columns
from tests.agents.marketplace.markets import indexed, skill
from tests.doors.cli.terminals import on_terminal, plain
from tests.rows import each_row
from tests.supply.install.worlds import make_source, make_workspace
from tests.support import SKILL, Run, Tree

WORDS = "Tidy a folder. Use when files lie about, " + "here and there and everywhere, " * 6 + "or where nobody looks."
TARGET = "references/" + "a-long-name-" * 12 + "guide.md"
termios = pytest.importorskip("termios")
TREE = {"skills/tidy/SKILL.md": SKILL.format(name="tidy", description=WORDS) + f"\nSee [the guide]({TARGET}).\n"}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A workspace beside the source `../one`, which has a skill with a long description."""
    make_source(tmp_path / "one", {"tidy": skill("tidy", WORDS)})
    return make_workspace(tmp_path / "work")


def test_a_pipe_and_a_file_get_each_sentence_in_one_line(
    tree: Tree, run: Run, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tree(TREE)
    whole = run("check", cwd=root).out
    assert [line for line in whole.splitlines() if "does not exist" in line and TARGET in line]
    for wanted in ("80", "200", "60", "1", "0", "-5", "many"):
        monkeypatch.setenv("COLUMNS", wanted)
        assert run("check", cwd=root).out == whole
        assert run("check", "--output=report.txt", "--output=text=also.txt", cwd=root).out == ""
        assert (root / "report.txt").read_text("utf-8") == (root / "also.txt").read_text("utf-8") == whole
        assert f"tidy  {WORDS}\n" in run("list", "--source", "../one", cwd=source).out


@each_row("columns", [60, 80, 160, 240])
def test_a_terminal_is_filled_and_not_overrun(tree: Tree, columns: int) -> None:
    text = f"{WORDS} See [the guide](references/guide.md). {WORDS}\n"
    root = tree({"skills/tidy/SKILL.md": SKILL.format(name="tidy", description=WORDS) + text})
    lines = plain(on_terminal(root, "check", columns=columns).text).splitlines()
    assert max(map(len, lines)) == columns


@pytest.mark.parametrize(
    ("reported", "variable", "expected"),
    [(0, "", 80), (0, "120", 120), (200, "60", 60), (200, "", 200), (200, "many", 200), (200, "0", 200)],
)
def test_the_columns_of_a_terminal_are_those_of_the_variable_or_its_own(
    monkeypatch: pytest.MonkeyPatch, reported: int, variable: str, expected: int
) -> None:
    ours, theirs = os.openpty()
    termios.tcsetwinsize(theirs, (30, reported))
    monkeypatch.setenv("COLUMNS", variable)
    with os.fdopen(theirs, "w") as terminal:
        assert columns(terminal) == expected
    os.close(ours)


def test_a_list_of_skills_fills_a_wide_terminal(source: Path) -> None:
    for room in (60, 160):
        lines = plain(on_terminal(source, "list", "--source", "../one", columns=room).text).splitlines()
        assert 0.75 * room < max(len(line) for line in lines if line.startswith("    ")) <= room


def test_a_search_is_cut_to_the_terminal_and_whole_in_a_pipe(run: Run, tmp_path: Path) -> None:
    indexed(run, tmp_path / "one", {"skills/tidy/SKILL.md": skill("tidy", WORDS)})
    assert f"    {WORDS}\n" in run("search", "tidy").out
    lines = on_terminal(tmp_path, "search", "tidy", columns=160).text.splitlines()
    assert max(map(len, lines)) == 160


RUNS = "curl -fsSL https://get.example.net/a/long/way/to/install.sh | sudo bash -s -- --yes"
LONG = {
    "skills/tidy-every-folder-of-the-house/SKILL.md": SKILL.format(
        name="tidy-every-folder-of-the-house", description="Tidy a folder. Use when files lie about."
    )
    + f"\nSee [the guide](references/guide-to-every-folder.md).\n\n```sh\n{RUNS}\n```\n",
    "skills/tidy-every-folder-of-the-house/references/guide-to-every-folder.md": f"# Guide\n\n```sh\n{RUNS}\n```\n",
    "skills/one/SKILL.md": SKILL.format(name="one", description="Do it. Use when asked."),
}


@each_row("columns", [60, 80, 140])
@each_row("command", ["check", "capabilities", "team audit . --out audit", "explain secret", "explain hosts"])
def test_a_report_has_whole_words_in_the_width_of_the_terminal(
    command: str, columns: int, tree: Tree, run: Run
) -> None:
    root = tree(LONG)
    piped = run(*command.split(), cwd=root).out
    shown = plain(on_terminal(root, *command.split(), columns=columns).text)
    examples = {line for line in piped.splitlines() if command == "explain secret" and len(line) > columns}
    for line in shown.splitlines():
        assert len(line) <= columns or len(line.split()) == 1 or line in examples, line
    if command.startswith(("capabilities", "explain")):
        assert shown.split() == piped.split()
