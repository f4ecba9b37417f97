"""`skillbag runtime hook --host claude`: recorded events of Claude Code, each answered by a process of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from skillbag.agent.hosts.carried import LIMITS
from skillbag.agent.hosts.claude import EVENTS
from skillbag.base.quoting import quoted
from tests.agent.claude_code import EVENT_FILES, SESSION, sent, specific, told
from tests.forked import execute
from tests.install.worlds import write
from tests.runtime.test_host_llm import TOKEN
from tests.runtime.worlds_active import LOGS_PHASES, active

WATCH = (
    f"{LOGS_PHASES}\n"
    """\
def guard(event):
    data = event["data"]
    if "secret" in data["input"]:
        return {"cancel": True, "reason": "no secrets"}
    return {"modified": {"input": data["input"].replace("git status", "git status --short")}}

register_hook("OnBeforeToolCall", guard)
register_hook("OnBeforePromptBuild", lambda event: {"modified": {"append_system_prompt": "Be brief."}})
register_hook("OnAfterToolResult", lambda event: {"modified": {"content": event["data"]["content"] + "!"}})
register_hook("OnAfterResponse", lambda event: {"modified": {"response": event["data"]["response"].upper()}})
register_tool("peek", "Peeks.", lambda input: "x")
"""
)
BRIEF = quoted("watch", "Be brief.")
GUARD = 'register_hook("OnBeforeToolCall", lambda event: None)\n'


@pytest.fixture
def root(tmp_path: Path, test_folder: Path) -> Path:
    """A workspace with a skill for everything, which the user's settings approve."""
    folder = tmp_path / "workspace"
    write(folder, {"SKILLBAG.md": "SkillBag v0.3.0\n", ".skills/SKILLS.md": ""})
    fields = {"permissions": "[file:read, file:write]", "triggers": "{keywords: [look]}", "types": "[tool, prompt]"}
    active(folder, "watch", WATCH, prompt="{system_prompt_file: p.md}", **fields)
    write(folder / ".skills/watch", {"p.md": "Watch closely.\n"})
    settings = {"version": 1, "runtime": {"approved_skills": ["watch", "guard"]}}
    write(test_folder / "user" / "config", {"settings.json": json.dumps(settings)})
    return folder


def test_a_session_goes_through_all_phases(root: Path) -> None:
    assert told(root, "session_start") == {}
    answer = told(root, "user_prompt_submit")
    lines = answer["systemMessage"].splitlines()
    assert lines[0] == 'skillbag: the skill "watch" is active'
    for phase, limit in LIMITS["claude"].items():
        assert f'skillbag: skill "watch", {phase}: {limit}' in lines
    context = specific(answer, "UserPromptSubmit")["additionalContext"]
    assert context.startswith(f'{BRIEF}\n\n<skill name="watch">\nSkill root directory: ')
    assert "Watch closely.\n</skill>\n\nActive skills have these tools: peek;" in context

    decided = specific(told(root, "pre_tool_use_bash"), "PreToolUse")
    assert decided == {"updatedInput": {"command": "git status --short", "description": "Show the state"}}
    denied = specific(told(root, "pre_tool_use_secret"), "PreToolUse")
    reason = 'The skill "watch" cancelled this call: no secrets'
    assert denied == {"permissionDecision": "deny", "permissionDecisionReason": reason}

    after = specific(told(root, "post_tool_use_bash"), "PostToolUse")["updatedToolOutput"]
    assert after == {"stdout": "clean\nwarning!", "stderr": "", "interrupted": False, "isImage": False}
    stopped = told(root, "stop")
    assert stopped.keys() == {"systemMessage"}
    assert stopped["systemMessage"].endswith("It says:\nALL IS DONE.")

    again = told(root, "user_prompt_submit")
    assert specific(again, "UserPromptSubmit") == {"additionalContext": BRIEF}
    assert "systemMessage" not in again
    compacted = specific(told(root, "session_start_compact"), "SessionStart")["additionalContext"]
    assert "Watch closely." in compacted

    assert told(root, "session_end") == {}
    assert (root / "log.txt").read_text().split() == [
        *("OnActivate", "OnConversationStart", "OnBeforePromptBuild"),
        # The input was changed, so that the first hook is asked again.
        *(
            "OnBeforeToolCall",
            "OnBeforeToolCall",
            "OnBeforeToolCall",
            "OnAfterToolResult",
            "OnAfterResponse",
            "OnBeforePromptBuild",
            "OnDeactivate",
        ),
    ]
    assert specific(told(root, "pre_tool_use_secret"), "PreToolUse")["permissionDecision"] == "deny"


