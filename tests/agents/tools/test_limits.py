"""The hook that holds the skill in use to its `allowed-tools`, in events as Claude Code sends them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.agents.tools.limits_world import Claude
from tests.supply.install.worlds import write


@pytest.fixture
def claude(tmp_path: Path) -> Claude:
    claude = Claude(tmp_path)
    claude.has("look", "Read, Bash(git:*)")
    claude.has("write", "Write")
    claude.has("free", None)
    return claude


def test_without_a_skill_in_use_nothing_is_decided_or_written(claude: Claude) -> None:
    assert claude.calls("Bash", command="rm -r x") is None
    assert claude.says("hello") == {}
    assert not (claude.folder / "state").exists()


def test_a_skill_that_is_called_limits_the_calls_until_the_next_message(claude: Claude) -> None:
    assert claude.calls("Skill", skill="look", args="x") is None
    assert claude.calls("Read", file_path=str(claude.root / "a")) is None
    assert claude.calls("Bash", command="git status") is None
    assert claude.calls("TodoWrite", todos=[]) is None
    refused = claude.calls("Bash", command="rm x")
    assert refused is not None
    assert refused.startswith("Tool 'Bash' is not allowed while skill 'look' is active. Allowed tools: Read")
    assert refused.endswith("The limit ends with the user's next message.")
    assert claude.calls("Write", file_path="x", content="")
    assert claude.calls("mcp__files__delete", path="x")
    # Not a message of the user.
    assert claude.says("go on", source="loop_wakeup") == {}
    assert claude.calls("Write", file_path="x", content="")
    assert claude.says("go on", source="user") == {}
    assert claude.calls("Write", file_path="x", content="") is None


def test_the_skill_of_a_message_counts_and_one_without_a_list_limits_nothing(claude: Claude) -> None:
    for name, writes, reads in (("look", False, True), ("write", True, False), ("free", True, True)):
        claude.says("go on")
        assert claude.calls("Skill", skill=name) is None
        assert (claude.calls("Write", file_path="x", content="") is None) is writes
        assert (claude.calls("Read", file_path="x") is None) is reads


def test_a_skill_does_not_lift_its_limit_by_calling_another(claude: Claude) -> None:
    claude.has("both", "Read, Write")
    claude.calls("Skill", skill="look")
    for name in ("both", "free", "look", "both"):
        assert claude.calls("Skill", skill=name) is None
        assert claude.calls("Read", file_path="x") is None
        assert "skill 'look'" in (claude.calls("Write", file_path="x", content="") or "")
    assert "skill 'both'" in (claude.calls("Bash", command="git status") or "")
    claude.says("go on")
    claude.calls("Skill", skill="free")
    claude.calls("Skill", skill="both")
    assert claude.calls("Write", file_path="x", content="") is None
    assert claude.calls("Bash", command="git status")
    # A skill that the user types is called by none.
    claude.says("/write")
    assert claude.calls("Write", file_path="x", content="") is None


@pytest.mark.parametrize("name", ["nobody", "plugin:look", "../look", "..", "", "clear", None, 1])
def test_a_name_that_is_no_skill_of_the_project_lifts_no_limit(claude: Claude, name: object) -> None:
    claude.calls("Skill", skill="look")
    assert claude.calls("Skill", skill=name) is None
    assert claude.calls("Write", file_path="x", content="")


@pytest.mark.parametrize(
    "prompt",
    ["/look", " /look the archive", "<command-message>x</command-message>\n<command-name>/look</command-name>"],
)
def test_a_skill_that_the_user_types_is_in_use(claude: Claude, prompt: str) -> None:
    assert claude.says(prompt) == {}
    assert claude.calls("Write", file_path="x", content="")
    assert claude.says("/looking") == {}
    assert claude.calls("Write", file_path="x", content="") is None


def test_an_expanded_command_names_the_skill(claude: Claude) -> None:
    more = {"expansion_type": "slash_command", "command_args": "", "prompt": "Do it."}
    assert claude.event("UserPromptExpansion", command_name="look", **more) == {}
    assert claude.calls("Write", file_path="x", content="")


def test_a_skill_is_in_use_once_its_instructions_are_read(claude: Claude) -> None:
    claude.has("tidy", "Read", ".skills")
    assert claude.calls("Read", file_path=str(claude.root / "docs/SKILL.md")) is None
    assert claude.calls("Write", file_path="x", content="") is None
    assert claude.calls("Read", file_path=str(claude.root / ".skills/tidy/SKILL.md")) is None
    assert "skill 'tidy'" in (claude.calls("Write", file_path="x", content="") or "")
    # What is in use must allow to read the next one.
    claude.says("/write")
    assert claude.calls("Read", file_path=str(claude.root / ".skills/tidy/SKILL.md"))
    assert claude.calls("Write", file_path="x", content="") is None
    # Nor does reading another skill lift a limit.
    claude.has("more", "Read, Write", ".skills")
    claude.says("/look")
    assert claude.calls("Read", file_path=str(claude.root / ".skills/more/SKILL.md")) is None
    assert claude.calls("Write", file_path="x", content="")


def test_a_linked_skill_and_one_of_the_user_are_found(claude: Claude) -> None:
    claude.has("tidy", "Read", ".skills")
    (claude.root / ".claude/skills/tidy").symlink_to("../../.skills/tidy")
    assert claude.calls("Skill", skill="tidy") is None
    assert claude.calls("Write", file_path="x", content="")
    (claude.home / ".claude").mkdir(parents=True)
    os.replace(claude.root / ".claude/skills/write", claude.home / "w")
    (claude.home / ".claude/skills").mkdir()
    os.replace(claude.home / "w", claude.home / ".claude/skills/write")
    assert claude.says("/write") == {}
    assert claude.calls("Write", file_path="x", content="") is None
    assert claude.calls("Read", file_path="x")


def test_a_subagent_has_the_limits_of_its_session_and_of_the_skill_that_it_begins(claude: Claude) -> None:
    claude.calls("Skill", skill="look")
    assert claude.calls("Write", _agent="a1", file_path="x", content="")
    assert claude.calls("Skill", _agent="a1", skill="write") is None
    assert claude.calls("Write", _agent="a1", file_path="x", content="")
    assert claude.calls("Read", _agent="a1", file_path="x")
    assert claude.calls("Read", _agent="a2", file_path="x") is None
    assert claude.calls("Read", file_path="x") is None
    claude.says("go on")
    assert claude.calls("Skill", _agent="a3", skill="write") is None
    assert claude.calls("Write", _agent="a3", file_path="x", content="") is None
    assert claude.calls("Read", _agent="a3", file_path="x")
    assert claude.calls("Read", file_path="x") is None


def test_sessions_and_projects_are_apart(claude: Claude, tmp_path: Path) -> None:
    claude.calls("Skill", skill="look")
    assert Claude(tmp_path, "another").calls("Write", file_path="x", content="") is None


@pytest.mark.parametrize("allowed", ["{a: b}", "[Read, {a: b}]", "[Read", '"' + "Read " * 3000 + '"'])
def test_a_malformed_list_stops_the_skill(claude: Claude, allowed: str) -> None:
    claude.has("bad", allowed)
    refused = claude.calls("Skill", skill="bad")
    assert refused is not None
    assert "bad/SKILL.md" in refused
    answer = claude.says("/bad")
    assert answer["decision"] == "block"
    assert "bad/SKILL.md" in answer["reason"]


@pytest.mark.parametrize(
    "allowed", ["Bash(git", ") Read", "((", "Rea d", "Read | Bash", "Bash[git:*] Read", "Read !Bash", "Read: Bash"]
)
def test_malformed_entries_allow_nothing(claude: Claude, allowed: str) -> None:
    claude.has("odd", f'"{allowed}"')
    assert claude.calls("Skill", skill="odd") is None
    assert claude.calls("Read", file_path="x")
    assert claude.calls("Bash", command="git status")


@pytest.mark.parametrize(
    "data",
    [
        "",
        "no JSON",
        "[]",
        "[" * 100_000,
        '{"hook_event_name": "PreToolUse"}',
        '{"hook_event_name": "PreToolUse", "session_id": 1}',
    ],
)
def test_an_event_that_is_not_understood_denies_the_call(claude: Claude, data: str) -> None:
    answer = claude.sends(data)
    assert answer["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_what_can_t_be_recorded_or_read_denies(claude: Claude) -> None:
    claude.calls("Skill", skill="look")
    (record,) = (claude.folder / "state").rglob("*.active")
    record.write_text("{")
    for tool, value in (("Read", {"file_path": "x"}), ("Skill", {"skill": "look"}), ("Read", {"file_path": "x"})):
        assert "can't be read" in (claude.calls(tool, **value) or "")
    assert claude.says("go on", source="user") == {}
    assert claude.calls("Skill", skill="look") is None
    assert claude.calls("Read", file_path="x") is None
    data = {"session_id": "s", "cwd": str(claude.root), "hook_event_name": "PreToolUse", "tool_name": "Skill"}
    (claude.folder / "file").write_text("")
    answer = claude.sends(
        json.dumps({**data, "tool_input": {"skill": "look"}}), SKILLBAG_STATE_DIR=str(claude.folder / "file/state")
    )
    assert "can't be recorded" in answer["hookSpecificOutput"]["permissionDecisionReason"]


def test_the_scripts_of_a_skill_run_by_the_folder_that_claude_code_fills_in(claude: Claude) -> None:
    claude.has("run", "Bash(${CLAUDE_SKILL_DIR}/scripts/*) Bash(python3 ${CLAUDE_SKILL_DIR}/scripts/*)", ".skills")
    (claude.root / ".claude/skills/run").symlink_to("../../.skills/run")
    outside = claude.folder / "evil"
    write(claude.root / ".skills/run/scripts", {"test": "", "x.py": "", "deep/y.sh": ""})
    (claude.root / ".skills/run/scripts/out").symlink_to(outside)
    write(claude.folder, {"evil": ""})
    claude.calls("Skill", skill="run")
    for folder in (
        claude.root / ".claude/skills/run",
        claude.root / ".skills/run",
        ".skills/run",
        "./.skills/../.skills/run",
    ):
        for line in (
            "{}/scripts/test a --b",
            "{}/scripts/deep/y.sh *.txt",
            "python3 {}/scripts/x.py -c a",
            "'{}/scripts/x.py'",
        ):
            assert claude.calls("Bash", command=line.format(folder)) is None, line
        for line in (
            *(
                "{}/scripts/../../../../evil",
                "{}/scripts/out",
                "{}/SKILL.md",
                "{}/scripts/no/../../../x",
                "python3 {}/scripts/out",
            ),
            *("{}/scripts/test; evil", "bash {}/scripts/test", "python3 -c x {}/scripts/x.py", "{}/scripts/tes*"),
        ):
            assert claude.calls("Bash", command=line.format(folder)), line
    for line in (
        "scripts/test",
        "@skill@/scripts/test",
        "'${CLAUDE_SKILL_DIR}/scripts/test'",
        "${CLAUDE_SKILL_DIR}/scripts/test",
    ):
        assert claude.calls("Bash", command=line), line


def test_the_folder_of_a_skill_is_told_to_who_writes_its_variable_in_a_call(claude: Claude) -> None:
    claude.has("run", "Bash(python3 ${CLAUDE_SKILL_DIR}/scripts/*.py:*)")
    scripts = claude.root / ".claude/skills/run/scripts"
    write(scripts, {"x.py": "", "x.sh": "", "y/z.py": ""})
    claude.calls("Skill", skill="run")
    for line in (f"python3 {scripts}/x.py", f"python3 {scripts}/x.py -c a b", f"python3 {scripts}/y/z.py"):
        assert claude.calls("Bash", command=line) is None, line
    for line in (f"python3 {scripts}/x.sh", f"python3 -c {scripts}/x.py", f"python3 {scripts}/../../x.py"):
        assert claude.calls("Bash", command=line), line
    for line in ('python3 "${CLAUDE_SKILL_DIR}/scripts/x.py"', "python3 $CLAUDE_SKILL_DIR/scripts/x.py"):
        assert f"; write `{scripts.parent}` for CLAUDE_SKILL_DIR" in (claude.calls("Bash", command=line) or "")


def test_a_glob_without_a_path_begins_in_the_folder_of_the_shell(claude: Claude) -> None:
    claude.has("find", "Glob(src/**), Grep(src/**)")
    write(claude.root / "src", {"a": ""})
    claude.calls("Skill", skill="find")
    for cwd, glob, passes in ((".", "src/*", True), ("src", "*", True), (".", "*", False), ("..", "src/*", False)):
        event = claude.event(
            "PreToolUse", tool_name="Glob", tool_input={"pattern": glob}, cwd=str((claude.root / cwd).resolve())
        )
        assert (event == {}) is passes, (cwd, glob)
    assert claude.calls("Grep", pattern="x")
    assert claude.event("PreToolUse", tool_name="Grep", tool_input={"pattern": "x"}, cwd=str(claude.root / "src")) == {}


def test_the_command_answers_an_event_in_the_form_of_claude_code(claude: Claude) -> None:
    begun = claude.starts(claude.data("PreToolUse", tool_name="Skill", tool_input={"skill": "look"}))
    assert (begun.returncode, begun.stdout, begun.stderr) == (0, "", "")
    denied = claude.starts(claude.data("PreToolUse", tool_name="Write", tool_input={"file_path": "x"}))
    assert (denied.returncode, denied.stderr) == (0, "")
    assert json.loads(denied.stdout)["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert json.loads(claude.starts("no JSON").stdout)["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_other_events_are_left_alone(claude: Claude) -> None:
    for name in ("PostToolUse", "Stop", "SessionEnd", "SomethingNew"):
        assert claude.event(name) == {}
