"""`skillbag tool`: results, failures, mistakes and questions, each on its stream and with its exit code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.install.worlds import write
from tests.lifecycle.bags import TOKEN, bag, parameters, skill_md
from tests.support import Run

NEEDS = skill_md("pear", "Pears.", parameters("required:\n  - name: format"))


def world(folder: Path) -> Path:
    """A workspace with a skill that asks for something, and one that does not."""
    guide = f"Peel \x1b[2J it.\u202e\nUse {TOKEN}.\n"
    files = {".skills/pear/SKILL.md": NEEDS, ".skills/apple/references/guide.md": guide}
    return bag(folder, ["apple", "pear"], files)


def called(run: Run, root: Path, *arguments: object, stdin: bytes = b"") -> tuple[int, dict[str, Any]]:
    """The exit code and the JSON of a call with `--json`."""
    outcome = run("tool", *arguments, "--json", cwd=root, stdin=stdin)
    values: dict[str, Any] = json.loads(outcome.out)
    assert (values["version"], values["exit"]) == (1, outcome.code)
    assert outcome.err == ""
    return outcome.code, values


# Results.


def test_a_result_is_printed(tmp_path: Path, run: Run) -> None:
    told = run("tool", "skill_apple", cwd=world(tmp_path))
    assert (told.code, told.err) == (0, "")
    assert told.out.startswith("# Skill: apple\n\nDo it.\n")
    assert told.out.endswith("work.\n")


def test_arguments_come_with_the_command_or_on_standard_input(tmp_path: Path, run: Run) -> None:
    root, arguments = world(tmp_path), '{"arguments": "the red one"}'
    outs = [
        run("tool", "skill_apple", arguments, cwd=root),
        run("tool", "skill_apple", "-", cwd=root, stdin=arguments.encode()),
        run("tool", "skill_apple", cwd=root, stdin=arguments.encode()),
    ]
    assert all("## Arguments\nthe red one\n" in told.out and told.code == 0 for told in outs)
    for told in (
        run("tool", "skill_apple", "{}", cwd=root, stdin=arguments.encode()),
        run("tool", "skill_apple", cwd=root),
    ):
        assert told.code == 0
        assert "the red one" not in told.out


def test_a_result_that_is_no_text_is_printed_as_json(tmp_path: Path, run: Run) -> None:
    root = world(tmp_path)
    told = run("tool", "remember", '{"name": "language", "value": "en"}', cwd=root)
    assert told.code == 0
    assert json.loads(told.out)["value"] == "en"


def test_control_characters_and_secrets_never_reach_a_terminal(tmp_path: Path, run: Run) -> None:
    root = world(tmp_path)
    arguments = '{"skill": "apple", "path": "references/guide.md"}'
    assert run("tool", "read_skill_file", arguments, cwd=root).out == "Peel \\x1b[2J it.\\u202e\nUse ghp_****.\n"
    assert called(run, root, "read_skill_file", arguments)[1]["result"] == "Peel \x1b[2J it.\u202e\nUse ghp_****.\n"


def test_an_empty_result_prints_nothing(tmp_path: Path, run: Run) -> None:
    root = bag(tmp_path, ["apple"], {".skills/apple/empty.txt": ""})
    assert run("tool", "read_skill_file", '{"skill": "apple", "path": "empty.txt"}', cwd=root).out == ""


def test_json_holds_the_tool_its_result_and_whether_it_asks(tmp_path: Path, run: Run) -> None:
    root = world(tmp_path)
    code, values = called(run, root, "read_skill_file", '{"skill": "apple", "path": "SKILL.md"}')
    assert code == 0
    assert {key: values[key] for key in ("command", "tool", "asks")} == {
        "command": "tool",
        "tool": "read_skill_file",
        "asks": False,
    }
    assert values["result"].startswith("---\nname: apple\n")


# Questions, failures and mistakes.


def test_a_question_is_a_result_with_an_exit_code_of_its_own(tmp_path: Path, run: Run) -> None:
    root = world(tmp_path)
    told = run("tool", "skill_pear", cwd=root)
    assert (told.code, told.err) == (3, "")
    assert told.out.startswith("pear can't run yet: 1 question\nAsk: pear needs format")
    code, values = called(run, root, "skill_pear")
    assert (code, values["asks"]) == (3, True)
    code, values = called(run, root, "resolve", '{"skill": "pear"}')
    assert (code, values["asks"], values["result"]["ready"]) == (3, True, False)


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("read_skill_file", '{"skill": "apple", "path": "gone.md"}', "gone.md"),
        ("read_skill_file", '{"skill": "grape", "path": "gone.md"}', "grape: there is no such skill"),
        ("resolve", '{"skill": "pear", "inputs": {"fromat": 1}}', "pear has no parameter fromat"),
        ("refresh", "{}", "call enter first"),
        ("skill_remove", '{"name": "grape"}', "grape"),
        ("skill_add", '{"path": "gone"}', "gone"),
    ],
)
def test_a_failure_is_told_on_standard_output(tmp_path: Path, run: Run, tool: str, arguments: str, said: str) -> None:
    root = world(tmp_path)
    told = run("tool", tool, arguments, cwd=root)
    assert (told.code, told.err) == (1, "")
    assert told.out.startswith("Error: ")
    assert said in told.out
    code, values = called(run, root, tool, arguments)
    assert (code, values["tool"]) == (1, tool)
    assert said in values["error"]
    assert "result" not in values


def test_a_failing_environment_is_a_failure_of_the_tool(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = world(tmp_path / "w")
    write(tmp_path, {"state": "a file where a folder is wanted"})
    monkeypatch.setenv("SKILLBAG_STATE_DIR", str(tmp_path / "state"))
    told = run("tool", "enter", "--session", "s1", cwd=root)
    assert (told.code, told.err) == (1, "")
    assert told.out.startswith("Error: ")
    assert "SKILLBAG_STATE_DIR" in told.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["skill_apple", "{"], "the arguments are no JSON: line 1, column 2: "),
        (["skill_apple", "{'a': 1}"], "the arguments are no JSON: line 1, column 2: "),
        (["skill_apple", '{"inputs": {"a": NaN}}'], "the arguments are no JSON: a number in them"),
        (["skill_apple", f'{{"inputs": {{"a": {"9" * 5000}}}}}'], "the arguments are no JSON: a number in them"),
        (["skill_apple", "[" * 100_000], "the arguments are nested too deep"),
        (["skill_apple", "[]"], "skill_apple: the arguments are no JSON object"),
        (["skill_apple", "null extra"], "the arguments are no JSON: line 1, column 6: "),
        (["skill_apple", '{"inptus": 1}'], "did you mean `inputs`?"),
        (["skill_appel"], "skill_appel: there is no such tool; did you mean skill_apple?"),
        (["skill_appel", "--schema"], "skill_appel: there is no such tool; did you mean skill_apple?"),
        (["skill_\x1b[2J"], "there is no such tool"),
        (["skill_apple", "--session", " "], "a session's id is"),
        (["skill_apple", "--workspace", "gone"], "there is no such folder"),
    ],
    ids=lambda value: "-".join(value)[:20] if isinstance(value, list) else "",
)
def test_a_mistake_is_told_on_standard_error(tmp_path: Path, run: Run, arguments: list[str], said: str) -> None:
    root = world(tmp_path)
    told = run("tool", *arguments, cwd=root)
    assert (told.code, told.out) == (2, "")
    assert told.err.startswith("skillbag: ")
    assert said in told.err
    assert "\x1b" not in told.err
    code, values = called(run, root, *arguments)
    assert code == 2
    assert said in values["error"]


@pytest.mark.parametrize("arguments", [[], ["--json"], ["skill_apple", "--list"], ["--session-type", "robot", "enter"]])
def test_bad_usage_is_told_as_such(tmp_path: Path, run: Run, arguments: list[str]) -> None:
    told = run("tool", *arguments, cwd=world(tmp_path))
    assert told.code == 2
    assert "Traceback" not in told.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["list"], "did you mean --list?"),
        (["--list", "enter"], "Give the NAME of a tool, or --list: not both."),
        (["--list", "--schema"], "Give --schema with a NAME, or --list: not both."),
        (["--schema"], "Give the NAME of a tool, or --list."),
    ],
)
def test_what_does_not_go_together_is_told_as_that(tmp_path: Path, run: Run, arguments: list[str], said: str) -> None:
    told = run("tool", *arguments, cwd=world(tmp_path))
    assert told.code == 2
    assert said in told.err


@pytest.mark.parametrize("variable", ["SKILLBAG_WORKSPACE", "SKILLBAG_SESSION_TYPE"])
def test_a_variable_that_is_wrong_is_named(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    monkeypatch.setenv(variable, "nothing")
    told = run("tool", "--list", cwd=tmp_path)
    assert told.code == 2
    # Older versions of click name the option alone.
    assert variable in told.err or "--session-type" in told.err


@pytest.mark.skipif(sys.platform == "win32", reason="terminals of POSIX")
def test_what_is_typed_at_a_terminal_is_for_nobody_who_did_not_ask_for_it(tmp_path: Path) -> None:
    import pty

    ours, theirs = pty.openpty()
    os.write(ours, b'{"action": "list_installed"}\n\x04')
    command = [sys.executable, "-m", "skillbag", "tool", "skill_marketplace"]
    try:
        done = subprocess.run(command, cwd=world(tmp_path), stdin=theirs, capture_output=True, timeout=300)
    finally:
        os.close(ours)
        os.close(theirs)
    assert done.returncode == 2
    assert b"`action` is missing" in done.stderr


@pytest.mark.parametrize("stdin", [b"\xff\xfe", b"{", b"\0"])
def test_standard_input_that_is_no_json_is_a_mistake(tmp_path: Path, run: Run, stdin: bytes) -> None:
    told = run("tool", "skill_apple", "-", cwd=world(tmp_path), stdin=stdin)
    assert (told.code, told.out) == (2, "")
    assert "the arguments are no JSON" in told.err


def test_more_than_anybody_needs_is_not_taken_from_standard_input(tmp_path: Path, run: Run) -> None:
    told = run("tool", "skill_apple", "-", cwd=world(tmp_path), stdin=b" " * (9 << 20))
    assert told.code == 2
    assert "8 MiB" in told.err


# Definitions.


def test_the_list_names_each_tool_with_its_description(tmp_path: Path, run: Run) -> None:
    root = world(tmp_path)
    lines = run("tool", "--list", cwd=root).out.splitlines()
    assert lines[0].startswith("skill_marketplace: Find, install and remove skills")
    assert lines[-2:] == ["skill_apple: Does it.", "skill_pear: Does it."]
    _, values = called(run, root, "--list")
    assert [one["name"] for one in values["tools"]] == [line.split(":")[0] for line in lines]
    assert all(one.keys() >= {"name", "description", "parameters", "result"} for one in values["tools"])


def test_what_a_user_should_know_of_the_skills_stands_below_the_list(tmp_path: Path, run: Run) -> None:
    root = bag(tmp_path, ["add"])
    said = "the skill add has no tool, since skill_add is a tool of skillbag's own; rename the skill"
    assert run("tool", "--list", cwd=root).out.splitlines()[-1] == f"Note: {said}"
    assert called(run, root, "--list")[1]["remarks"] == [said]


def test_the_schema_of_a_tool_is_its_definition_and_calls_nothing(tmp_path: Path, run: Run) -> None:
    root = world(tmp_path)
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
    told = run("tool", "--list", cwd=tmp_path)
    assert told.code == 2
    assert "SKILLBAG_PERSONAL_DIR: 'p' is no absolute path" in told.err


# Without personal skills.


@pytest.fixture(params=["settings", "settings that are none", "root"])
def trouble(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The user's settings or the personal root can't be read; what is to be told of it."""
    if request.param == "root":
        write(tmp_path, {"file": ""})
        monkeypatch.setenv("SKILLBAG_PERSONAL_DIR", str(tmp_path / "file"))
        return f"{tmp_path}/file: this is no folder"
    monkeypatch.delenv("SKILLBAG_PERSONAL_DIR")
    settings = Path(os.environ["SKILLBAG_CONFIG_DIR"]) / "settings.json"
    if request.param == "settings":
        write(settings.parent, {settings.name: '{"personal": {"root": "relative"}}'})
    else:
        settings.mkdir(parents=True)
    return f"{settings}:1: "


