"""Guards at Claude Code: where one fails, was edited or is gone, no call passes it."""

from __future__ import annotations

import json
import os
import shutil
import time
from pathlib import Path
from typing import Any

import pytest

from tests.agents.tools.claude_code import EVENT_FILES, SESSION, reported, sent, specific
from tests.forked import execute
from tests.runtime.worlds_active import active, approve
from tests.supply.install.worlds import write

GUARD = 'register_hook("OnBeforeToolCall", lambda event: None)\n'


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace whose skill `guard` the user's settings approve."""
    folder = tmp_path / "workspace"
    write(folder, {"SKILLBAG.md": "SkillBag v0.3.0\n", ".skills/SKILLS.md": ""})
    approve("guard")
    return folder


@pytest.fixture
def guarded(root: Path) -> Path:
    """The workspace, in a session with an active guard that lets all calls pass."""
    active(root, "guard", GUARD, triggers="{modes: [interactive]}")
    reported(root, "session_start")
    assert reported(root, "pre_tool_use_bash") == {}
    return root


def is_denied(answer: Any) -> bool:
    reason = answer.get("hookSpecificOutput", {}).get("permissionDecisionReason", "")
    return "can't be asked: guard" in reason and "skillbag runtime" not in reason and bool(answer.get("systemMessage"))


def says_who(answer: Any) -> bool:
    """Whether the user is told who lifts the guard, without a command that a model could type."""
    said = f"A person activates or deactivates it in the session {SESSION}, on a terminal"
    return said in answer["systemMessage"] and "skillbag runtime" not in json.dumps(answer)


def test_a_guard_that_fails_or_is_gone_cancels(root: Path) -> None:
    code = 'register_hook("OnBeforeToolCall", lambda event: fail("broken"))\n'
    guard = active(root, "guard", code, triggers="{modes: [interactive]}")
    reported(root, "session_start")
    denied = specific(reported(root, "pre_tool_use_bash"), "PreToolUse")
    assert denied["permissionDecision"] == "deny"
    assert "broken" in denied["permissionDecisionReason"]

    write(guard, {"main.star": f"{code})"})
    answer = reported(root, "pre_tool_use_bash")
    assert 'skill "guard" is not active any more' in answer["systemMessage"]
    assert specific(answer, "PreToolUse")["permissionDecisionReason"].endswith("can't be asked: guard")


@pytest.mark.parametrize("permissions", ["[]", "[file:read]"])
def test_a_guard_that_was_edited_cancels_until_it_is_activated_again(root: Path, permissions: str) -> None:
    guard = active(root, "guard", GUARD, triggers="{modes: [interactive]}", permissions=permissions)
    reported(root, "session_start")
    assert reported(root, "pre_tool_use_bash") == {}
    write(guard, {"main.star": "x = 1\n"})
    for _ in range(3):
        assert is_denied(answer := reported(root, "pre_tool_use_bash"))
        assert says_who(answer)
    assert "is active" in reported(root, "user_prompt_submit", prompt="go on")["systemMessage"]
    assert reported(root, "pre_tool_use_bash") == {}


@pytest.mark.usefixtures("a_person")
@pytest.mark.parametrize("decision", ["--deny", "--revoke"])
def test_a_guard_that_the_user_ends_cancels_nothing(root: Path, decision: str) -> None:
    code = GUARD.replace("None", '{"cancel": True, "reason": "no"}')
    active(root, "guard", code, triggers="{modes: [interactive]}", permissions="[file:read]")
    reported(root, "session_start")
    assert "hookSpecificOutput" in reported(root, "pre_tool_use_bash")
    assert execute(["runtime", "permissions", "guard", decision], root, os.environ).returncode == 0
    answer = reported(root, "pre_tool_use_bash")
    assert answer.keys() == {"systemMessage"}
    assert 'skill "guard" is not active any more' in answer["systemMessage"]
    assert reported(root, "pre_tool_use_bash") == {}


def test_a_workspace_ends_no_guard_of_the_user_by_taking_its_name(root: Path, test_folder: Path) -> None:
    personal = test_folder / "user/personal"
    personal.mkdir()
    guard = active(test_folder, "guard", GUARD, triggers="{modes: [interactive]}").rename(personal / "guard")
    reported(root, "session_start")
    shutil.rmtree(guard)
    active(root, "guard", GUARD)
    (root / "skillbag.toml").write_text('[runtime]\ndenied_skills = ["guard"]\n')
    assert is_denied(reported(root, "pre_tool_use_bash"))
    assert is_denied(reported(root, "pre_tool_use_bash"))


@pytest.mark.usefixtures("a_person")
def test_a_guard_that_is_gone_cancels_until_it_is_deactivated(guarded: Path) -> None:
    shutil.rmtree(guarded / ".skills/guard")
    for name in ("pre_tool_use_bash", "session_start", "pre_tool_use_bash", "pre_tool_use_bash"):
        answer = reported(guarded, name)
    assert is_denied(answer)
    done = execute(["runtime", "deactivate", "guard", "--session", SESSION], guarded, os.environ)
    assert "Deactivated: guard" in done.stdout
    assert reported(guarded, "pre_tool_use_bash") == {}


