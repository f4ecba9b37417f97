"""`skillbag doctor`: what works here, why, and what to do."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from skillbag.doors.cli import doctor_facts
from tests.doors.cli.terminals import on_terminal, plain
from tests.supply.install.worlds import make_workspace, write
from tests.support import PROJECT, Run

VALIDATOR = Draft202012Validator(json.loads((PROJECT / "schemas/doctor.schema.json").read_text("utf-8")))
SECRET = "hunter2-hunter2"


def facts(run: Run, cwd: Path, code: int = 0) -> dict[str, tuple[str, str, str]]:
    done = run("doctor", "--json", cwd=cwd)
    answer = json.loads(done.out)
    VALIDATOR.validate(answer)
    assert (done.code, answer["exit"]) == (code, code), done.out
    return {fact["subject"]: (fact["status"], fact["found"], fact["todo"]) for fact in answer["facts"]}


def test_what_is_found_and_why(run: Run, tmp_path: Path) -> None:
    root = make_workspace(tmp_path / "work")
    write(root, {"skillbag.toml": 'ignore = ["links"]\n', "deep/er/x": "", ".claude/settings.json": "{}"})
    found = facts(run, root / "deep/er")
    assert found["workspace"][1].startswith(f"{root} (a workspace: SKILLBAG.md")
    assert found["configuration"][1] == f"{root / 'skillbag.toml'} (the nearest one above this folder)"
    assert "Claude Code (claude)" in found["agents"][1]
    assert found["cache"][1].startswith(os.environ["SKILLBAG_CACHE_DIR"])
    assert found["SKILLBAG_CACHE_DIR"][1] == os.environ["SKILLBAG_CACHE_DIR"]
    assert {"python", "environment", "skillbag", "extra mcp", "git", "settings", "sandbox", "terminal"} <= found.keys()
    assert {status for status, _, _ in found.values()} <= {"ok", "note"}


@pytest.mark.parametrize("kind", ["workspace", "repository", "folder"])
@pytest.mark.parametrize(
    ("path", "name"),
    [
        (".claude/settings.json", "Claude Code (claude)"),
        (".claude/skills/own/SKILL.md", "Claude Code (claude)"),
        (".cursor/rules/x.mdc", "Cursor (cursor)"),
        (".codex/config.toml", "Codex (codex)"),
        (".gemini/settings.json", "Gemini CLI (gemini)"),
        (".windsurf/rules/x.md", "Windsurf (windsurf)"),
        (".kiro/steering/x.md", "Kiro CLI (kiro-cli)"),
    ],
)
def test_a_projects_folder_shows_its_agent(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, path: str, name: str
) -> None:
    root, home = tmp_path / "work", tmp_path / "home"
    for variable in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("HOME", str(home))
    write(home, {"x": ""})
    write(root, {path: "x\n", "deep/x": "", **({"SKILLBAG.md": "SkillBag v0.3.0\n"} if kind == "workspace" else {})})
    if kind == "repository":
        (root / ".git").mkdir()
    assert facts(run, root if kind == "folder" else root / "deep")["agents"] == ("ok", name, "")


def test_outside_of_a_workspace(run: Run, tmp_path: Path) -> None:
    found = facts(run, tmp_path)
    assert found["workspace"][0] == "note"
    assert "skillbag init" in found["workspace"][2]
    assert found["configuration"][1].startswith("defaults: no skillbag.toml")


def test_broken_files_are_problems_and_the_rest_is_shown(run: Run, tmp_path: Path) -> None:
    write(tmp_path, {"skillbag.toml": "ignor = 1\n"})
    write(Path(os.environ["SKILLBAG_CONFIG_DIR"]), {"settings.json": "{"})
    write(Path(os.environ["SKILLBAG_CACHE_DIR"]).parent, {"cache": "a file"})
    found = facts(run, tmp_path, code=1)
    for subject, name in (("configuration", "skillbag.toml"), ("settings", "settings.json"), ("cache", "cache")):
        status, text, todo = found[subject]
        assert (status, name in text, todo != "") == ("problem", True, True)
    assert found["git"][0] == "ok"


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("", "not found on PATH"),
        ("exit 1", "does not start"),
        ("echo git version 1.8.3", "1.8.3 at "),
        ("echo hello", "of unknown version at "),
    ],
)
def test_git(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str, said: str) -> None:
    if program:
        path = write(tmp_path / "bin", {"git": f"#!/bin/sh\n{program}\n"}) / "git"
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    problem = program in ("", "exit 1")
    status, found, todo = facts(run, tmp_path, code=int(problem))["git"]
    assert said in found
    assert status == ("problem" if problem else "note" if "1.8" in program else "ok")
    assert bool(todo) is (status != "ok")


def test_a_missing_extra_says_what_it_would_bring(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor_facts, "find_spec", lambda _: None)
    assert facts(run, tmp_path)["extra mcp"] == (
        "note",
        "not installed (mcp)",
        "For skillbag agent mcp: pip install 'skillbag[mcp]'",
    )


def test_no_secret_is_shown(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTPS_PROXY", "https_proxy", "SKILLBAG_REGISTRY_TOKEN", "SKILLBAG_SCRIPT_ENV"):
        monkeypatch.setenv(name, f"http://user:{SECRET}@h.example:1")
    # Nothing masks a value that has no form of an address.
    monkeypatch.setenv("SKILLBAG_TOKEN", SECRET)
    for arguments in ((), ("--json",)):
        done = run("doctor", *arguments, cwd=tmp_path)
        assert SECRET not in done.out + done.err
        assert "SKILLBAG_REGISTRY_TOKEN" in done.out


def test_on_a_terminal(tmp_path: Path) -> None:
    ended = on_terminal(tmp_path, "doctor", columns=120)
    assert "\x1b[1;32mok     \x1b[0m  python" in ended.text
    assert "terminal: 120 columns, colours, no hyperlinks" in plain(ended.text)
    assert "no colours" in on_terminal(tmp_path, "doctor", NO_COLOR="1").text
