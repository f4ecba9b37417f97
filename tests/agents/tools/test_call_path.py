"""The way from each door to a tool's function is short enough to be read on one screen."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import anyio
import pytest
from mcp import Client

from skillbag.agents.mcp_server.core import Core
from skillbag.agents.mcp_server.serving import make_server
from skillbag.agents.settings.scope import Scope
from skillbag.agents.tools import registry
from skillbag.agents.tools.tool import ToolResult
from tests.session.bags import bag
from tests.support import PROJECT, documented_path

MAX = 7
"""Named functions of skillbag from `main`, or from the server's handler, to the tool's function; both counted."""

# Prints our functions on the stack when the tool's function is called.
STACK = """
import sys
from skillbag.agents.tools.skill_tools import READ_SKILL_FILE
def watch(frame, event, argument):
    if event != "call" or frame.f_code is not READ_SKILL_FILE.call.__code__:
        return
    sys.setprofile(None)
    names = []
    while frame is not None:
        if frame.f_globals["__name__"].startswith("skillbag."):
            names.append(frame.f_code.co_name)
        frame = frame.f_back
    print("stack", *[name for name in reversed(names) if name[0] != "<"], file=sys.stderr)
sys.setprofile(watch)
from skillbag.doors.cli import main
main()
"""
ARGUMENTS = '{"skill": "apple", "path": "SKILL.md"}'


@pytest.mark.parametrize(
    "words", [["tool", "read_skill_file", ARGUMENTS], ["agent", "plugin"]], ids=lambda words: words[0]
)
def test_few_calls_lead_from_the_command_line_to_a_tool(tmp_path: Path, words: list[str]) -> None:
    variables = {"CHIBI_TOOL_NAME": "read_skill_file", "CHIBI_TOOL_ARGS": ARGUMENTS, "PYTHONPATH": str(PROJECT)}
    command, environment = [sys.executable, "-c", STACK, *words], {**os.environ, **variables}
    root = bag(tmp_path, ["apple"])
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    _, *stack = next(line for line in done.stderr.splitlines() if line.startswith("stack ")).split()
    assert stack[0] == "main"
    assert stack[-2] == "call_tool"
    assert len(stack) <= MAX, stack


def ours(codes: Iterator[CodeType]) -> list[str]:
    """The names of skillbag's functions among them."""
    package = str(PROJECT / "skillbag")
    return [code.co_name for code in codes if code.co_filename.startswith(package) and code.co_name[0] != "<"]


def callers(frame: FrameType | None) -> Iterator[CodeType]:
    while frame is not None:
        yield frame.f_code
        frame = frame.f_back


def awaited(task: asyncio.Task[Any]) -> Iterator[CodeType]:
    """The coroutines of a task, from the outermost on."""
    coroutine: Any = task.get_coro()
    while hasattr(coroutine, "cr_code"):
        yield coroutine.cr_code
        coroutine = coroutine.cr_await


CALLS: dict[str, dict[str, object]] = {
    "enter": {},
    "skill_marketplace": {"action": "install", "skill_ref": "a/b"},
    "run_skill_script": {"skill": "apple", "script": "a.sh"},
}


@pytest.mark.parametrize("name", CALLS)
def test_few_calls_lead_from_the_handler_of_the_server_to_a_tool(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    core = Core(Scope(str(bag(tmp_path, ["apple"])), None))
    loops: list[asyncio.AbstractEventLoop] = []
    stacks: list[list[str]] = []

    def record(scope: Scope, **arguments: object) -> ToolResult:
        in_thread = ours(callers(sys._getframe(1)))[::-1]
        handlers = [ours(awaited(task)) for task in asyncio.all_tasks(*loops)]
        stacks.extend([*handler, *in_thread, "record"] for handler in handlers if handler[:1] == ["call"])
        return ToolResult("")

    async def use() -> None:
        loops.append(asyncio.get_running_loop())
        async with Client(make_server(core)) as client:
            await client.call_tool(name, CALLS[name])

    tools = tuple(tool._replace(call=record) for tool in registry._BUILT_IN)
    monkeypatch.setattr(registry, "_BUILT_IN", tools)
    anyio.run(use)
    (stack,) = stacks
    if name == "enter":
        assert stack[:-1] == documented_path("A tool call")[:-1]
    assert stack[-2] == "call_tool"
    assert len(stack) <= MAX, stack
