"""Active skills over MCP: their tools, workflows and prompts, hooks around calls, and permissions that a user gives."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp_types import INVALID_PARAMS

from tests.agents.mcp_server.mcp_worlds import Pipe, environment, pipe
from tests.forked import execute
from tests.processes import eventually
from tests.runtime.worlds_active import active, manifest
from tests.supply.install.worlds import write

TOOLS = """\
register_tool("shout", "Shouts.", lambda input: input["text"].upper(), input_schema={
    "type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"],
})
register_tool("drop", "Drops.", lambda input: "dropped", requires_approval=True)
register_workflow("plan", lambda input: {"steps": [input["title"]]})
"""
GUARD = """\
def guard(event):
    data = event["data"]
    if "secret" in data["input"]:
        return {"cancel": True, "reason": "no secrets"}
    return {"modified": {"input": data["input"].replace("an", "en").replace("nope", "guide")}}

register_hook("OnBeforeToolCall", guard)
register_hook("OnAfterToolResult", lambda event: {"modified": {"content": event["data"]["content"] + "!"}})
register_hook("OnAfterResponse", lambda event: None)
"""
COMMANDS = "[{name: review, description: Review it., arguments: [{name: path, required: true}, {name: focus}]}]"


@pytest.fixture
def skills(workspace: Path, tmp_path: Path) -> Path:
    """The workspace with a tool that is active in this mode, a guard that is not, and one that asks."""
    by_mode = "{modes: [mcp]}"
    active(workspace, "loud", TOOLS, types="[tool, workflow]", triggers=by_mode)
    active(workspace, "guard", GUARD, types="[tool, prompt]", prompt="{system_prompt_file: p.md}", commands=COMMANDS)
    write(workspace / ".skills/guard", {"p.md": "Guard all.\n"})
    write(tmp_path / "config", {"settings.json": '{"version": 1, "runtime": {"approved_skills": ["guard"]}}'})
    tools = "[{name: echo, description: Gives the text back.}]"
    active(workspace, "reader", triggers=by_mode, permissions="[file:read]", tools=tools)
    return workspace


def names(server: Pipe) -> set[str]:
    return {tool["name"] for tool in server.ask("tools/list")["result"]["tools"]}


def text(result: dict[str, Any]) -> str:
    said: str = result["content"][0]["text"]
    return said


def test_tools_and_workflows_of_active_skills_are_tools(skills: Path, server: Pipe) -> None:
    tools = {tool["name"]: tool for tool in server.ask("tools/list")["result"]["tools"]}
    assert tools["shout"]["inputSchema"]["required"] == ["text"]
    assert "- guard: Does guard." in tools["skill_activate"]["description"]
    assert not {"loud", "aa"} & set(tools["skill_activate"]["description"].replace(":", "").split())
    assert "echo" not in tools
    called = server.tool("shout", {"text": "hi"})
    assert called["structuredContent"] == {"result": "HI"}
    assert text(server.tool("workflow_plan", {"title": "x"})) == '{"steps": ["x"]}'
    wrong = server.ask("tools/call", {"name": "shout", "arguments": {"text": 1}})
    assert wrong["error"]["code"] == INVALID_PARAMS
    assert "input.text" in wrong["error"]["message"]
    refused = server.tool("drop")
    assert refused["isError"]
    assert "did not allow" in text(refused)
    assert server.end() == 0
    assert "Required permissions: file:read" in server.errors.decode()


def test_activation_changes_the_tools_and_clients_are_notified(skills: Path, server: Pipe) -> None:
    assert "shout" in names(server)
    assert "loud" in text(server.tool("skill_deactivate", {"skill": "loud"}))
    assert eventually(lambda: "notifications/tools/list_changed" in server.hear(0.1))
    assert not names(server) & {"shout", "drop", "workflow_plan"}
    again = text(server.tool("skill_activate", {"skill": "loud"}))
    assert again.splitlines() == ["Active now: loud.", "Tools: shout, drop."]
    assert "active already" in text(server.tool("skill_activate", {"skill": "loud"}))
    missing = server.tool("skill_activate", {"skill": "nothing"})
    assert missing["isError"]
    assert 'skill "nothing" not found' in text(missing)


def test_a_user_answers_what_a_client_can_t_ask(skills: Path, tmp_path: Path, server: Pipe) -> None:
    requested = server.tool("skill_activate", {"skill": "reader"})
    assert "file:read (low risk" in text(requested)
    assert "A person allows it" in text(requested)
    assert "echo" not in names(server)
    code = (
        "import sys\nfrom skillbag import open_runtime\nfrom skillbag.runtime.broker.decisions import ApprovalScope\n"
        "with open_runtime(sys.argv[1], ask=lambda asked: ApprovalScope.ALWAYS) as runtime: runtime.activate('reader')"
    )
    subprocess.run([sys.executable, "-c", code, skills], env=environment(tmp_path), check=True)
    assert text(server.tool("skill_activate", {"skill": "reader"})).startswith("Active now: reader.")
    assert text(server.tool("echo", {"text": "x"})) == "x"


def test_an_unknown_tool_is_told_with_what_there_is(skills: Path, server: Pipe) -> None:
    def reported(name: str) -> str:
        message: str = server.ask("tools/call", {"name": name, "arguments": {}})["error"]["message"]
        return message

    hint = 'skill "reader" has it once it is activated; call skill_activate'
    assert reported("echo") == f"echo: there is no such tool; {hint}"
    assert reported("shuot") == "shuot: there is no such tool; did you mean shout?"
    assert "drop, workflow_plan, skill_activate" in reported("xyzzy")


def test_hooks_fire_around_every_tool_of_the_server(skills: Path, server: Pipe) -> None:
    reported = text(server.tool("skill_activate", {"skill": "guard"}))
    assert 'skill "guard", OnAfterResponse: ' in reported
    assert reported.endswith("Guard all.\n</skill>")
    assert text(server.tool("shout", {"text": "banana"})) == "BENENA!"
    refused = server.tool("shout", {"text": "secret"})
    assert refused["isError"]
    assert text(refused) == 'The skill "guard" cancelled this call: no secrets'
    own = server.tool("read_skill_file", {"skill": "ask", "path": "secret.md"})
    assert (own["isError"], text(own)) == (True, text(refused))
    changed = server.tool("read_skill_file", {"skill": "aa", "path": "references/nope.md"})
    assert text(changed) == "# Guide\n!"
    assert text(server.tool("workflow_plan", {"title": "x"})) == '{"steps": ["x"]}!'


def test_commands_and_instructions_are_prompts(skills: Path, server: Pipe) -> None:
    before = {prompt["name"] for prompt in server.ask("prompts/list")["result"]["prompts"]}
    assert before == {"aa", "ask"}
    server.tool("skill_activate", {"skill": "guard"})
    prompts = {prompt["name"]: prompt for prompt in server.ask("prompts/list")["result"]["prompts"]}
    assert prompts.keys() == {"aa", "ask", "guard", "review"}
    assert [each.get("required") for each in prompts["review"]["arguments"]] == [True, False]
    got = server.ask("prompts/get", {"name": "review", "arguments": {"path": "a.py"}})["result"]["messages"][0]
    assert got["content"]["text"].startswith("# review\n\nReview it.\n\nSkill root directory: ")
    assert got["content"]["text"].endswith("Guard all.\n\n## Arguments\n\n- path: a.py")
    resources = {each["uri"] for each in server.ask("resources/list")["result"]["resources"]}
    assert "skill://guard/SKILL.md" in resources
    read = server.ask("resources/read", {"uri": "skill://guard/SKILL.md"})["result"]["contents"][0]
    assert read["text"].endswith("Guard all.\n")
    assert "error" in server.ask("resources/read", {"uri": "skill://guard/main.star"})
    missing = server.ask("prompts/get", {"name": "review"})
    assert missing["error"]["message"] == "review: `path` is missing"


def test_the_prompt_of_a_skill_passes_no_guard(skills: Path, server: Pipe) -> None:
    server.tool("skill_activate", {"skill": "guard"})
    requested = {"name": "aa", "arguments": {"arguments": "the secret"}}
    refused = server.ask("prompts/get", requested)["error"]["message"]
    assert refused == 'The skill "guard" cancelled this call: no secrets'


def test_nothing_of_the_runtime_is_imported_without_active_skills(workspace: Path, tmp_path: Path) -> None:
    code = (
        "import sys\nfrom skillbag.agents.mcp_server.core import Core\n"
        "from skillbag.agents.settings.scope import scope_at\n"
        "scope = scope_at(sys.argv[1])\nCore(scope).offer(scope)\n"
        "print([name for name in sys.modules if name.startswith(('skillbag.runtime', 'skillbag.kernel.manifest'))])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, workspace], env=environment(tmp_path), capture_output=True, text=True
    )
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_a_workspace_without_active_skills_offers_what_it_did(workspace: Path, tmp_path: Path) -> None:
    with pipe(tmp_path) as server:
        server.shake_hands()
        assert not {"skill_activate", "skill_deactivate"} & names(server)
        active(workspace, "late", triggers="{modes: [mcp]}")
        assert eventually(lambda: "echo" in names(server))
        assert server.tool("echo", {"text": "x"})["structuredContent"] == {"result": "x"}


def test_skills_are_deactivated_when_the_server_ends(workspace: Path, tmp_path: Path) -> None:
    code = 'register_hook("OnDeactivate", lambda event: write_file("gone.txt", "gone"))\n'
    active(workspace, "leaver", code, triggers="{modes: [mcp]}", permissions="[file:write]")
    write(tmp_path / "config", {"settings.json": '{"version": 1, "runtime": {"approved_skills": ["leaver"]}}'})
    with pipe(tmp_path) as server:
        server.shake_hands()
        server.ask("tools/list")
        assert server.end() == 0
    assert (workspace / "gone.txt").read_text() == "gone"


def test_nothing_passes_a_guard_of_the_user_s_where_the_settings_can_not_be_read(
    workspace: Path, tmp_path: Path
) -> None:
    fields = {"types": "[tool]", "triggers": "{modes: [mcp]}"}
    write(tmp_path / "personal/own", {"SKILL.yaml": manifest("own", **fields), "main.star": GUARD})
    sound = '{"version": 1}'
    for settings, toml, is_sound in ((sound, "", True), ("{", "", False), (sound, "[runtime", True)):
        write(tmp_path / "config", {"settings.json": settings})
        write(workspace, {"skillbag.toml": toml})
        with pipe(tmp_path) as server:
            server.shake_hands()
            said = text(server.tool("enter"))
            assert ("can't be asked: own" not in said) is is_sound, said


def test_a_guard_of_the_session_is_asked_and_refuses_when_it_is_gone(skills: Path, tmp_path: Path) -> None:
    options = ("--session", "s1")
    execute(["runtime", "activate", "guard", *options], skills, environment(tmp_path)).check_returncode()
    with pipe(tmp_path, *options) as server:
        server.shake_hands()
        assert "no secrets" in text(server.tool("shout", {"text": "secret"}))
    shutil.rmtree(skills / ".skills/guard")
    lost = "Active skills that guard calls can't be asked: guard"
    with pipe(tmp_path, *options) as server:
        server.shake_hands()
        for name, arguments in (("shout", {"text": "x"}), ("skill_deactivate", {"skill": "guard"})):
            refused = server.tool(name, arguments)
            assert (refused["isError"], text(refused)) == (True, lost)
        assert "not found" in text(server.tool("skill_activate", {"skill": "guard"}))
        server.end()
        assert b"A person activates or deactivates it in the session s1" in server.errors
        assert b"Then restart this server." in server.errors
    write(tmp_path / "config", {"settings.json": '{"version": 1, "runtime": 1}'})
    with pipe(tmp_path, *options) as server:
        server.shake_hands()
        assert text(server.tool("skill_activate", {"skill": "loud"})) == lost
