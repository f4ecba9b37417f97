"""`skillbag agent tool`: results, failures, mistakes and questions, each on its stream and with its exit code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.agents.tools.calls import called, world
from tests.session.bags import bag
from tests.supply.install.worlds import write
from tests.support import Run

pytestmark = pytest.mark.boundary


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return world(tmp_path)


# Results.


def test_a_result_is_printed(root: Path, run: Run) -> None:
    outcome = run("tool", "skill_apple", cwd=root)
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.startswith("# Skill: apple\n\nDo it.\n")
    assert outcome.out.endswith("work.\n")


def test_arguments_come_with_the_command_or_on_standard_input(root: Path, tmp_path: Path, run: Run) -> None:
    root, arguments = world(tmp_path), '{"arguments": "the red one"}'
    outs = [
        run("tool", "skill_apple", arguments, cwd=root),
        run("tool", "skill_apple", "-", cwd=root, stdin=arguments.encode()),
        run("tool", "skill_apple", cwd=root, stdin=arguments.encode()),
    ]
    assert all("## Arguments\nthe red one\n" in outcome.out and outcome.code == 0 for outcome in outs)
    for outcome in (
        run("tool", "skill_apple", "{}", cwd=root, stdin=arguments.encode()),
        run("tool", "skill_apple", cwd=root),
    ):
        assert outcome.code == 0
        assert "the red one" not in outcome.out


def test_a_result_that_is_no_text_is_printed_as_json(root: Path, run: Run) -> None:
    outcome = run("tool", "remember", '{"name": "language", "value": "en"}', cwd=root)
    assert outcome.code == 0
    assert json.loads(outcome.out)["value"] == "en"


def test_control_characters_and_secrets_never_reach_a_terminal(root: Path, run: Run) -> None:
    arguments = '{"skill": "apple", "path": "references/guide.md"}'
    assert run("tool", "read_skill_file", arguments, cwd=root).out == "Peel \\x1b[2J it.\\u202e\nUse ghp_****.\n"
    assert called(run, root, "read_skill_file", arguments)[1]["result"] == "Peel \x1b[2J it.\u202e\nUse ghp_****.\n"


def test_an_empty_result_prints_nothing(tmp_path: Path, run: Run) -> None:
    root = bag(tmp_path, ["apple"], {".skills/apple/empty.txt": ""})
    assert run("tool", "read_skill_file", '{"skill": "apple", "path": "empty.txt"}', cwd=root).out == ""


def test_json_holds_the_tool_its_result_and_whether_it_asks(root: Path, run: Run) -> None:
    code, values = called(run, root, "read_skill_file", '{"skill": "apple", "path": "SKILL.md"}')
    assert code == 0
    assert {key: values[key] for key in ("command", "tool", "asks")} == {
        "command": "tool",
        "tool": "read_skill_file",
        "asks": False,
    }
    assert values["result"].startswith("---\nname: apple\n")


# Questions, failures and mistakes.


def test_a_question_is_a_result_with_an_exit_code_of_its_own(root: Path, run: Run) -> None:
    outcome = run("tool", "skill_pear", cwd=root)
    assert (outcome.code, outcome.err) == (3, "")
    assert outcome.out.startswith("pear can't run yet: 1 question\nAsk: pear needs format")
    code, values = called(run, root, "skill_pear")
    assert (code, values["asks"]) == (3, True)
    code, values = called(run, root, "resolve", '{"skill": "pear"}')
    assert (code, values["asks"], values["result"]["ready"]) == (3, True, False)


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        ("read_skill_file", '{"skill": "apple", "path": "gone.md"}', "gone.md"),
        ("read_skill_file", '{"skill": "grape", "path": "gone.md"}', "grape: there is no such skill"),
        ("resolve", '{"skill": "pear", "inputs": {"fromat": 1}}', "pear has no parameter fromat"),
        ("refresh", "{}", "call enter first"),
        ("skill_remove", '{"name": "grape"}', "grape"),
        ("skill_add", '{"path": "gone"}', "gone"),
    ],
)
def test_a_failure_is_reported_on_standard_output(
    root: Path, run: Run, tool: str, arguments: str, message: str
) -> None:
    outcome = run("tool", tool, arguments, cwd=root)
    assert (outcome.code, outcome.err) == (1, "")
    assert outcome.out.startswith("Error: ")
    assert message in outcome.out
    code, values = called(run, root, tool, arguments)
    assert (code, values["tool"]) == (1, tool)
    assert message in values["error"]
    assert "result" not in values


def test_a_failing_environment_is_a_failure_of_the_tool(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = world(tmp_path / "w")
    write(tmp_path, {"state": "a file where a folder is wanted"})
    monkeypatch.setenv("SKILLBAG_STATE_DIR", str(tmp_path / "state"))
    outcome = run("tool", "enter", "--session", "s1", cwd=root)
    assert (outcome.code, outcome.err) == (1, "")
    assert outcome.out.startswith("Error: ")
    assert "SKILLBAG_STATE_DIR" in outcome.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["skill_apple", "{"], "the arguments: not valid JSON: line 1, column 2: "),
        (["skill_apple", "{'a': 1}"], "the arguments: not valid JSON: line 1, column 2: "),
        (["skill_apple", '{"inputs": {"a": NaN}}'], "the arguments: not valid JSON: NaN is not a JSON number"),
        (["skill_apple", f'{{"inputs": {{"a": {"9" * 5000}}}}}'], "the arguments: not valid JSON: a number in it has"),
        (["skill_apple", "[" * 100_000], "the arguments: nested too deep"),
        (["skill_apple", "[]"], "skill_apple: the arguments are not a JSON object"),
        (["skill_apple", "null extra"], "the arguments: not valid JSON: line 1, column 6: "),
        (["skill_apple", '{"inptus": 1}'], "did you mean `inputs`?"),
        (["skill_appel"], "skill_appel: there is no such tool; did you mean skill_apple?"),
        (["skill_appel", "--schema"], "skill_appel: there is no such tool; did you mean skill_apple?"),
        (["skill_\x1b[2J"], "there is no such tool"),
        (["skill_apple", "--session", " "], "a session's id is"),
        (["skill_apple", "--workspace", "gone"], "there is no such folder"),
    ],
    ids=lambda value: "-".join(value)[:20] if isinstance(value, list) else "",
)
def test_a_mistake_is_reported_on_standard_error(root: Path, run: Run, arguments: list[str], message: str) -> None:
    outcome = run("tool", *arguments, cwd=root)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith("error: ")
    assert message in outcome.err
    assert "\x1b" not in outcome.err
    code, values = called(run, root, *arguments)
    assert code == 2
    assert message in values["error"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "give the NAME of a tool, or --list"),
        (["--json"], "give the NAME of a tool, or --list"),
        (["--schema"], "give the NAME of a tool, or --list"),
        (["list"], "did you mean --list?"),
        (["--list", "enter"], "give the NAME of a tool, or --list: not both"),
        (["skill_apple", "--list"], "give the NAME of a tool, or --list: not both"),
        (["--list", "--schema"], "give --schema with a NAME, or --list: not both"),
        (["--session-type", "robot", "enter"], "--session-type"),
    ],
)
def test_bad_usage_names_what_is_wrong(root: Path, run: Run, arguments: list[str], message: str) -> None:
    outcome = run("tool", *arguments, cwd=root)
    assert outcome.code == 2
    assert message in outcome.out + outcome.err
    assert "Traceback" not in outcome.err


@pytest.mark.parametrize("variable", ["SKILLBAG_WORKSPACE", "SKILLBAG_SESSION_TYPE"])
def test_a_variable_that_is_wrong_is_named(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    monkeypatch.setenv(variable, "nothing")
    outcome = run("tool", "--list", cwd=tmp_path)
    assert outcome.code == 2
    # Older versions of click name the option alone.
    assert variable in outcome.err or "--session-type" in outcome.err


@pytest.mark.skipif(sys.platform == "win32", reason="terminals of POSIX")
def test_what_is_typed_at_a_terminal_is_for_nobody_who_did_not_ask_for_it(root: Path) -> None:
    import pty

    ours, theirs = pty.openpty()
    os.write(ours, b'{"action": "list_installed"}\n\x04')
    command = [sys.executable, "-m", "skillbag", "agent", "tool", "skill_marketplace"]
    try:
        done = subprocess.run(command, cwd=root, stdin=theirs, capture_output=True, timeout=300)
    finally:
        os.close(ours)
        os.close(theirs)
    assert done.returncode == 2
    assert b"`action` is missing" in done.stderr


def test_standard_input_that_is_no_json_or_too_much_is_refused(root: Path, run: Run) -> None:
    for stdin in (b"\xff\xfe", b"{", b"\0", b" " * (9 << 20)):
        outcome = run("tool", "skill_apple", "-", cwd=root, stdin=stdin)
        assert (outcome.code, outcome.out) == (2, "")
        assert ("8 MiB" if len(stdin) > 2 else "the arguments: not valid JSON") in outcome.err
