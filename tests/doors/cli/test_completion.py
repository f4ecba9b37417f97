"""`skillbag self completion`: what shells complete, in the shells themselves where they are installed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from skillbag.doors.cli.app import app
from skillbag.doors.cli.completing import SHELLS, completer
from skillbag.doors.cli.completion_values import VALUES
from skillbag.kernel.workspace.agents import AGENTS
from skillbag.lint.rules.builtin import load_rules
from tests.doors.cli.shells import completed
from tests.doors.cli.test_help import commands
from tests.supply.install.worlds import make_workspace, write
from tests.support import Run, skill


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    root = make_workspace(tmp_path / "work")
    lock = {"version": 1, "skills": {"locked-only": {}, "$(touch x)": {}}}
    return write(root, {".skills/tidy-folders/SKILL.md": skill("tidy-folders"), "skillbag.lock": json.dumps(lock)})


def values(line: str) -> list[str]:
    words = line.split(" ")
    return [item.value for item in completer("bash", app).get_completions(words[1:-1], words[-1])]


def ask(monkeypatch: pytest.MonkeyPatch, shell: str, *words: str) -> None:
    """Set the variables with which a script asks for the last of the words."""
    variables = {"_SKILLBAG_COMPLETE": f"{shell}_complete", "COMP_WORDS": " ".join(words)}
    for name, value in (variables | {"COMP_CWORD": str(len(words) - 1)}).items():
        monkeypatch.setenv(name, value)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("skillbag chec", "check"),
        ("skillbag runtime cal", "call"),
        ("skillbag check --stri", "--strict"),
        ("skillbag check --format=sa", "--format=sarif"),
        ("skillbag check --select root,catalog-uns", "root,catalog-unsorted"),
        ("skillbag check --select=root,catalog-uns", "--select=root,catalog-unsorted"),
        ("skillbag explain catalog-uns", "catalog-unsorted"),
        ("skillbag remove ti", "tidy-folders"),
        ("skillbag agent link --agents dete", "detected"),
        ("skillbag check SKILLB", "SKILLBAG.md"),
        ("skillbag tree --why x --workspace .sk", ".skills"),
    ],
)
def test_a_line_is_completed_in_a_real_shell(workspace: Path, shell: str, line: str, word: str) -> None:
    *before, last = completed(shell, line, workspace)
    assert (*before, last.removesuffix("/")) == (*line.split()[:-1], word)


def test_names_of_the_workspace(workspace: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(workspace)
    for command in ("remove", "update", "tree --why", "diff", "run", "runtime info"):
        assert {"locked-only", "tidy-folders"} <= set(values(f"skillbag {command} ")), command
    monkeypatch.chdir(tmp_path)
    assert values("skillbag remove ") == []
    assert "tidy-folders" in values("skillbag remove --workspace work ")


def test_a_name_that_a_shell_would_run_is_left_out(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(workspace)
    write(workspace, {".skills/a;b/SKILL.md": "x", ".skills/`c`/SKILL.md": "x", ".skills/d e/SKILL.md": "x"})
    assert values("skillbag remove ") == ["locked-only", "tidy-folders"]


def test_rules_sources_and_agents(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, {"skillbag.toml": 'rules = ["team"]\n', "team/house/no-jargon.yaml": ""})
    everything = set(values("skillbag check --ignore "))
    assert everything >= {rule.id for rule in load_rules()} | {"standard", "links", "no-jargon"}
    assert set(values("skillbag init --agents ")) >= set(AGENTS)
    assert run("team", "marketplace", "add", "https://example.com/team/skills.git", "--name", "team").code == 0
    assert "https://example.com/team/skills.git" in values("skillbag add x --source ")
    assert values("skillbag team marketplace update ") == ["team"]
    assert values("skillbag search x --source t") == ["team"]


@pytest.mark.parametrize(
    "line", ["", "skillbag", "skillbag zzz ", "skillbag check 'a", "skillbag remove --json --x", "x y z"]
)
def test_a_broken_line_is_no_error(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str) -> None:
    ask(monkeypatch, "bash", *line.split(" "))
    done = run(cwd=tmp_path)
    assert (done.code, done.err) == (0, "")


def test_a_request_of_another_protocol_is_no_error(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for instruction in ("bash", "tcsh_complete", "bash_complete"):
        monkeypatch.setenv("_SKILLBAG_COMPLETE", instruction)
        done = run()
        assert (done.code, done.out, done.err) == (0, "", "")


@pytest.mark.parametrize("last", ["=", "sa"])
def test_bash_gives_an_option_and_its_value_as_words(run: Run, monkeypatch: pytest.MonkeyPatch, last: str) -> None:
    ask(monkeypatch, "bash", *["skillbag", "check", "--format"], *dict.fromkeys(("=", last)))
    assert "plain,sarif" in run().out.splitlines()


def test_fish_keeps_what_follows_a_comma(run: Run) -> None:
    assert 'string split -m 1 "," $completion' in run("self", "completion", "fish").out


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_of_a_shell(run: Run, shell: str, monkeypatch: pytest.MonkeyPatch) -> None:
    script = run("self", "completion", shell).out
    assert "_SKILLBAG_COMPLETE" in script or f"{shell}_complete" in script
    answer = json.loads(run("self", "completion", shell, "--json").out)
    assert (answer["command"], answer["shell"], answer["script"]) == ("completion", shell, script)
    monkeypatch.setenv("SHELL", f"/usr/bin/{shell}")
    assert run("self", "completion").out == script
    assert f"skillbag self completion {shell}" in run("self", "completion", "--help").out


def test_an_unknown_shell(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHELL", "/bin/tcsh")
    done = run("self", "completion")
    assert (done.code, f"ive one: {', '.join(SHELLS)}" in done.err) == (2, True)
    assert "'tcsh' is not one of" in run("self", "completion", "tcsh").err


def test_every_source_of_values_is_for_a_parameter() -> None:
    known = {" ".join(words): command for words, command in commands(every=True)}
    options = {name for command in known.values() for parameter in command.params for name in parameter.opts}
    for command, name in VALUES:
        assert name in ({o for p in known[command].params for o in (*p.opts, p.name)} if command else options)


@pytest.mark.parametrize("line", ["skillbag ", "skillbag remove t", "skillbag check --select r", "skillbag runtime "])
def test_little_is_imported_for_an_answer(workspace: Path, line: str) -> None:
    program = "import sys; from skillbag.doors.cli import main\ntry: main()\nexcept SystemExit: print(*sys.modules)"
    number = str(len(line.split(" ")) - 1)
    variables = {"_SKILLBAG_COMPLETE": "bash_complete", "COMP_WORDS": line, "COMP_CWORD": number}
    environment = {**os.environ, **variables, "PYTHONPATH": os.getcwd()}
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=workspace,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.stdout
    heavy = {
        "jsonschema",
        "httpx",
        "httpx2",
        "yaml",
        "sqlite3",
        "asyncio",
        "skillbag.lint.engine.lint",
        "skillbag.doors.cli.install",
    }
    assert heavy.isdisjoint(done.stdout.split())
