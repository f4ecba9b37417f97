"""What `docs/lifecycle.md` shows: its session, its Python and its YAML, carried out in a copy of the examples."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support import PROJECT, Run, Tree, skill

PAGE = (PROJECT / "docs/lifecycle.md").read_text("utf-8")
DESCRIPTION = "Tidy a folder. Use when files lie about."
PLACE = "/tmp/examples"
"""Where the page says that the copy lies."""

_FENCE = re.compile(r"^(`{3,})(\w+)\n(.*?)^\1$", re.DOTALL | re.MULTILINE)
_EXIT = re.compile(r"# exit (\d+)\n\Z")


class Shown(NamedTuple):
    """A command line of the page, with the output and the exit code that it shows."""

    line: str
    output: str
    exit: int


def blocks(language: str) -> list[str]:
    return [body for _, info, body in _FENCE.findall(PAGE) if info == language]


def session() -> Iterator[Shown]:
    for typed in re.split(r"^\$ ", "".join(blocks("console")), flags=re.MULTILINE)[1:]:
        line, _, output = typed.partition("\n")
        ended = _EXIT.search(output)
        yield Shown(line, _EXIT.sub("", output), int(ended[1]) if ended else 0)


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the workspace among the examples; `skillbag` is this program."""
    shutil.copytree(PROJECT / "examples", tmp_path / "examples")
    program = tmp_path / "bin" / "skillbag"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m skillbag "$@"\n', "utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.delenv("SKILLBAG_SESSION", raising=False)
    return tmp_path / "examples" / "workspace"


def on_a_terminal(line: str, folder: Path) -> tuple[str, int]:
    pty, termios = pytest.importorskip("pty"), pytest.importorskip("termios")
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 80))
    with subprocess.Popen(["sh", "-c", line], cwd=folder, stdin=theirs, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        seen = b"".join(_pieces(ours))
        os.close(ours)
        return seen.decode().replace("\r\n", "\n"), process.wait(timeout=300)


def _pieces(terminal: int) -> Iterator[bytes]:
    try:
        while piece := os.read(terminal, 65_536):
            yield piece
    except OSError:
        # No process has the other end open any more.
        return


@pytest.mark.proves("lifecycle", "entry.order", "naming.invocation", "refresh.trigger", "resolution.skill-conflict")
def test_the_session_prints_what_the_page_shows(run: Run, workspace: Path) -> None:
    steps = list(session())
    assert {step.exit for step in steps} == {0, 3}
    for step in steps:
        program, *arguments = shlex.split(step.line)
        if program == "skillbag":
            outcome = run(*arguments, cwd=workspace)
            printed, code = outcome.out + outcome.err, outcome.code
        else:
            done = subprocess.run(["sh", "-c", step.line], cwd=workspace, capture_output=True, text=True, check=False)
            printed, code = done.stdout + done.stderr, done.returncode
        assert (printed.replace(str(workspace.parent), PLACE), code) == (step.output, step.exit), step.line


@pytest.mark.nightly
def test_the_session_prints_the_same_on_a_terminal(workspace: Path) -> None:
    for step in session():
        printed, code = on_a_terminal(step.line, workspace)
        assert (printed.replace(str(workspace.parent), PLACE), code) == (step.output, step.exit), step.line


def test_the_session_shows_every_command_of_the_lifecycle() -> None:
    commands = set(re.findall(r"\bskillbag (?:session )?(\w+)", "\n".join(step.line for step in session())))
    assert commands == {"enter", "resolve", "run", "order", "winner", "turn", "remember", "forget"}


def test_the_python_prints_what_the_page_shows(workspace: Path) -> None:
    (code,) = blocks("python")
    (output,) = blocks("text")
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=workspace, capture_output=True, text=True, timeout=300, check=False
    )
    assert (done.stdout, done.stderr) == (output, "")


def test_the_yaml_that_is_shown_is_sound(tree: Tree, run: Run) -> None:
    project, user, parameters = (f"```yaml\n{block}```\n" for block in blocks("yaml"))
    names = ("check-links", "convert-to-pdf", "deploy-site", "format-code", "last-look", "lint-code", "release-notes")
    skills = {f".skills/{name}/SKILL.md": skill(name) for name in names}
    skills[".skills/convert-to-pdf/SKILL.md"] += f"\n## Parameters\n\n{parameters}"
    catalog = "".join(f"{name}: {DESCRIPTION}\n" for name in names)
    contexts = {"SKILLBAG.md": "SkillBag v0.3.0\n", "CONTEXT.md": project, "USER_CONTEXT.md": user}
    root = tree({**contexts, ".skills/SKILLS.md": catalog, **skills, "docs/a.md": "A page.\n"})
    resolved = run("resolve", "convert-to-pdf", "--set", "page-size=a4", "--set", "confirm=convert-to-pdf", cwd=root)
    assert (resolved.code, resolved.err) == (0, ""), resolved
    assert "input-path = docs/a.md (discovered" in resolved.out
    assert "page-size = a4 (conversation)" in resolved.out
    ordered = run("order", "last-look", "format-code", cwd=root)
    assert ordered.out.split() == ["check-links", "last-look", "format-code"]
    assert run("winner", "format-code", "lint-code", cwd=root).out.startswith("lint-code\n")
