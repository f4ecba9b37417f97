"""What happens where something of ours fails, and how work is shared out; the server in this process."""

from __future__ import annotations

import io
import logging
import threading
import time
from functools import partial
from pathlib import Path

import anyio
import pytest
from mcp import Client, MCPError
from mcp_types import INTERNAL_ERROR, TextContent

from skillbag.agents.mcp_server.core import Core
from skillbag.agents.mcp_server.executor import Threads
from skillbag.agents.mcp_server.serving import make_server
from skillbag.agents.settings.scope import Scope
from skillbag.agents.tools.tool import ToolResult
from tests.agents.mcp_server.mcp_worlds import make_world

pytestmark = pytest.mark.boundary


@pytest.fixture
def core(tmp_path: Path) -> Core:
    return Core(Scope(str(make_world(tmp_path)), None))


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_a_bug_is_reported_without_its_traceback_which_is_logged_and_the_server_lives_on(
    core: Core, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*arguments: object) -> ToolResult:
        raise RuntimeError("bo\udc80om")

    async def use() -> None:
        async with Client(make_server(core), mode=mode) as client:
            with monkeypatch.context() as patch:
                patch.setattr("skillbag.agents.mcp_server.tools.call_tool", broken)
                result = await client.call_tool("skill_aa", {})
                (content,) = result.content
                assert isinstance(content, TextContent)
                assert result.is_error
                assert content.text == "internal error: RuntimeError: bo\\udc80om"
                patch.setattr("skillbag.agents.mcp_server.core.offered_tools", broken)
                with pytest.raises(MCPError) as raised:
                    await client.list_tools()
                assert raised.value.error.code == INTERNAL_ERROR
            assert not (await client.call_tool("skill_aa", {})).is_error

    # pytest would keep it with the test's report, which no process can hand on while it holds half a letter.
    logger, written = logging.getLogger("skillbag.mcp"), io.StringIO()
    monkeypatch.setattr(logger, "propagate", False)
    monkeypatch.setattr(logger, "handlers", [logging.StreamHandler(written)])
    anyio.run(use)
    assert "Traceback" in written.getvalue()
    assert "RuntimeError" in written.getvalue()


def test_writes_come_one_after_another_even_behind_one_that_nobody_waits_for() -> None:
    threads = Threads()
    at_work: list[int] = []
    most = [0]

    def work() -> None:
        at_work.append(1)
        most[0] = max(most[0], len(at_work))
        time.sleep(0.05)
        at_work.pop()

    async def use() -> None:
        with anyio.move_on_after(0.01):
            await threads.write(work)
        async with anyio.create_task_group() as group:
            for _ in range(5):
                group.start_soon(threads.write, work)

    anyio.run(use)
    assert most == [1]


def test_a_write_that_nobody_waits_for_may_come_to_its_end() -> None:
    threads = Threads()
    given_up, done = threading.Event(), threading.Event()

    def work(scope: anyio.CancelScope) -> None:
        anyio.from_thread.run_sync(scope.cancel)
        given_up.wait(300)
        done.set()

    async def use() -> None:
        with anyio.CancelScope() as scope:
            await threads.write(partial(work, scope))

    anyio.run(use)
    assert not done.is_set()
    given_up.set()
    threads.wait_for_writer(300)
    assert done.is_set()


def test_very_many_slow_reads_leave_room_for_writes_and_scripts() -> None:
    threads = Threads()
    held = threading.Event()

    async def use() -> None:
        async with anyio.create_task_group() as group:
            for _ in range(100):
                group.start_soon(threads.read, held.wait)
            with anyio.fail_after(300):
                assert await threads.write(lambda: "written") == "written"
                assert await threads.script(lambda: "run") == "run"
            held.set()

    anyio.run(use)
