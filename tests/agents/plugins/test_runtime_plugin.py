"""Active skills in a host of the executable plugin protocol: their tools, and its hooks that reach theirs."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from skillbag.agents.hosts.telling import LIMITS
from skillbag.agents.plugins.active_hooks import HOOKS
from skillbag.agents.plugins.plugin import HOOKS as OWN_HOOKS
from skillbag.kernel.base.quoting import quoted
from tests.agents.plugins.plain_host import FORMS, INPUT
from tests.agents.plugins.plugged import Hosting, Plugged, tools
from tests.runtime.worlds_active import LOGS_PHASES, active
from tests.supply.install.worlds import write

WATCH = (
    f"{LOGS_PHASES}\n"
    """\
def guard(event):
    data = event["data"]
    if "secret" in data["input"]:
        return {"cancel": True, "reason": "no secrets"}
    return {"modified": {"input": data["input"].replace("status", "log")}}

register_hook("OnBeforeToolCall", guard)
register_hook("OnBeforePromptBuild", lambda event: {"modified": {"append_system_prompt": "Be brief."}})
register_hook("OnAfterToolResult", lambda event: {"modified": {"content": event["data"]["content"] + "!"}})
register_hook("OnAfterResponse", lambda event: {"modified": {"response": "changed"}})
"""
)
PEEK = 'register_tool("peek", "Peeks.", lambda input: "saw " + input.get("what", "nothing"))\n'


CHANGED = {"output": "clean!\n(This result was changed by the hooks of: watch.)"}


@pytest.fixture
def skills(workspace: Path) -> Path:
    """The workspace with a tool that is active in this mode, and a skill for every hook that a word activates."""
    fields = {"permissions": "[file:read, file:write]", "triggers": "{keywords: [look]}"}
    active(workspace, "watch", WATCH, types="[tool, prompt]", prompt="{system_prompt_file: p.md}", **fields)
    write(workspace / ".skills/watch", {"p.md": "Watch closely.\n"})
    active(workspace, "peeker", PEEK, triggers="{modes: [plugin]}")
    settings = {"version": 1, "runtime": {"approved_skills": ["watch"]}}
    write(Path(os.environ["SKILLBAG_CONFIG_DIR"]), {"settings.json": json.dumps(settings)})
    return workspace


@pytest.mark.parametrize("form", FORMS)
def test_a_conversation_goes_through_all_phases(inner: Hosting, skills: Path, form: str) -> None:
    caller = inner(form)
    assert caller.hook("on_start") == {}
    assert caller.hook("pre_message", {"prompt": "look here"}) == {}
    injected = caller.hook("post_system_prompt")["inject"]
    assert injected.startswith("## Available Agent Skills\n")
    assert f'\n\n{quoted("watch", "Be brief.")}\n\n<skill name="watch">\nSkill root directory: ' in injected
    assert injected.endswith("Watch closely.\n</skill>")
    call = {"tool_name": "shell_exec", "arguments": {"command": "git status"}}
    assert caller.hook("pre_tool", call) == {"arguments": {"command": "git log"}}
    secret = {"tool_name": "file_head", "arguments": {"path": "secret"}}
    blocked = {"block": True, "message": 'The skill "watch" cancelled this call: no secrets'}
    assert caller.hook("pre_tool", secret) == blocked
    assert caller.hook("pre_tool_output", {**call, "output": "clean"}) == CHANGED
    assert caller.hook("post_message", {"prompt": "look here", "response": "done"}) == {}
    assert caller.hook("on_end") == {}
    assert (skills / "log.txt").read_text().split() == [
        *("OnActivate", "OnConversationStart", "OnBeforePromptBuild"),
        # The first call was changed, so that the first hook is asked again.
        *(
            "OnBeforeToolCall",
            "OnBeforeToolCall",
            "OnBeforeToolCall",
            "OnAfterToolResult",
            "OnAfterResponse",
            "OnDeactivate",
        ),
    ]
    assert caller.hook("pre_tool", secret) == blocked


def test_the_user_is_told_on_standard_error(plugged: Plugged, skills: Path) -> None:
    reported = plugged(CHIBI_HOOK="pre_message", CHIBI_HOOK_DATA='{"prompt": "look"}').err
    assert 'the skill "watch" is active' in reported
    assert all(f'skill "watch", {phase}: {limit}' in reported for phase, limit in LIMITS["plugin"].items())
    answered = plugged(CHIBI_HOOK="post_message", CHIBI_HOOK_DATA='{"response": "x"}')
    assert answered.value == {}
    assert answered.err.endswith("it says:\nchanged\n")


def test_tools_of_active_skills_are_offered_and_called(plugged: Plugged, skills: Path) -> None:
    schema = plugged(words=("--schema",)).value
    assert schema[0]["hooks"] == [*OWN_HOOKS, *(hook for hook in HOOKS if hook not in OWN_HOOKS)]
    assert {"peek", "skill_activate", "skill_deactivate"} <= {entry["name"] for entry in schema}
    assert plugged(b'{"what": "it"}', CHIBI_TOOL_NAME="peek").out == "saw it\n"
    reported = plugged(b'{"skill": "watch"}', CHIBI_TOOL_NAME="skill_activate").out
    assert reported.startswith("Active now: watch.\n")
    assert plugged(b'{"what": "secret"}', CHIBI_TOOL_NAME="peek").out == (
        'Error: The skill "watch" cancelled this call: no secrets\n'
    )


def test_a_workflow_is_a_tool(plugged: Plugged, workspace: Path) -> None:
    code = 'register_workflow("plan", lambda input: {"steps": [input["title"]]})\n'
    active(workspace, "planner", code, types="[workflow]", triggers="{modes: [plugin]}")
    assert "workflow_plan" in tools(plugged)
    assert plugged(b'{"title": "x"}', CHIBI_TOOL_NAME="workflow_plan").out == '{"steps": ["x"]}\n'


def test_a_guard_that_is_gone_blocks_calls(plugged: Plugged, skills: Path) -> None:
    plugged(CHIBI_HOOK="pre_message", CHIBI_HOOK_DATA='{"prompt": "look"}')
    for name in ("watch", "peeker"):
        shutil.rmtree(skills / ".skills" / name)
    write(Path(os.environ["SKILLBAG_CONFIG_DIR"]), {"settings.json": '{"version": 1}'})
    lost = "Active skills that guard calls can't be asked: watch"
    answer = plugged(CHIBI_HOOK="pre_tool", CHIBI_HOOK_DATA='{"tool_name": "Read", "arguments": {}}')
    assert answer.value == {"block": True, "message": lost}
    assert 'skill "watch" is not active any more: skill "watch" not found' in answer.err
    assert "A person activates or deactivates it in the session " in answer.err
    assert plugged(CHIBI_HOOK="pre_message", CHIBI_HOOK_DATA='{"prompt": "look"}').value == {}
    active(skills, "peeker", PEEK, triggers="{modes: [plugin]}")
    assert plugged(b"{}", CHIBI_TOOL_NAME="peek").out == f"Error: {lost}\n"


def test_a_call_without_a_tool_is_blocked_where_there_is_a_guard(plugged: Plugged, skills: Path) -> None:
    for data in ("{}", '{"tool": "Read"}'):
        assert plugged(CHIBI_HOOK="pre_tool", CHIBI_HOOK_DATA=data).value == {}
    plugged(CHIBI_HOOK="pre_message", CHIBI_HOOK_DATA='{"prompt": "look"}')
    for data in ("{}", '{"tool": "Read"}'):
        assert plugged(CHIBI_HOOK="pre_tool", CHIBI_HOOK_DATA=data).value["block"]


def test_settings_that_can_t_be_used_block_calls_and_hide_no_tool(plugged: Plugged, skills: Path) -> None:
    write(Path(os.environ["SKILLBAG_CONFIG_DIR"]), {"settings.json": '{"version": 1, "runtime": 1}'})
    assert "skill_aa" in tools(plugged)
    answer = plugged(CHIBI_HOOK="pre_tool", CHIBI_HOOK_DATA='{"tool_name": "Read"}').value
    assert answer["block"] is True


def test_without_active_skills_all_is_as_it_was(inner: Hosting, plugged: Plugged, workspace: Path) -> None:
    assert plugged(words=("--schema",)).value[0]["hooks"] == list(OWN_HOOKS)
    assert "peek" not in tools(plugged)
    assert inner(INPUT).hook("pre_message", {"prompt": "look"}) == {}