@pytest.mark.nightly
def test_a_changed_result_keeps_its_shape_or_is_added(root: Path) -> None:
    told(root, "user_prompt_submit")
    read = specific(told(root, "post_tool_use_read"), "PostToolUse")["updatedToolOutput"]
    assert read["file"] == {
        "filePath": "/home/me/a.txt",
        "content": "text of a!",
        "numLines": 1,
        "startLine": 1,
        "totalLines": 1,
    }
    blocks = specific(told(root, "post_tool_use_mcp"), "PostToolUse")["updatedToolOutput"]
    assert [block.get("text") for block in blocks] == ["nodes!", None]
    for name, event in (("post_tool_use_write", "PostToolUse"), ("post_tool_use_failure", "PostToolUseFailure")):
        added = specific(told(root, name), event)
        assert added.keys() == {"additionalContext"}
        assert added["additionalContext"].endswith("!\n</skill>")
        assert added["additionalContext"].startswith("This result was changed by the hooks of: watch. It is instead:")


def test_what_the_user_must_allow_is_asked_and_nothing_stops(root: Path, test_folder: Path) -> None:
    (test_folder / "user" / "config" / "settings.json").write_text('{"version": 1}')
    answer = told(root, "user_prompt_submit")
    assert answer.keys() == {"systemMessage"}
    assert "file:write (medium risk" in answer["systemMessage"]
    assert "A person allows it, on a terminal" in answer["systemMessage"]
    assert not (root / "log.txt").exists()


def test_a_guard_that_fails_or_is_gone_cancels(root: Path) -> None:
    code = 'register_hook("OnBeforeToolCall", lambda event: fail("broken"))\n'
    guard = active(root, "guard", code, triggers="{modes: [interactive]}")
    told(root, "session_start")
    denied = specific(told(root, "pre_tool_use_bash"), "PreToolUse")
    assert denied["permissionDecision"] == "deny"
    assert "broken" in denied["permissionDecisionReason"]

    write(guard, {"main.star": f"{code})"})
    answer = told(root, "pre_tool_use_bash")
    assert 'skill "guard" is not active any more' in answer["systemMessage"]
    assert specific(answer, "PreToolUse")["permissionDecisionReason"].endswith("can't be asked: guard")


@pytest.mark.parametrize("permissions", ["[]", "[file:read]"])
def test_a_guard_that_was_edited_cancels_until_it_is_activated_again(root: Path, permissions: str) -> None:
    guard = active(root, "guard", GUARD, triggers="{modes: [interactive]}", permissions=permissions)
    told(root, "session_start")
    assert told(root, "pre_tool_use_bash") == {}
    write(guard, {"main.star": "x = 1\n"})
    for _ in range(3):
        assert is_denied(answer := told(root, "pre_tool_use_bash"))
        assert says_who(answer)
    assert "is active" in told(root, "user_prompt_submit", prompt="go on")["systemMessage"]
    assert told(root, "pre_tool_use_bash") == {}


@pytest.mark.usefixtures("a_person")
@pytest.mark.parametrize("decision", ["--deny", "--revoke"])
def test_a_guard_that_the_user_ends_cancels_nothing(root: Path, decision: str) -> None:
    code = GUARD.replace("None", '{"cancel": True, "reason": "no"}')
    active(root, "guard", code, triggers="{modes: [interactive]}", permissions="[file:read]")
    told(root, "session_start")
    assert "hookSpecificOutput" in told(root, "pre_tool_use_bash")
    assert execute(["runtime", "permissions", "guard", decision], root, os.environ).returncode == 0
    answer = told(root, "pre_tool_use_bash")
    assert answer.keys() == {"systemMessage"}
    assert 'skill "guard" is not active any more' in answer["systemMessage"]
    assert told(root, "pre_tool_use_bash") == {}


