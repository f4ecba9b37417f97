"""`skillbag runtime activate|deactivate|call|run|hooks`: skills with real processes, in sessions of many commands."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.doors.cli.runtime_worlds import make_world, values
from tests.runtime.worlds_active import active, approve
from tests.support import AS_PERSON, Run

pytestmark = [pytest.mark.boundary, pytest.mark.usefixtures("a_person")]

APPROVED = ("--approve-skills", "pods")
PODS = '{"kind": "web"}'


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_world(tmp_path / "w")


def test_a_session_keeps_what_is_activated(run: Run, root: Path) -> None:
    session = ("--session", "s1")
    found = values(run, root, "activate", "pods", *session, *APPROVED)
    assert (found["activated"], found["kept"]) == (["pods"], True)
    assert [tool["name"] for tool in found["tools"]] == ["pods_get", "pods_scale", "pods_fail"]
    assert {each["name"]: each["state"] for each in values(run, root, "list", *session)["skills"]}["pods"] == "active"
    for _ in range(3):
        done = run("runtime", "call", "pods_get", PODS, *session, cwd=root)
        assert (done.code, done.out, done.err) == (0, "pods of web for  (signed)\n", "")
    assert run("runtime", "activate", "pods", *session, cwd=root).out == 'Skill "pods" is active already.\n'
    assert values(run, root, "status", *session)["active"] == ["pods"]
    assert run("runtime", "deactivate", "pods", *session, cwd=root).out == "Deactivated: pods\n"
    assert values(run, root, "deactivate", "pods", *session)["deactivated"] == []
    values(run, root, "call", "pods_get", PODS, *session, code=3)


@pytest.mark.parametrize("arguments", [("call", "faulty_tool", "{}"), ("call", "pods_gt"), ("run", "faulty")])
def test_a_missing_tool_may_be_one_of_a_skill_that_can_t_be_used(
    run: Run, root: Path, arguments: tuple[str, ...]
) -> None:
    said = values(run, root, *arguments, code=2)["error"]
    assert said.endswith("; can't be used: faulty (skillbag runtime list says why)")
    (root / ".skills/faulty/SKILL.yaml").unlink()
    assert "can't be used" not in values(run, root, *arguments, code=2)["error"]


def test_a_failed_activation_names_the_skill(run: Run, root: Path) -> None:
    active(root, "broken", 'fail("on purpose")\n', tools="[{name: never, description: Never.}]")
    for arguments in (("call", "never"), ("activate", "broken"), ("call", "never", "--skills", "broken")):
        error = values(run, root, *arguments, code=1)["error"]
        assert error.startswith('skill "broken" is not activated: ')
        assert "on purpose" in error


def test_without_a_session_an_activation_ends_with_the_command(run: Run, root: Path) -> None:
    done = run("runtime", "activate", "pods", *APPROVED, cwd=root)
    assert done.out.endswith("It ended with this command: an activation lasts with --session ID.\n")
    found = values(run, root, "deactivate", "pods", code=2)
    assert "--session ID" in found["error"]


def test_a_changed_skill_is_not_active_any_more(run: Run, root: Path) -> None:
    values(run, root, "activate", "pods", "--session", "s1", *APPROVED)
    (root / ".skills/pods/more.txt").write_text("x")
    skills = values(run, root, "list", "--session", "s1")["skills"]
    assert [each["reason"] for each in skills if each["name"] == "pods"] == [
        'the files of the skill "pods" have changed; activate it again'
    ]
    found = values(run, root, "hooks", "--session", "s1")
    assert found["hooks"] == []
    assert "activate it again" in found["remarks"][0]


def test_what_it_needs_is_activated_first(run: Run, root: Path) -> None:
    active(root, "base", types="[prompt]", implementation=None, prompt="{system_prompt_file: main.star}")
    active(root, "top", dependencies="[{name: base}]")
    found = values(run, root, "activate", "top", "--session", "s1")
    assert found["activated"] == ["base", "top"]
    assert values(run, root, "deactivate", "base", "--session", "s1")["deactivated"] == ["top", "base"]


def test_the_skill_that_declares_a_tool_is_activated(run: Run, root: Path) -> None:
    found = values(run, root, "call", "pods_get", PODS, *APPROVED)
    assert found == {
        "version": 1,
        "command": "runtime call",
        "exit": 0,
        "tool": "pods_get",
        "skill": "pods",
        "content": "pods of web for  (signed)",
        "is_error": False,
        "remarks": ['skill "pods": its hooks see calls of its own tools alone, since it does not declare hook:observe'],
    }
    done = run("runtime", "call", "pods_get", "-", *APPROVED, cwd=root, stdin=PODS.encode())
    assert done.out == "pods of web for  (signed)\n"


def test_a_tool_that_fails_is_an_error_of_the_tool(run: Run, root: Path) -> None:
    found = values(run, root, "call", "pods_fail", "{}", *APPROVED, code=1)
    assert found["is_error"] is True
    assert "no cluster" in found["content"]
    done = run("runtime", "call", "pods_fail", *APPROVED, cwd=root)
    assert (done.code, done.out[:7]) == (1, "Error: ")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["pods_get", "{}"], "'kind' is a required property"),
        (["pods_get", "[]"], "the input must be an object"),
        (["pods_get", "{"], "not valid JSON"),
        (["pods_gett", "{}"], 'did you mean "pods_get"?'),
        (["nothing_like_it", "{}"], "--skill"),
        (["echo", "{}", "--skill", "nope"], 'skill "nope" not found'),
        (["pods_get", PODS, "--skill", "echo"], 'is one of skill "pods", not of "echo"'),
    ],
)
def test_a_wrong_call_is_a_mistake(run: Run, root: Path, arguments: list[str], words: str) -> None:
    active(root, "echo")
    given = [*arguments, *(("--skills", "pods") if "echo" in arguments else ())]
    assert words in values(run, root, "call", *given, *APPROVED, code=2)["error"]


def test_a_tool_that_no_manifest_declares_needs_its_skill(run: Run, root: Path) -> None:
    active(root, "echo")
    assert values(run, root, "call", "echo", '{"text": "hé"}', "--skill", "echo")["content"] == "hé"
    active(root, "other", tools="[{name: pods_get, description: Too.}]")
    found = values(run, root, "call", "pods_get", PODS, *APPROVED, code=2)
    assert "several skills declare" in found["error"]
    assert values(run, root, "call", "pods_get", PODS, "--skill", "pods", *APPROVED)["skill"] == "pods"


def test_a_workflow_is_run_and_its_value_printed(run: Run, root: Path) -> None:
    found = values(run, root, "run", "loud", '{"text": "hi"}')
    assert (found["workflow"], found["value"]) == ("loud/shout", {"text": "HI"})
    assert json.loads(run("runtime", "run", "loud/shout", '{"text": "hi"}', cwd=root).out) == {"text": "HI"}
    values(run, root, "activate", "loud", "--session", "s1")
    assert values(run, root, "run", "shout", '{"text": "a"}', "--session", "s1")["value"] == {"text": "A"}


def test_a_workflow_that_fails_or_is_not_there(run: Run, root: Path) -> None:
    assert "there is no text" in values(run, root, "run", "loud", code=1)["error"]
    assert run("runtime", "run", "loud", cwd=root).out.startswith("Error: ")
    assert "types are tool" in values(run, root, "run", "pods", code=2)["error"]
    assert "it has shout" in values(run, root, "run", "loud/whisper", code=2)["error"]
    assert 'did you mean "loud"?' in values(run, root, "run", "lout", code=2)["error"]


def test_a_skill_that_can_not_be_activated_fails(run: Run, root: Path) -> None:
    active(root, "broken", "this is no Starlark(")
    assert values(run, root, "activate", "broken", code=1)["error"]
    assert "nowhere" in values(run, root, "activate", "stuck", code=1)["error"]


def test_hooks_are_listed_in_their_order(run: Run, root: Path) -> None:
    assert run("runtime", "hooks", cwd=root).out == "No hooks: no skill is active.\n"
    found = values(run, root, "hooks", "--skills", "pods", *APPROVED)
    (hook,) = found["hooks"]
    assert (hook["phase"], hook["skill"], hook["priority"]) == ("OnAfterToolResult", "pods", 10)
    text = run("runtime", "hooks", "--skills", "pods", *APPROVED, cwd=root).out.splitlines()
    assert [line.split() for line in text] == [
        ["PHASE", "PRIORITY", "SKILL", "STATE"],
        ["OnAfterToolResult", "10", "pods", "ready"],
    ]


def test_a_failing_hook_is_told_beside_the_result(run: Run, root: Path) -> None:
    approve("clumsy")
    active(root, "clumsy", 'def f(event):\n    error("oh no")\n\nregister_hook("OnAfterToolResult", f)\n')
    done = run("runtime", "call", "pods_get", PODS, "--skills", "clumsy", *APPROVED, cwd=root)
    assert (done.code, done.out) == (0, "pods of web for  (signed)\n")
    assert 'note: OnAfterToolResult: skill "clumsy": its hook failed: ' in done.err


def test_a_hook_that_cancels_makes_the_call_fail(run: Run, root: Path) -> None:
    guard = (
        'def f(event):\n    return {"cancel": True, "reason": "not today"}\n\nregister_hook("OnBeforeToolCall", f)\n'
    )
    approve("guard")
    active(root, "guard", guard)
    found = values(run, root, "call", "pods_get", PODS, "--skills", "guard", *APPROVED, code=1)
    assert found["content"] == 'The skill "guard" cancelled this call: not today'


def test_each_command_is_a_turn(run: Run, root: Path) -> None:
    code = 'def f(input):\n    return exec("true")["exit_code"]\n\nregister_tool("t", "T.", f)\n'
    active(root, "runner", code, permissions='["shell:exec"]')
    (root / "skillbag.toml").write_text("[runtime]\nmax_shell_exec_per_turn = 1\n")
    given = ("--session", "s1", "--skill", "runner", "--approve-skills", "runner")
    for _ in range(3):
        assert values(run, root, "call", "t", *given)["is_error"] is False
    found = values(run, root, "status", "--session", "s1")
    assert found["turn"] == 3
    assert found["used"] == [{"skill": "runner", "permission": "shell:exec", "number": 1}]
    assert "runner shell:exec 1/1" in run("runtime", "status", "--session", "s1", cwd=root).out


def test_a_trace_says_that_the_session_goes_on(run: Run, root: Path, tmp_path: Path) -> None:
    ends = []
    for number, words in enumerate((("--session", "s"), ())):
        file = tmp_path / f"{number}.jsonl"
        values(run, root, "call", "pods_get", PODS, *APPROVED, *words, "--trace", file)
        ends.append(json.loads(file.read_text().splitlines()[-1]))
    assert [end["event"] for end in ends] == ["skill:deactivated"] * 2
    assert [end["reason"] for end in ends] == ["the session goes on in its next process", ""]


def test_a_trace_is_written_to_a_new_file(run: Run, root: Path, tmp_path: Path) -> None:
    file = tmp_path / "calls.jsonl"
    values(run, root, "call", "pods_get", PODS, *APPROVED, "--trace", file)
    events = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    assert {"skill:activated", "call", "host", "hook", "skill:deactivated"} <= {each["event"] for each in events}
    assert "name a new file" in values(run, root, "call", "pods_get", PODS, "--trace", file, code=2)["error"]
    missing = tmp_path / "no" / "folder"
    values(run, root, "call", "pods_get", PODS, "--trace", missing, code=4)


def test_processes_of_a_session_follow_each_other(root: Path) -> None:
    """Real ones: what one activates, approved once, the next calls."""
    environment = os.environ | {"SKILLBAG_SESSION": "s7"}

    def skillbag(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [*AS_PERSON, "runtime", *arguments]
        return subprocess.run(
            command, cwd=root, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
        )

    assert skillbag("permissions", "pods", "--grant", "once").returncode == 0
    assert skillbag("activate", "pods").stdout.startswith("Activated: pods\n")
    assert skillbag("call", "pods_get", PODS).stdout == "pods of web for  (signed)\n"
    assert skillbag("call", "pods_get", PODS).stdout == "pods of web for  (signed)\n"
    assert skillbag("permissions", "pods", "--revoke").returncode == 0
    ended = skillbag("call", "pods_get", PODS)
    assert ended.returncode == 3
    assert 'Skill "pods" wants to activate.' in ended.stdout
    assert "its permissions were revoked; activate it again" in ended.stderr
    assert skillbag("permissions", "pods", "--deny").returncode == 0
    denied = skillbag("call", "pods_get", PODS)
    assert denied.returncode == 1
    assert "a person revokes that on a terminal" in denied.stderr
