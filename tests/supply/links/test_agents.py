"""The table of agents: as many as others know, by any of their names; those found here; each folder linked once."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.workspace.agents import AGENTS, FOLDERS, known_agents
from skillbag.kernel.workspace.lock_file import read_lock
from skillbag.supply.links.machine import found_agents, user_folder
from tests.rows import each_row
from tests.supply.install.worlds import write
from tests.support import PROJECT, Run

VARIABLES = ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME", "VIBE_HOME", "HERMES_HOME", "AUTOHAND_HOME")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home, without the variables that move parts of it."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    for variable in VARIABLES:
        monkeypatch.delenv(variable, raising=False)
    return folder


def fitting(text: str) -> dict[str, Any]:
    """The JSON of a command, which fits its schema."""
    values: dict[str, Any] = json.loads(text)
    jsonschema.validate(values, json.loads((PROJECT / "schemas/links.schema.json").read_text("utf-8")))
    return values


def test_the_table_has_about_seventy_agents_with_names_of_their_own() -> None:
    called = [name for agent in AGENTS.values() for name in (agent.name, *agent.aliases)]
    assert len(AGENTS) >= 70
    assert len(called) == len(set(called))
    assert list(AGENTS) == sorted(AGENTS)


def test_no_folder_leads_out_of_a_project() -> None:
    for folder in FOLDERS:
        assert ".." not in folder.split("/")
        assert not os.path.isabs(folder)
        assert folder.endswith("skills")


@each_row(
    ("word", "name"),
    [
        ("claude-code", "claude"),
        ("Claude Code", "claude"),
        ("github-copilot", "copilot"),
        ("gemini-cli", "gemini"),
        ("Roo_Code", "roo"),
        ("inference.sh", "inference-sh"),
        ("windsurf", "windsurf"),
    ],
)
def test_an_agent_has_several_names(word: str, name: str) -> None:
    assert known_agents([word, name]) == (name,)


@each_row(("word", "meant"), [("clade", "claude"), ("wind-surf", "windsurf"), ("gemni-cli", "gemini")])
def test_a_mistyped_agent_is_answered_with_the_one_that_is_meant(word: str, meant: str) -> None:
    with pytest.raises(UserError, match=f"did you mean .*{meant}"):
        known_agents([word])


def test_all_agents_are_linked_each_folder_once(run: Run, workspace: Path) -> None:
    outcome = run("link", "--agents", "all", "--json", cwd=workspace)
    values = fitting(outcome.out)
    assert outcome.code == 0
    assert values["agents"] == sorted(AGENTS)
    assert sorted(row["path"] for row in values["links"]) == sorted(f"{folder}/tidy" for folder in FOLDERS)
    lock = json.loads((workspace / "skillbag.lock").read_text("utf-8"))
    jsonschema.validate(lock, json.loads((PROJECT / "schemas/lock.schema.json").read_text("utf-8")))
    assert run("check", "--select", "agent-link-stale", cwd=workspace).code == 0
    assert run("unlink", cwd=workspace).code == 0
    assert sorted(os.listdir(workspace)) == [".skills", "SKILLBAG.md"]


def test_a_folder_that_is_a_link_is_left_out_of_all_and_refused_by_name(run: Run, workspace: Path) -> None:
    (workspace / ".claude").mkdir()
    (workspace / ".claude/skills").symlink_to("../.skills")
    assert run("link", "--agents", "all", cwd=workspace).code == 0
    assert "claude" not in fitting(run("link", "--json", cwd=workspace).out)["agents"]
    assert run("link", "--agents", "claude-code", cwd=workspace).code == 2


def test_the_detected_agents_are_those_with_a_sign_here(run: Run, workspace: Path, home: Path) -> None:
    assert "no agent is found" in run("link", "--agents", "detected", cwd=workspace).err
    (home / ".codeium/windsurf").mkdir(parents=True)
    (home / ".config/goose").mkdir(parents=True)
    write(workspace, {".continue/config.json": "{}", "package.json": '{"devDependencies": {"eve": "^1"}}'})
    (workspace / "agent").mkdir()
    assert [agent.name for agent in found_agents(str(workspace))] == ["continue", "eve", "goose", "windsurf"]
    assert run("link", "--agents", "detected", cwd=workspace).code == 0
    lock = read_lock(str(workspace))
    assert lock is not None
    assert lock.links is not None
    assert lock.links.agents == ("continue", "eve", "goose", "windsurf")


@pytest.mark.parametrize("text", ["", "[", "[]", '{"dependencies": []}', '{"dependencies": {"evening": "1"}}'])
def test_a_file_of_packages_that_names_no_agent_shows_none(tmp_path: Path, home: Path, text: str) -> None:
    write(tmp_path / "project", {"package.json": text})
    assert found_agents(str(tmp_path / "project")) == ()


def test_variables_move_the_folders_of_agents(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert user_folder(AGENTS["claude"]) == str(home / ".claude/skills")
    assert user_folder(AGENTS["amp"]) == str(home / ".config/agents/skills")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home / "c"))
    monkeypatch.setenv("CODEX_HOME", "~/x")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "xdg"))
    assert user_folder(AGENTS["claude"]) == str(home / "c/skills")
    assert user_folder(AGENTS["codex"]) == str(home / "x/skills")
    assert user_folder(AGENTS["amp"]) == str(home / "xdg/agents/skills")
    assert user_folder(AGENTS["eve"]) is None
    (home / "c").mkdir()
    assert [agent.name for agent in found_agents()] == ["claude"]


def test_of_several_folders_of_a_user_the_one_in_use_counts(home: Path) -> None:
    assert user_folder(AGENTS["openclaw"]) == str(home / ".openclaw/skills")
    (home / ".moltbot").mkdir()
    assert user_folder(AGENTS["openclaw"]) == str(home / ".moltbot/skills")


def test_the_list_shows_folders_what_is_found_and_what_is_linked(run: Run, workspace: Path, home: Path) -> None:
    (home / ".cursor").mkdir()
    run("link", "--agents", "kiro", cwd=workspace)
    rows = {row["name"]: row for row in fitting(run("link", "--list", "--json", cwd=workspace).out)["agents"]}
    assert len(rows) == len(AGENTS)
    assert [name for name, row in rows.items() if row["found"]] == ["cursor"]
    assert [name for name, row in rows.items() if row["linked"]] == ["kiro-cli"]
    text = run("link", "--list", "--agents", "cursor,kiro", cwd=workspace).out
    assert [line.split()[0] for line in text.splitlines()] == ["cursor", "kiro-cli"]
    assert "found here" in text.splitlines()[0]
    assert "linked" in text.splitlines()[1]
    assert run("link", "--list", "--agents", "detected", cwd=workspace).out.split()[0] == "cursor"


def test_the_list_needs_no_workspace(run: Run, tmp_path: Path, home: Path) -> None:
    outcome = run("link", "--list", cwd=tmp_path)
    assert outcome.code == 0
    assert len(outcome.out.splitlines()) == len(AGENTS)


def test_init_says_which_agents_it_writes_for(run: Run, tmp_path: Path) -> None:
    outcome = run("init", "--agents", "windsurf", cwd=tmp_path)
    assert outcome.code == 2
    assert "nothing to write for windsurf" in outcome.err
    assert run("init", "--agents", "claude-code", "--hooks", cwd=tmp_path).code == 0
    assert (tmp_path / "CLAUDE.md").exists()


def test_mistakes_fit_the_schema(run: Run, workspace: Path) -> None:
    assert "did you mean" in fitting(run("link", "--agents", "claud", "--json", cwd=workspace).out)["error"]
    assert "which agents" in fitting(run("link", "--json", cwd=workspace).out)["error"]