def test_a_workspace_ends_no_guard_of_the_user_by_taking_its_name(root: Path, test_folder: Path) -> None:
    personal = test_folder / "user/personal"
    personal.mkdir()
    guard = active(test_folder, "guard", GUARD, triggers="{modes: [interactive]}").rename(personal / "guard")
    told(root, "session_start")
    shutil.rmtree(guard)
    active(root, "guard", GUARD)
    (root / "skillbag.toml").write_text('[runtime]\ndenied_skills = ["guard"]\n')
    assert is_denied(told(root, "pre_tool_use_bash"))
    assert is_denied(told(root, "pre_tool_use_bash"))


@pytest.mark.usefixtures("a_person")
def test_a_guard_that_is_gone_cancels_until_it_is_deactivated(guarded: Path) -> None:
    shutil.rmtree(guarded / ".skills/guard")
    for name in ("pre_tool_use_bash", "session_start", "pre_tool_use_bash", "pre_tool_use_bash"):
        answer = told(guarded, name)
    assert is_denied(answer)
    done = execute(["runtime", "deactivate", "guard", "--session", SESSION], guarded, os.environ)
    assert "Deactivated: guard" in done.stdout
    assert told(guarded, "pre_tool_use_bash") == {}


def test_a_broken_guard_denies_each_call_and_says_how_to_go_on(root: Path) -> None:
    active(root, "guard", GUARD.replace("None", "fail('x')"), triggers="{modes: [interactive]}")
    told(root, "session_start")
    answers = [told(root, "pre_tool_use_bash") for _ in range(4)]
    for answer in answers:
        assert specific(answer, "PreToolUse")["permissionDecision"] == "deny"
    assert "its hook failed" in answers[-1]["systemMessage"]
    assert says_who(answers[-1])


@pytest.mark.parametrize("changed", ["null", "[]", '{"n": 9007199254740993}'])
def test_what_claude_code_would_not_run_as_it_was_judged_is_denied(root: Path, changed: str) -> None:
    code = f"lambda event: {{'modified': {{'input': '{changed}'}}}}"
    active(root, "guard", GUARD.replace("lambda event: None", code), triggers="{modes: [interactive]}")
    told(root, "session_start")
    assert specific(told(root, "pre_tool_use_bash"), "PreToolUse")["permissionDecision"] == "deny"


def test_a_flag_and_a_number_are_not_the_same(root: Path) -> None:
    code = """lambda event: {'modified': {'input': event["data"]["input"].replace("true", "1")}}"""
    active(root, "guard", GUARD.replace("lambda event: None", code), triggers="{modes: [interactive]}")
    told(root, "session_start")
    decided = specific(told(root, "pre_tool_use_bash", tool_input={"force": True}), "PreToolUse")
    assert json.dumps(decided) == '{"updatedInput": {"force": 1}}'


def test_errors_and_other_events_never_stop_the_agent(root: Path, test_folder: Path) -> None:
    assert told(root, "notification") == {}
    assert told(root, "user_prompt_submit", prompt=1) == {
        "systemMessage": "skillbag: Claude Code's event has no text `prompt`"
    }
    assert "standard input is not the JSON" in sent(root, "[]")["systemMessage"]
    assert "standard input is not the JSON" in sent(root, "{" * 9)["systemMessage"]
    assert told(root, "user_prompt_submit", session_id="../../x")["systemMessage"].startswith("skillbag: ")
    (test_folder / "user" / "config" / "settings.json").write_text("{")
    assert "settings.json" in told(root, "user_prompt_submit")["systemMessage"]