def test_a_broken_guard_denies_each_call_and_says_how_to_go_on(root: Path) -> None:
    active(root, "guard", GUARD.replace("None", "fail('x')"), triggers="{modes: [interactive]}")
    reported(root, "session_start")
    answers = [reported(root, "pre_tool_use_bash") for _ in range(4)]
    for answer in answers:
        assert specific(answer, "PreToolUse")["permissionDecision"] == "deny"
    assert "its hook failed" in answers[-1]["systemMessage"]
    assert says_who(answers[-1])


@pytest.mark.parametrize("changed", ["null", "[]", '{"n": 9007199254740993}'])
def test_what_claude_code_would_not_run_as_it_was_judged_is_denied(root: Path, changed: str) -> None:
    code = f"lambda event: {{'modified': {{'input': '{changed}'}}}}"
    active(root, "guard", GUARD.replace("lambda event: None", code), triggers="{modes: [interactive]}")
    reported(root, "session_start")
    assert specific(reported(root, "pre_tool_use_bash"), "PreToolUse")["permissionDecision"] == "deny"


def test_a_flag_and_a_number_are_not_the_same(root: Path) -> None:
    code = """lambda event: {'modified': {'input': event["data"]["input"].replace("true", "1")}}"""
    active(root, "guard", GUARD.replace("lambda event: None", code), triggers="{modes: [interactive]}")
    reported(root, "session_start")
    decided = specific(reported(root, "pre_tool_use_bash", tool_input={"force": True}), "PreToolUse")
    assert json.dumps(decided) == '{"updatedInput": {"force": 1}}'


def test_a_call_whose_event_can_t_be_read_does_not_pass_a_guard(guarded: Path) -> None:
    event = json.loads((EVENT_FILES / "pre_tool_use_bash.json").read_text("utf-8")) | {"cwd": str(guarded)}
    whole = json.dumps(event)
    deep = whole[:-1] + ', "more": ' + "[" * 200_000 + "]" * 200_000 + "}"
    nested = whole[:-1] + ', "more": ' + "[" * 20_000 + "]" * 20_000 + "}"
    for data in (whole[:-1], deep, f'{{"cwd": {json.dumps(str(guarded))}'):
        assert is_denied(sent(guarded, data))
    assert says_who(sent(guarded, whole[:-1]))
    for session in (1, ""):
        assert is_denied(reported(guarded, "pre_tool_use_bash", session_id=session))
    assert is_denied(reported(guarded, "pre_tool_use_bash", tool_name=3))
    assert "hookSpecificOutput" not in sent(guarded, whole[:-1].replace("PreToolUse", "PostToolUse"))
    assert "hookSpecificOutput" not in sent(guarded, whole[:-1].replace(SESSION, "another"))
    assert sent(guarded, nested) == {} or is_denied(sent(guarded, nested))


def test_a_call_does_not_pass_a_guard_when_settings_can_t_be_read(guarded: Path, test_folder: Path) -> None:
    (guarded / "skillbag.toml").write_text("[runtime")
    # What a workspace says does not keep a guard from its answer.
    assert reported(guarded, "pre_tool_use_bash") == {}
    (guarded / "skillbag.toml").unlink()
    (test_folder / "user" / "config" / "settings.json").write_text("{")
    assert is_denied(reported(guarded, "pre_tool_use_bash"))
    assert "hookSpecificOutput" not in reported(guarded, "post_tool_use_bash")


def _aged(days: int) -> None:
    """All that is kept of sessions was written so many days ago."""
    for path in (Path(os.environ["SKILLBAG_STATE_DIR"]) / "runtime").rglob("*.*"):
        os.utime(path, (time.time() - days * 86400,) * 2)


def _other_session_ends(root: Path) -> None:
    """The end of any session deletes what is old."""
    reported(root, "session_start", session_id="other")
    reported(root, "session_end", session_id="other")


@pytest.mark.parametrize(("ended", "days", "kept"), [(True, 31, False), (True, 29, True), (False, 400, True)], ids=str)
def test_a_guard_goes_with_its_session_thirty_days_after_that_has_ended(
    guarded: Path, ended: bool, days: int, kept: bool
) -> None:
    if ended:
        reported(guarded, "session_end")
    _aged(days)
    _other_session_ends(guarded)
    shutil.rmtree(guarded / ".skills/guard")
    assert is_denied(reported(guarded, "pre_tool_use_bash")) is kept


def test_a_session_that_goes_on_after_its_end_keeps_its_guard(guarded: Path) -> None:
    reported(guarded, "session_end")
    assert reported(guarded, "pre_tool_use_bash") == {}
    _aged(400)
    _other_session_ends(guarded)
    shutil.rmtree(guarded / ".skills/guard")
    assert is_denied(reported(guarded, "pre_tool_use_bash"))


def test_a_session_that_goes_on_in_another_workspace_keeps_its_guard(guarded: Path) -> None:
    reported(guarded, "session_end")
    elsewhere = guarded.parent / "elsewhere"
    write(elsewhere, {"SKILLBAG.md": "SkillBag v0.3.0\n", ".skills/SKILLS.md": ""})
    assert is_denied(reported(elsewhere, "pre_tool_use_bash"))
    _aged(400)
    _other_session_ends(elsewhere)
    assert is_denied(reported(elsewhere, "pre_tool_use_bash"))