def test_the_projects_skills_stay_where_personal_ones_can_not_be_read(tmp_path: Path, run: Run, trouble: str) -> None:
    root = world(tmp_path / "w")
    told = run("tool", "--list", cwd=root)
    assert told.code == 0
    assert "\nskill_apple: " in told.out
    assert f"\nNote: {trouble}" in told.out
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
        told = run("tool", *call, cwd=root)
        assert told.code == 1, call
        assert told.out.startswith(f"Error: {trouble}")


def test_the_plugin_goes_on_where_personal_skills_can_not_be_read(tmp_path: Path, run: Run, trouble: str) -> None:
    told = run("plugin", "--schema", cwd=world(tmp_path / "w"))
    assert "skill_apple" in [tool["name"] for tool in json.loads(told.out)]
    assert trouble in told.err


def test_a_session_goes_on_from_call_to_call(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    root = world(tmp_path)
    assert run("tool", "enter", "--session", "s1", cwd=root).code == 0
    assert run("tool", "refresh", "--session", "s1", cwd=root).out == "Nothing has changed.\n"
    monkeypatch.setenv("SKILLBAG_SESSION", "s1")
    assert run("tool", "refresh", cwd=root).out == "Nothing has changed.\n"
    assert "call enter first" not in run("tool", "skill_apple", cwd=root).out


# As a process.


def start(root: Path, *arguments: str, **more: Any) -> subprocess.Popen[bytes]:
    """The command as a process of its own."""
    command = [sys.executable, "-m", "skillbag", "tool", *arguments]
    return subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ, **more)


def test_nobody_waits_for_standard_input_that_is_never_written(tmp_path: Path) -> None:
    root = world(tmp_path)
    began = time.monotonic()
    process = start(root, "skill_apple", stdin=subprocess.PIPE)
    assert process.stdout
    assert process.stdout.read().startswith(b"# Skill: apple\n")
    assert process.wait(300) == 0
    assert time.monotonic() - began < 250
    if process.stdin:
        process.stdin.close()


def test_a_reader_that_goes_away_is_no_fault(tmp_path: Path) -> None:
    root = bag(tmp_path, ["apple"], {".skills/apple/long.txt": "long\n" * 100_000})
    process = start(root, "read_skill_file", '{"skill": "apple", "path": "long.txt"}', stdin=subprocess.DEVNULL)
    assert process.stdout
    assert process.stdout.readline() == b"long\n"
    process.stdout.close()
    _, error = process.communicate(timeout=300)
    assert (process.returncode, error) == (0, b"")