def test_without_active_skills_nothing_of_the_runtime_is_imported(tmp_path: Path) -> None:
    write(tmp_path, {"SKILLBAG.md": "SkillBag v0.3.0\n", ".skills/SKILLS.md": ""})
    event = (EVENT_FILES / "user_prompt_submit.json").read_text("utf-8").replace("FOLDER", str(tmp_path))
    code = (
        "import sys\nfrom skillbag.agent.hosts.answering import answer\nfrom skillbag.agent.hosts.known import HOSTS\n"
        "assert answer(HOSTS['claude'], sys.stdin.buffer.read()) == {}\n"
        "print([name for name in sys.modules if name.startswith(('skillbag.runtime', 'skillbag.manifest'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], input=event, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_every_recorded_event_has_the_name_of_one_of_claude_code() -> None:
    names = {json.loads(path.read_text("utf-8"))["hook_event_name"] for path in EVENT_FILES.glob("*.json")}
    assert names == {*EVENTS, "Notification"}


@pytest.fixture
def guarded(root: Path) -> Path:
    """The workspace, in a session with an active guard that lets all calls pass."""
    active(root, "guard", GUARD, triggers="{modes: [interactive]}")
    told(root, "session_start")
    assert told(root, "pre_tool_use_bash") == {}
    return root


def is_denied(answer: Any) -> bool:
    reason = answer.get("hookSpecificOutput", {}).get("permissionDecisionReason", "")
    return "can't be asked: guard" in reason and "skillbag runtime" not in reason and bool(answer.get("systemMessage"))


def says_who(answer: Any) -> bool:
    """Whether the user is told who lifts the guard, without a command that a model could type."""
    said = f"A person activates or deactivates it in the session {SESSION}, on a terminal"
    return said in answer["systemMessage"] and "skillbag runtime" not in json.dumps(answer)


def test_a_call_whose_event_can_t_be_read_does_not_pass_a_guard(guarded: Path) -> None:
    event = json.loads((EVENT_FILES / "pre_tool_use_bash.json").read_text("utf-8")) | {"cwd": str(guarded)}
    whole = json.dumps(event)
    deep = whole[:-1] + ', "more": ' + "[" * 200_000 + "]" * 200_000 + "}"
    nested = whole[:-1] + ', "more": ' + "[" * 20_000 + "]" * 20_000 + "}"
    for data in (whole[:-1], deep, f'{{"cwd": {json.dumps(str(guarded))}'):
        assert is_denied(sent(guarded, data))
    assert says_who(sent(guarded, whole[:-1]))
    for session in (1, ""):
        assert is_denied(told(guarded, "pre_tool_use_bash", session_id=session))
    assert is_denied(told(guarded, "pre_tool_use_bash", tool_name=3))
    assert "hookSpecificOutput" not in sent(guarded, whole[:-1].replace("PreToolUse", "PostToolUse"))
    assert "hookSpecificOutput" not in sent(guarded, whole[:-1].replace(SESSION, "another"))
    assert sent(guarded, nested) == {} or is_denied(sent(guarded, nested))


def test_a_call_does_not_pass_a_guard_when_settings_can_t_be_read(guarded: Path, test_folder: Path) -> None:
    (guarded / "skillbag.toml").write_text("[runtime")
    assert is_denied(told(guarded, "pre_tool_use_bash"))
    (guarded / "skillbag.toml").unlink()
    (test_folder / "user" / "config" / "settings.json").write_text("{")
    assert is_denied(told(guarded, "pre_tool_use_bash"))
    assert "hookSpecificOutput" not in told(guarded, "post_tool_use_bash")


def test_what_a_skill_says_has_no_control_characters_and_no_secrets(root: Path) -> None:
    said = f"\\x1b[2J {TOKEN}"
    code = f"""\
register_hook("OnAfterResponse", lambda event: {{"modified": {{"response": "{said}"}}}})
register_hook("OnBeforeToolCall", lambda event: {{"cancel": True, "reason": "{said}"}})
"""
    active(root, "guard", code, triggers="{modes: [interactive]}")
    told(root, "session_start")
    stopped = told(root, "stop")["systemMessage"]
    denied = specific(told(root, "pre_tool_use_bash"), "PreToolUse")["permissionDecisionReason"]
    for text in (stopped, denied):
        assert "\\x1b[2J" in text
        assert "\x1b" not in text
        assert TOKEN[8:] not in text
