"""`skillbag runtime hook --host claude`: recorded events of Claude Code, each answered by a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from skillbag.agents.hosts.claude import EVENTS
from skillbag.agents.hosts.telling import LIMITS
from skillbag.kernel.base.quoting import quoted
from tests.agents.tools.claude_code import EVENT_FILES, reported, sent, specific
from tests.runtime.host.test_host_llm import TOKEN
from tests.runtime.worlds_active import LOGS_PHASES, active
from tests.supply.install.worlds import write

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
    assert reported(root, "session_start") == {}
    answer = reported(root, "user_prompt_submit")
    lines = answer["systemMessage"].splitlines()
    assert lines[0] == 'skillbag: the skill "watch" is active'
    for phase, limit in LIMITS["claude"].items():
        assert f'skillbag: skill "watch", {phase}: {limit}' in lines
    context = specific(answer, "UserPromptSubmit")["additionalContext"]
    assert context.startswith(f'{BRIEF}\n\n<skill name="watch">\nSkill root directory: ')
    assert "Watch closely.\n</skill>\n\nActive skills have these tools: peek;" in context

    decided = specific(reported(root, "pre_tool_use_bash"), "PreToolUse")
    assert decided == {"updatedInput": {"command": "git status --short", "description": "Show the state"}}
    denied = specific(reported(root, "pre_tool_use_secret"), "PreToolUse")
    reason = 'The skill "watch" cancelled this call: no secrets'
    assert denied == {"permissionDecision": "deny", "permissionDecisionReason": reason}

    after = specific(reported(root, "post_tool_use_bash"), "PostToolUse")["updatedToolOutput"]
    assert after == {"stdout": "clean\nwarning!", "stderr": "", "interrupted": False, "isImage": False}
    stopped = reported(root, "stop")
    assert stopped.keys() == {"systemMessage"}
    assert stopped["systemMessage"].endswith("It says:\nALL IS DONE.")

    again = reported(root, "user_prompt_submit")
    assert specific(again, "UserPromptSubmit") == {"additionalContext": BRIEF}
    assert "systemMessage" not in again
    compacted = specific(reported(root, "session_start_compact"), "SessionStart")["additionalContext"]
    assert "Watch closely." in compacted

    assert reported(root, "session_end") == {}
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
    assert specific(reported(root, "pre_tool_use_secret"), "PreToolUse")["permissionDecision"] == "deny"


@pytest.mark.nightly
def test_the_hook_of_each_prompt_has_the_turn_and_what_active_skills_want(root: Path) -> None:
    event = json.loads((EVENT_FILES / "user_prompt_submit.json").read_text("utf-8").replace("FOLDER", str(root)))
    command = [sys.executable, "-m", "skillbag", "turn", "--hook"]
    done = subprocess.run(command, input=json.dumps(event), capture_output=True, text=True, check=True)
    answer = json.loads(done.stdout)
    assert 'the skill "watch" is active' in answer["systemMessage"]
    context = specific(answer, "UserPromptSubmit")["additionalContext"]
    assert context.startswith("Entry into the workspace")
    assert BRIEF in context


def test_a_changed_result_keeps_its_shape_or_is_added(root: Path) -> None:
    reported(root, "user_prompt_submit")
    read = specific(reported(root, "post_tool_use_read"), "PostToolUse")["updatedToolOutput"]
    assert read["file"] == {
        "filePath": "/home/me/a.txt",
        "content": "text of a!",
        "numLines": 1,
        "startLine": 1,
        "totalLines": 1,
    }
    blocks = specific(reported(root, "post_tool_use_mcp"), "PostToolUse")["updatedToolOutput"]
    assert [block.get("text") for block in blocks] == ["nodes!", None]
    for name, event in (("post_tool_use_write", "PostToolUse"), ("post_tool_use_failure", "PostToolUseFailure")):
        added = specific(reported(root, name), event)
        assert added.keys() == {"additionalContext"}
        assert added["additionalContext"].endswith("!\n</skill>")
        assert added["additionalContext"].startswith("This result was changed by the hooks of: watch. It is instead:")


def test_what_the_user_must_allow_is_asked_and_nothing_stops(root: Path, test_folder: Path) -> None:
    (test_folder / "user" / "config" / "settings.json").write_text('{"version": 1}')
    answer = reported(root, "user_prompt_submit")
    assert answer.keys() == {"systemMessage"}
    assert "file:write (medium risk" in answer["systemMessage"]
    assert "A person allows it, on a terminal" in answer["systemMessage"]
    assert not (root / "log.txt").exists()


def test_errors_and_other_events_never_stop_the_agent(root: Path, test_folder: Path) -> None:
    assert reported(root, "notification") == {}
    assert reported(root, "user_prompt_submit", prompt=1) == {
        "systemMessage": "skillbag: Claude Code's event has no text `prompt`"
    }
    assert "standard input is not the JSON" in sent(root, "[]")["systemMessage"]
    assert "standard input is not the JSON" in sent(root, "{" * 9)["systemMessage"]
    assert reported(root, "user_prompt_submit", session_id="../../x")["systemMessage"].startswith("skillbag: ")
    (test_folder / "user" / "config" / "settings.json").write_text("{")
    assert "settings.json" in reported(root, "user_prompt_submit")["systemMessage"]


def test_without_active_skills_nothing_of_the_runtime_is_imported(tmp_path: Path) -> None:
    write(tmp_path, {"SKILLBAG.md": "SkillBag v0.3.0\n", ".skills/SKILLS.md": ""})
    event = (EVENT_FILES / "user_prompt_submit.json").read_text("utf-8").replace("FOLDER", str(tmp_path))
    code = (
        "import sys\nfrom skillbag.agents.hosts.answering import answer\n"
        "assert answer('claude', sys.stdin.buffer.read()) == {}\n"
        "print([name for name in sys.modules if name.startswith(('skillbag.runtime', 'skillbag.kernel.manifest'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], input=event, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_every_recorded_event_has_the_name_of_one_of_claude_code() -> None:
    names = {json.loads(path.read_text("utf-8"))["hook_event_name"] for path in EVENT_FILES.glob("*.json")}
    assert names == {*EVENTS, "Notification"}


def test_what_a_skill_says_has_no_control_characters_and_no_secrets(root: Path) -> None:
    said = f"\\x1b[2J {TOKEN}"
    code = f"""\
register_hook("OnAfterResponse", lambda event: {{"modified": {{"response": "{said}"}}}})
register_hook("OnBeforeToolCall", lambda event: {{"cancel": True, "reason": "{said}"}})
"""
    active(root, "guard", code, triggers="{modes: [interactive]}")
    reported(root, "session_start")
    stopped = reported(root, "stop")["systemMessage"]
    denied = specific(reported(root, "pre_tool_use_bash"), "PreToolUse")["permissionDecisionReason"]
    for text in (stopped, denied):
        assert "\\x1b[2J" in text
        assert "\x1b" not in text
        assert TOKEN[8:] not in text
