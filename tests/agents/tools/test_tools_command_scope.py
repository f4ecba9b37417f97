"""`skillbag agent tool`: definitions, what an agent can reach, and the process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.agents.tools.calls import called, world
from tests.session.bags import bag, skill_md
from tests.supply.install.worlds import write
from tests.support import Run


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return world(tmp_path)


# Definitions.


def test_the_list_names_each_tool_with_its_description(root: Path, run: Run) -> None:
    lines = run("tool", "--list", cwd=root).out.splitlines()
    assert lines[0].startswith("skill_marketplace: Find, install and remove skills")
    assert lines[-2:] == ["skill_apple: Does it.", "skill_pear: Does it."]
    _, values = called(run, root, "--list")
    assert [entry["name"] for entry in values["tools"]] == [line.split(":")[0] for line in lines]
    assert all(entry.keys() >= {"name", "description", "parameters", "result"} for entry in values["tools"])


def test_what_a_user_should_know_of_the_skills_stands_below_the_list(tmp_path: Path, run: Run) -> None:
    root = bag(tmp_path, ["add"])
    message = "the skill add has no tool, since skill_add is a tool of skillbag's own; rename the skill"
    assert run("tool", "--list", cwd=root).out.splitlines()[-1] == f"Note: {message}"
    assert called(run, root, "--list")[1]["remarks"] == [message]


def test_the_schema_of_a_tool_is_its_definition_and_calls_nothing(root: Path, run: Run) -> None:
    definition = json.loads(run("tool", "read_skill_file", "--schema", cwd=root).out)
    assert definition in called(run, root, "--list")[1]["tools"]
    assert definition["parameters"]["required"] == ["skill", "path"]
    assert run("tool", "remember", "--schema", cwd=root).code == 0
    assert not (root / "USER_CONTEXT.md").exists()


# What an agent can reach.


def test_options_and_the_environment_say_what_an_agent_can_reach(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = world(tmp_path / "w")
    personal = write(tmp_path / "p", {"grape/SKILL.md": skill_md("grape", "Grapes.")})
    (tmp_path / "elsewhere").mkdir()
    listed = run("tool", "--list", "--workspace", root, "--personal", personal, cwd=tmp_path / "elsewhere").out
    assert "skill_apple: " in listed
    assert "skill_grape: " in listed
    monkeypatch.setenv("SKILLBAG_WORKSPACE", str(root))
    monkeypatch.setenv("SKILLBAG_PERSONAL_DIR", str(personal))
    assert run("tool", "--list", cwd=tmp_path / "elsewhere").out == listed
    monkeypatch.setenv("SKILLBAG_SESSION_TYPE", "other")
    others = run("tool", "--list", cwd=tmp_path / "elsewhere").out
    assert "skill_apple: " in others
    assert "skill_grape: " not in others
    assert "skill_add: " not in others


def test_personal_skills_that_are_named_count_from_the_current_folder(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"p/grape/SKILL.md": skill_md("grape", "Grapes."), "w/x": ""})
    (tmp_path / "w/x").unlink()
    assert "skill_grape: " in run("tool", "--list", "--personal", "p", cwd=tmp_path).out
    assert "skill_grape: " in run("tool", "--list", "--personal", "../p", cwd=tmp_path / "w").out
    assert "skill_grape: " not in run("tool", "--list", "--personal", "", cwd=tmp_path).out
    monkeypatch.setenv("SKILLBAG_PERSONAL_DIR", "p")
    outcome = run("tool", "--list", cwd=tmp_path)
    assert outcome.code == 2
    assert "SKILLBAG_PERSONAL_DIR: 'p' is no absolute path" in outcome.err


# Without personal skills.
@pytest.fixture(params=["settings", "settings that are none", "root"])
def trouble(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The user's settings or the personal root can't be read; what is to be told of it."""
    if request.param == "root":
        write(tmp_path, {"file": ""})
        monkeypatch.setenv("SKILLBAG_PERSONAL_DIR", str(tmp_path / "file"))
        return f"{tmp_path}/file: this is not a folder"
    monkeypatch.delenv("SKILLBAG_PERSONAL_DIR")
    settings = Path(os.environ["SKILLBAG_CONFIG_DIR"]) / "settings.json"
    if request.param == "settings":
        write(settings.parent, {settings.name: '{"personal": {"root": "relative"}}'})
    else:
        settings.mkdir(parents=True)
    return f"{settings}:1: "


def test_the_projects_skills_stay_where_personal_ones_can_not_be_read(tmp_path: Path, run: Run, trouble: str) -> None:
    root = world(tmp_path / "w")
    outcome = run("tool", "--list", cwd=root)
    assert outcome.code == 0
    assert "\nskill_apple: " in outcome.out
    assert f"\nNote: {trouble}" in outcome.out
    file = '{"skill": "apple", "path": "SKILL.md"}'
    for call in (["skill_apple"], ["read_skill_file", file], ["skill_marketplace", '{"action": "list_installed"}']):
        assert run("tool", *call, cwd=root).code == 0


def test_what_needs_personal_skills_says_why_there_are_none(tmp_path: Path, run: Run, trouble: str) -> None:
    root = world(tmp_path / "w")
    calls = (
        ["skill_grape"],
        ["read_skill_file", '{"skill": "grape", "path": "SKILL.md"}'],
        ["skill_add", '{"path": ".skills/apple"}'],
        ["skill_remove", '{"name": "grape"}'],
    )
    for call in calls:
        outcome = run("tool", *call, cwd=root)
        assert outcome.code == 1, call
        assert outcome.out.startswith(f"Error: {trouble}")


def test_the_plugin_goes_on_where_personal_skills_can_not_be_read(tmp_path: Path, run: Run, trouble: str) -> None:
    outcome = run("agent", "plugin", "--schema", cwd=world(tmp_path / "w"))
    assert "skill_apple" in [tool["name"] for tool in json.loads(outcome.out)]
    assert trouble in outcome.err


def test_a_session_goes_on_from_call_to_call(root: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("tool", "enter", "--session", "s1", cwd=root).code == 0
    assert run("tool", "refresh", "--session", "s1", cwd=root).out == "Nothing has changed.\n"
    monkeypatch.setenv("SKILLBAG_SESSION", "s1")
    assert run("tool", "refresh", cwd=root).out == "Nothing has changed.\n"
    assert "call enter first" not in run("tool", "skill_apple", cwd=root).out


# As a process.


def test_standard_input_that_is_never_written_is_not_waited_for(root: Path) -> None:
    code = "from skillbag.doors.cli import main, stdin; stdin.piped_input.__defaults__ = (0.2,); main()"
    command = [sys.executable, "-c", code, "tool", "skill_apple"]
    with subprocess.Popen(command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stdout.read().startswith(b"# Skill: apple\n")
        assert process.wait(300) == 0


def test_a_reader_that_goes_away_is_no_fault(tmp_path: Path) -> None:
    root = bag(tmp_path, ["apple"], {".skills/apple/long.txt": "long\n" * 100_000})
    command = [
        sys.executable,
        "-m",
        "skillbag",
        "agent",
        "tool",
        "read_skill_file",
        '{"skill": "apple", "path": "long.txt"}',
    ]
    process = subprocess.Popen(
        command, cwd=root, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout
    assert process.stdout.readline() == b"long\n"
    process.stdout.close()
    _, error = process.communicate(timeout=300)
    assert (process.returncode, error) == (0, b"")
