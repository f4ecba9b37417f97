"""A workflow is a call: guards are asked, whoever runs it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skillbag.agents.settings.scope import scope_at
from skillbag.agents.tools.active_tools import ActiveTools
from skillbag.agents.tools.registry import call_tool
from skillbag.agents.tools.tool import ToolFailedError
from skillbag.runtime.errors import NotPermittedError
from skillbag.runtime.sessions.runtime import Runtime
from tests.runtime.worlds_active import active, opened
from tests.supply.install.worlds import write
from tests.support import Run

GUARD = """\
def guard(event):
    data = event["data"]
    if "stop" in data["input"]:
        return {"cancel": True, "reason": data["tool_name"]}
    return {"modified": {"input": data["input"].replace("change", "changed")}}

def after(event):
    return {"modified": {"content": event["data"]["content"].replace("secret", "hidden")}}

register_hook("OnBeforeToolCall", guard)
register_hook("OnAfterToolResult", after)
"""
CODE = """\
register_workflow("plan", lambda input: {"planned": input["text"]})
register_tool("outer", "Runs a workflow.", lambda input: json.encode(invoke_skill("work/plan", input)))
register_tool("show", "Shows a text.", lambda input: input["text"])
"""
Door = Callable[[Runtime, Any], Any]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace with a guard, and a skill whose tool runs its workflow."""
    folder = tmp_path / "workspace"
    write(folder, {"SKILLBAG.md": "SkillBag v0.3.0\n", ".skills/SKILLS.md": ""})
    active(folder, "work", CODE, types="[tool, workflow]", permissions="[skill:invoke]")
    active(folder, "guard", GUARD)
    return folder


def by_agent(runtime: Runtime, value: Any) -> Any:
    scope = scope_at(str(runtime.request.workspace))
    return json.loads(str(call_tool(scope, "workflow_plan", value, ActiveTools(runtime, "mcp")).value))


def by_skill(runtime: Runtime, value: Any) -> Any:
    output = runtime.calls.tool("outer", value)
    if output.is_error:
        raise ToolFailedError(output.content)
    return json.loads(output.content)


DOORS: dict[str, Door] = {
    "agent": by_agent,
    "another skill": by_skill,
    "python": lambda runtime, value: runtime.run_workflow("work", value),
}


@pytest.mark.parametrize("door", DOORS)
def test_a_workflow_is_judged_and_changed_at_every_door(root: Path, door: str) -> None:
    with opened(root) as runtime:
        runtime.activate("work")
        runtime.activate("guard")
        assert DOORS[door](runtime, {"text": "change"}) == {"planned": "changed"}
        # What a model gets, and not what one skill returns to another.
        hidden = "secret" if door == "another skill" else "hidden"
        assert DOORS[door](runtime, {"text": "secret"}) == {"planned": hidden}
        with pytest.raises((NotPermittedError, ToolFailedError), match="cancelled this call: workflow_plan"):
            DOORS[door](runtime, {"text": "stop"})


def test_the_second_of_a_name_has_one_name_for_agents_and_guards(root: Path) -> None:
    active(root, "zeta", 'register_workflow("plan", lambda input: 1)\n', types="[workflow]")
    with opened(root) as runtime:
        for name in ("work", "zeta", "guard"):
            runtime.activate(name)
        assert [each.tool for each in runtime.workflows()] == ["workflow_plan", "workflow_zeta_plan"]
        with pytest.raises(NotPermittedError, match="cancelled this call: workflow_zeta_plan"):
            runtime.run_workflow("zeta/plan", "stop")
        with pytest.raises(ToolFailedError, match="cancelled this call: workflow_zeta_plan"):
            call_tool(scope_at(str(root)), "workflow_zeta_plan", {"text": "stop"}, ActiveTools(runtime, "mcp"))


def test_what_changed_a_result_is_told_at_every_door(root: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SKILLBAG_APPROVE_SKILLS", "guard,work")
    said = "This result was changed by the hooks of: guard."
    value = {"text": "secret"}
    with opened(root) as runtime:
        runtime.activate("work")
        runtime.activate("guard")
        assert runtime.run_reported("work", value).said == said
        answer = call_tool(scope_at(str(root)), "workflow_plan", value, ActiveTools(runtime, "mcp")).full_text
        assert answer == f'{{"planned": "hidden"}}\n\n{said}'
    for kind, name in (("run", "work"), ("call", "show")):
        words = ("runtime", kind, name, json.dumps(value), "--skills", "guard", "--skills", "work", "--json")
        values = json.loads(run(*words, cwd=root).out)
        assert (said in values["remarks"], "hidden" in str(values)) == (True, True), values


def test_one_skill_does_not_run_it_for_another_past_a_guard(root: Path) -> None:
    code = GUARD.replace('if "stop"', 'if data["tool_name"] == "workflow_plan" and "stop"')
    (root / ".skills/guard/main.star").write_text(code)
    with opened(root) as runtime:
        runtime.activate("work")
        runtime.activate("guard")
        assert "planned" in runtime.call_tool("outer", {"text": "go"}).output.content
        refused = runtime.call_tool("outer", {"text": "stop"}).output
        assert (refused.is_error, "cancelled this call: workflow_plan" in refused.content) == (True, True)


def test_a_lost_guard_is_activated_past_itself_and_not_past_others(root: Path) -> None:
    active(root, "strict", GUARD.replace('"stop"', '"guard"'))
    with opened(root) as runtime:
        for name in ("guard", "strict"):
            runtime.activate(name)
        runtime.skills.fail("guard", "its process ended")
        scope, tools = scope_at(str(root)), ActiveTools(runtime, "mcp")
        with pytest.raises(ToolFailedError, match='"strict" cancelled this call: skill_activate'):
            call_tool(scope, "skill_activate", {"skill": "guard"}, tools)
        with pytest.raises(ToolFailedError, match="can't be asked: guard"):
            call_tool(scope, "skill_activate", {"skill": "work"}, tools)
        runtime.deactivate("strict")
        assert not call_tool(scope, "skill_activate", {"skill": "guard"}, tools).asks
        assert not runtime.skills.lost.guards


def test_without_a_right_a_skill_sees_its_own_workflow_alone(root: Path) -> None:
    code = """\
register_workflow("mine", lambda input: "mine")
register_hook("OnBeforeToolCall", lambda event: {"cancel": "stop" in event["data"]["input"]})
register_hook("OnAfterToolResult", lambda event: {"modified": {"content": event["data"]["content"] + "!"}})
"""
    active(root, "own", code, own_calls=True, types="[workflow]")
    with opened(root) as runtime:
        runtime.activate("work")
        runtime.activate("own")
        scope, tools = scope_at(str(root)), ActiveTools(runtime, "mcp")
        assert call_tool(scope, "workflow_mine", {}, tools).value == "mine!"
        assert call_tool(scope, "workflow_plan", {"text": "stop"}, tools).value == '{"planned": "stop"}'
        with pytest.raises(ToolFailedError, match='"own" cancelled this call'):
            call_tool(scope, "workflow_mine", {"text": "stop"}, tools)
