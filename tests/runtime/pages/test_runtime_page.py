"""What `docs/runtime.md` shows: its skills, its session and its Python, carried out in a copy of the examples. The
tutorial is in `test_runtime_tutorial.py`."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from skillbag.agents.settings.runtime_settings import runtime_settings
from skillbag.doors.cli import person
from skillbag.kernel.manifest.names import BackendKind, Permission
from tests.doors.cli.terminals import on_terminal, plain
from tests.project.pages import Block, Shown, blocks, read, typed
from tests.supply.install.worlds import write
from tests.support import PROJECT, Run

pytestmark = pytest.mark.skipif(os.name != "posix", reason="skills run in process groups")

PAGE = read(PROJECT / "docs/runtime.md")
TUTORIAL = PAGE.partition("## Tutorial\n")[2].partition("\n## ")[0]
ASKS = "Answer ("
PLACE = "/tmp/examples"
"""Where the page says that the copy lies."""

_NAMED = re.compile(r"# (\S+)\n")
_DAY = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?")
_TOKENS = re.compile(r"(Prompt: |included  )\d+")
_RUN = re.compile(r'"run": \d+')
_LASTED = re.compile(r"\(\d+\.\d s\)")
_SECONDS = re.compile(r'"(at|seconds)": [\d.e-]+')


def shown(*languages: str) -> list[Block]:
    return [block for block in blocks(*languages) if block.page == "runtime.md" and block.body not in TUTORIAL]


def files() -> dict[str, str]:
    """The files that the page shows, by their paths in the workspace; `input.json` has no line to name it."""
    named = {match[1]: block.body for block in shown("yaml", "starlark") if (match := _NAMED.match(block.body))}
    (schema,) = shown("json")
    return named | {".skills/find-todos/input.json": schema.body}


def session() -> list[tuple[Shown, bool]]:
    """The lines that are typed, and whether that must be on a terminal; without the one that asks there."""
    found = [(block.language == "tty", block._replace(language="console")) for block in shown("console", "tty")]
    return [(line, terminal) for terminal, block in found if ASKS not in block.body for line in typed(block)]


def reported(text: str, workspace: Path) -> str:
    """The text as the page has it: at its place, and at one time. The prompt has the skill's folder, so its tokens
    depend on that."""
    text = text.replace(str(workspace.parent), PLACE)
    text = _DAY.sub(lambda at: "2026-01-31T12:00:00" + (".000" if at[1] else ""), text)
    text = _TOKENS.sub(r"\g<1>140", text)
    text = _LASTED.sub("(0.2 s)", text)
    return _RUN.sub('"run": 1', _SECONDS.sub(r'"\1": 0.05', text))


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the workspace among the examples."""
    monkeypatch.delenv("SKILLBAG_SESSION", raising=False)
    shutil.copytree(PROJECT / "examples", tmp_path / "examples")
    return tmp_path / "examples" / "workspace"


def type_line(line: str, run: Run, workspace: Path) -> tuple[str, int]:
    """What a line prints, errors included, and its exit code."""
    program, *arguments = shlex.split(line)
    if program == "skillbag":
        outcome = run(*arguments, cwd=workspace)
        return reported(outcome.out + outcome.err, workspace), outcome.code
    done = subprocess.run(["sh", "-c", line], cwd=workspace, capture_output=True, text=True, check=False)
    return reported(done.stdout + done.stderr, workspace), done.returncode


def test_the_session_prints_what_the_page_shows(run: Run, workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (first, _), *steps = session()
    assert type_line(first.line, run, workspace) == (first.output, first.exit)
    write(workspace, files())
    assert {step.exit for step, _ in steps} == {0, 1, 3}
    for step, terminal in steps:
        monkeypatch.setattr(person, "is_present", lambda terminal=terminal: terminal)
        assert type_line(step.line, run, workspace) == (step.output, step.exit), step.line


def test_the_question_on_a_terminal_is_the_one_that_the_page_shows(run: Run, workspace: Path) -> None:
    assert type_line(session()[0][0].line, run, workspace)[1] == 0
    write(workspace, {**files(), "docs/guide.md": "TODO: say how to install it\n"})
    (step,) = (
        line for block in shown("tty") if ASKS in block.body for line in typed(block._replace(language="console"))
    )
    prompt, answer = re.findall(r"(Answer .*: )(.*\n)", step.output)[0]
    _, *arguments = shlex.split(step.line)
    ended = on_terminal(workspace, *arguments, answer=answer, prompt=prompt)
    assert (plain(ended.text), ended.code) == (step.output, step.exit)


def test_the_session_or_the_table_has_every_command(run: Run) -> None:
    listed = run("runtime", "--help").out.partition("Find:")[2].partition("Examples:")[0]
    commands = set(re.findall(r"^  ([a-z]+) ", listed, re.MULTILINE))
    # What agents call is on the page about them.
    assert commands - {"hook", "host"} == set(re.findall(r"`skillbag runtime ([a-z]+)", PAGE))


def test_the_python_prints_what_the_page_shows(run: Run, workspace: Path) -> None:
    assert type_line(session()[0][0].line, run, workspace)[1] == 0
    write(workspace, {**files(), "docs/guide.md": "TODO: say how to install it\n"})
    (code,) = (block.body for block in shown("python") if "open_runtime" in block.body)
    (output,) = shown("text")
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=workspace, capture_output=True, text=True, timeout=300, check=False)
    assert (done.stdout, done.stderr) == (output.body, "")


@pytest.mark.usefixtures("a_person")
def test_the_plugin_that_is_shown_works(run: Run, workspace: Path) -> None:
    (code,) = (block.body for block in shown("python") if "new_skill" in block.body)
    manifest = (
        "name: count-words\nversion: 1.0.0\ndescription: Count words.\ntypes: [tool]\npermissions: [file:read]\n"
        "implementation: {backend: plugin, entrypoint: skill.py}\n"
    )
    write(workspace, {".skills/count-words/SKILL.yaml": manifest, ".skills/count-words/skill.py": code})
    words = ("--skill", "count-words", "--approve-skills", "count-words")
    outcome = run("runtime", "call", "count_words", '{"path": "CONTEXT.md"}', *words, cwd=workspace)
    assert (outcome.code, outcome.out) == (0, f"{len((workspace / 'CONTEXT.md').read_text().split())}\n"), outcome


def test_the_workspace_settings_that_are_shown_count(workspace: Path) -> None:
    (toml,) = shown("toml")
    write(workspace, {"skillbag.toml": toml.body})
    settings = runtime_settings(str(workspace))
    assert (settings.project_denied, settings.sandbox) == (frozenset({"kubernetes"}), "require")
    assert settings.per_turn[Permission.SHELL_EXEC] == 5


def test_every_backend_is_described() -> None:
    rows = PAGE.partition("## Backends")[2].partition("## Settings")[0]
    assert re.findall(r"^\| `(\w+)` \| ", rows.partition("###")[0], re.MULTILINE) == list(BackendKind)
