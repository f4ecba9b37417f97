"""Every tool through the SDK's own client, over both transports and in both eras of the protocol."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, MCPError
from mcp_types import INVALID_PARAMS, CallToolResult, TextContent

from tests.agents.mcp_server.mcp_worlds import (
    Door,
    Pipe,
    environment,
    make_world,
    over_http,
    pipe,
    slow_script,
    with_client,
)
from tests.agents.mcp_server.messages import SLOW
from tests.agents.tools.calls import BUILT_IN
from tests.forked import execute
from tests.processes import eventually
from tests.sampling import sample

pytestmark = pytest.mark.boundary


def text_of(result: CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


@pytest.mark.parametrize(
    ("transport", "mode"), sample("every tool", product(["process", "http"], ["legacy", "auto"]), 2)
)
def test_every_tool_does_its_work(workspace: Path, tmp_path: Path, transport: str, mode: str) -> None:
    execute(["marketplace", "update"], tmp_path, environment(tmp_path)).check_returncode()

    async def use(client: Client) -> None:
        async def call(tool: str, **arguments: Any) -> Any:
            result = await client.call_tool(tool, arguments)
            assert not result.is_error, text_of(result)
            structured: Any = result.structured_content
            assert structured is not None
            if "result" in structured and isinstance(structured["result"], str):
                assert structured["result"] == text_of(result)
            return structured.get("result", structured)

        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools if tool.name != "end_skill"] == [*BUILT_IN, "skill_aa", "skill_ask"]
        assert "SKILLBAG.md" in await call("enter")
        assert "nothing" in (await call("refresh")).lower()
        assert (await call("skill_aa", arguments="for me")).startswith("# Skill: aa\n\n")
        assert "target" in await call("skill_ask")
        assert (await call("resolve", skill="ask", inputs={"target": "x"}))["ready"] is True
        assert (await call("remember", name="target", value="here", skill="ask"))["changed"] is True
        assert "here" in (workspace / "USER_CONTEXT.md").read_text("utf-8")
        assert await call("read_skill_file", skill="aa", path="references/guide.md") == "# Guide\n"
        text = await call("run_skill_script", skill="aa", script="scripts/say.sh", args=["it"], stdin="and more")
        assert text == "said it\nand more"
        assert (await call("skill_add", path=str(tmp_path / "own" / "mine")))["status"] == "installed"
        assert (await call("skill_mine")).startswith("# Skill: mine")
        assert (await call("skill_remove", name="mine"))["status"] == "removed"
        assert [entry["name"] for entry in await call("skill_marketplace", action="list")] == ["fill-pdf", "tidy-up"]
        found = await call("skill_marketplace", action="search", query="tidy")
        assert "tidy-up" in [entry["name"] for entry in found]
        assert "tidy-up" in await call("skill_marketplace", action="install", skill_ref="tidy-up")
        installed = {entry["name"] for entry in await call("skill_marketplace", action="list_installed")}
        assert {"aa", "ask", "tidy-up"} <= installed
        assert (await call("skill_tidy-up")).startswith("# Skill: tidy-up")
        assert "tidy-up" in await call("skill_marketplace", action="remove", skill_ref="tidy-up")
        assert not (workspace / ".skills" / "tidy-up").exists()
        assert "tidy-up is not in use any more" in await call("end_skill")

    with_client(tmp_path, transport, mode, use)


def test_tools_tell_what_they_take_give_and_change(tmp_path: Path) -> None:
    make_world(tmp_path)

    async def use(client: Client) -> None:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        for tool in tools.values():
            assert tool.title
            assert tool.description
            assert tool.input_schema["type"] == "object"
            assert tool.output_schema is not None
            assert tool.output_schema["type"] == "object"
            assert tool.annotations is not None
        hints = {name: tool.annotations for name, tool in tools.items() if tool.annotations}
        assert hints["skill_aa"].read_only_hint is True
        assert hints["remember"].read_only_hint is False
        assert hints["remember"].destructive_hint is False
        assert hints["skill_remove"].destructive_hint is True
        assert tools["skill_aa"].title == "Skill: aa"

    with_client(tmp_path, "http", "auto", use)


@pytest.mark.parametrize(("transport", "mode"), [("stdio", "legacy"), ("http", "auto")])
def test_what_can_be_no_call_is_the_protocols_error_and_a_failure_is_a_result(
    tmp_path: Path, transport: str, mode: str
) -> None:
    make_world(tmp_path)

    async def use(client: Client) -> None:
        for name, arguments in (
            ("skill_none", {}),
            ("nothing", {}),
            ("skill_../aa", {}),
            ("skill_aa\n", {}),
            ("read_skill_file", {"skill": "aa"}),
            ("read_skill_file", {"skill": "aa", "path": 1}),
            ("read_skill_file", {"skill": "aa", "path": "SKILL.md", "more": 1}),
            ("read_skill_file", {"skill": "../aa", "path": "SKILL.md"}),
            ("skill_marketplace", {"action": "burn"}),
        ):
            with pytest.raises(MCPError) as raised:
                await client.call_tool(name, arguments)
            assert raised.value.error.code == INVALID_PARAMS
        for name, arguments in (
            ("read_skill_file", {"skill": "aa", "path": "../ask/SKILL.md"}),
            ("read_skill_file", {"skill": "aa", "path": "assets/dot.png"}),
            ("run_skill_script", {"skill": "aa", "script": "none.sh"}),
            ("skill_remove", {"name": "none"}),
        ):
            result = await client.call_tool(name, arguments)
            assert result.is_error
            assert text_of(result).startswith("Error: ")
            assert "Traceback" not in text_of(result)

    with_client(tmp_path, transport, mode, use)


def test_a_session_that_is_no_users_has_no_personal_skills(tmp_path: Path) -> None:
    make_world(tmp_path)

    async def use(client: Client) -> None:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert "skill_add" not in names
        with pytest.raises(MCPError):
            await client.call_tool("skill_add", {"path": "."})

    with_client(tmp_path, "http", "auto", use, "--session-type", "other")


def test_a_hundred_calls_at_once_are_all_answered_and_a_slow_script_holds_up_none(tmp_path: Path) -> None:
    make_world(tmp_path)

    async def use(client: Client) -> None:
        answers: list[str] = []

        async def call(number: int) -> None:
            if number % 4:
                result = await client.call_tool("skill_aa", {"arguments": f"number {number}"})
            else:
                result = await client.call_tool("remember", {"name": f"p{number}", "value": number})
            assert not result.is_error, text_of(result)
            answers.append(text_of(result))

        async with anyio.create_task_group() as slow:
            slow.start_soon(client.call_tool, "run_skill_script", {"skill": "aa", "script": "scripts/slow.sh"})
            with anyio.fail_after(300):
                async with anyio.create_task_group() as group:
                    for number in range(100):
                        group.start_soon(call, number)
            slow.cancel_scope.cancel()
        assert len(answers) == 100
        for number in range(1, 100):
            if number % 4:
                assert sum(f"number {number}\n" in f"{answer}\n" for answer in answers) >= 1

    with_client(tmp_path, "http", "auto", use)
    kept = (tmp_path / "ws" / "USER_CONTEXT.md").read_text("utf-8")
    assert all(f"p{number}: {number}\n" in kept for number in range(0, 100, 4))


def test_a_call_that_is_cancelled_kills_its_script_and_no_other(workspace: Path, server: Pipe) -> None:
    first = server.start("tools/call", SLOW)
    group = slow_script(workspace)
    (workspace / ".skills/aa/started").unlink()
    second = server.start("tools/call", SLOW)
    other = slow_script(workspace)
    server.send("notifications/cancelled", {"requestId": first})
    assert eventually(lambda: not Path(f"/proc/{group}").exists())
    assert Path(f"/proc/{other}").exists()
    server.send("notifications/cancelled", {"requestId": second})
    assert eventually(lambda: not Path(f"/proc/{other}").exists())
    assert "tools" in server.ask("tools/list")["result"]


def test_each_client_over_http_has_a_session_of_its_own(workspace: Path, tmp_path: Path) -> None:
    async def use(door: Door) -> None:
        async with Client(door.transport(), mode="legacy") as one, Client(door.transport(), mode="legacy") as other:
            assert "SKILLBAG.md" in text_of(await one.call_tool("enter", {}))
            assert "SKILLBAG.md" in text_of(await other.call_tool("enter", {}))
            again = text_of(await other.call_tool("enter", {"again": True}))
            assert text_of(await one.call_tool("enter", {})) != again

    with over_http(tmp_path) as door:
        anyio.run(use, door)


def test_a_session_that_is_named_is_everybodys_and_begins_without_an_active_skill(tmp_path: Path) -> None:
    from skillbag.agents.permissions.active import SkillInUse, activate, active_skill
    from skillbag.agents.settings.scope import Scope

    make_world(tmp_path)
    scope = Scope(str(tmp_path / "ws"), None, "s1")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SKILLBAG_STATE_DIR", str(tmp_path / "state"))
        activate(scope, SkillInUse("aa", "Read"))
        with pipe(tmp_path, "--session", "s1") as server:
            server.shake_hands()
            assert active_skill(scope) is None
            server.tool("skill_aa")
            active = active_skill(scope)
            assert active is not None
            assert active.name == "aa"
