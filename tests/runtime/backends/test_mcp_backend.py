"""The `mcp` backend with servers that the SDK makes, over standard input and output, and over HTTP."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from skillbag.kernel.manifest.names import BackendKind
from skillbag.kernel.manifest.values import Implementation
from skillbag.kernel.processes.output_capture import CapturedOutput
from skillbag.runtime.backends import mcp
from skillbag.runtime.backends.backend import Backend, CallKind, ToolOutput
from skillbag.runtime.backends.choose import make_backend
from skillbag.runtime.errors import BadParametersError, ChildError, NotFoundError, TimeLimitError
from skillbag.runtime.triggers.settings import McpServer
from tests.processes import eventually, is_alive
from tests.runtime.children import launch_of, loaded

pytest.importorskip("mcp")

SERVER = """
import os, sys, time
from mcp.server.mcpserver import Image, MCPServer

server = MCPServer("test")

@server.tool()
def add(a: int, b: int) -> int:
    "Adds two numbers."
    return a + b

@server.tool(name="say.it")
def say(text: str) -> str:
    return text

@server.tool()
def process() -> str:
    return str(os.getpid())

@server.tool()
def fail() -> str:
    raise ValueError("no \\x1b[1m way")

@server.tool()
async def hang() -> str:
    import anyio
    await anyio.sleep(1000)
    return ""

@server.tool()
def die() -> str:
    os._exit(3)

@server.tool()
def big() -> str:
    return "x" * 2_000_000

@server.tool()
def picture() -> Image:
    return Image(data=b"x", format="png")

@server.tool(name="n" * 60)
def too_long() -> str:
    return ""

print("started", file=sys.stderr, flush=True)
if len(sys.argv) > 1:
    server.run("streamable-http", port=int(sys.argv[1]))
else:
    server.run("stdio")
"""


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("mcp") / "server.py"
    path.write_text(SERVER)
    return path


def backend_of(server: McpServer, **changed: Any) -> Backend:
    launch = launch_of(Path(), Implementation(BackendKind.MCP, server.name), **changed)
    return make_backend(launch, (McpServer("other", ("false",)), server))


@pytest.fixture(scope="module")
def remarks() -> list[str]:
    return []


@pytest.fixture(scope="module")
def backend(script: Path, remarks: list[str]) -> Iterator[Backend]:
    server = McpServer("test-1", (sys.executable, str(script)))
    with loaded(backend_of(server, remark=remarks.append)) as running:
        yield running


def test_its_tools_have_names_of_their_own(backend: Backend, script: Path, remarks: list[str]) -> None:
    again = backend_of(McpServer("test-1", (sys.executable, str(script))))
    registration = again.load()
    again.unload()
    tools = {tool.name: tool for tool in registration.tools}
    names = ("add", "say_it", "process", "fail", "hang", "die", "big", "picture")
    assert list(tools) == [f"mcp_test-1_{name}" for name in names]
    assert tools["mcp_test-1_add"].description == "Adds two numbers."
    assert tools["mcp_test-1_add"].input_schema["required"] == ["a", "b"]
    assert (registration.hooks, registration.workflows, registration.scanners) == ((), (), ())
    assert len(remarks) == 1
    assert "its name is longer than 64 characters" in remarks[0]


def test_calls_and_their_results(backend: Backend) -> None:
    assert backend.call(CallKind.TOOL, "mcp_test-1_add", {"a": 2, "b": 3}) == ToolOutput("5")
    assert backend.call(CallKind.TOOL, "mcp_test-1_say_it", {"text": "é\n"}) == ToolOutput("é\n")
    failed = backend.call(CallKind.TOOL, "mcp_test-1_fail", {})
    assert failed.is_error
    assert backend.call(CallKind.TOOL, "mcp_test-1_big", {}) == ToolOutput(
        "the result is larger than 1 MiB", is_error=True
    )
    assert backend.call(CallKind.TOOL, "mcp_test-1_add", {"a": "x"}).is_error
    picture = {"type": "image", "data": "eA==", "mimeType": "image/png"}
    assert json.loads(backend.call(CallKind.TOOL, "mcp_test-1_picture", {}).content) == [picture]


def test_calls_that_are_none(backend: Backend) -> None:
    with pytest.raises(NotFoundError, match='MCP server "test-1" has no tool add'):
        backend.call(CallKind.TOOL, "add", {})
    with pytest.raises(NotFoundError, match="has no hook OnActivate"):
        backend.call(CallKind.HOOK, "OnActivate", {})
    with pytest.raises(BadParametersError):
        backend.call(CallKind.TOOL, "mcp_test-1_add", [1])


def test_a_call_that_hangs_is_cancelled_alone(backend: Backend) -> None:
    began = time.monotonic()
    with pytest.raises(TimeLimitError, match=r'call "hang": timeout after 0\.2s'):
        backend.call(CallKind.TOOL, "mcp_test-1_hang", {}, timeout=0.2)
    assert time.monotonic() - began < 50
    assert backend.call(CallKind.TOOL, "mcp_test-1_add", {"a": 1, "b": 1}) == ToolOutput("2")


def test_a_server_that_dies_is_a_failure(script: Path) -> None:
    with loaded(backend_of(McpServer("test-1", (sys.executable, str(script))))) as own:
        process = int(own.call(CallKind.TOOL, "mcp_test-1_process", {}).content)
        assert own.failure is None
        with pytest.raises(ChildError, match='MCP server "test-1": the connection has ended: '):
            own.call(CallKind.TOOL, "mcp_test-1_die", {}, timeout=300)
        assert eventually(lambda: not is_alive(process))
        assert "the connection has ended" in str(own.failure)
        with pytest.raises(ChildError, match="the connection has ended"):
            own.call(CallKind.TOOL, "mcp_test-1_add", {"a": 1, "b": 1}, timeout=300)
    with pytest.raises(ChildError, match="not connected"):
        own.call(CallKind.TOOL, "mcp_test-1_add", {})


def test_unloaded_its_process_is_gone(script: Path) -> None:
    with loaded(backend_of(McpServer("test-1", (sys.executable, str(script))))) as own:
        process = int(own.call(CallKind.TOOL, "mcp_test-1_process", {}).content)
        assert is_alive(process)
    assert eventually(lambda: not is_alive(process))


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (("/no/such/server",), "it can't be connected"),
        (("sh", "-c", "echo broken >&2; exit 1"), "it can't be connected: .*: broken"),
    ],
)
def test_servers_that_can_not_be_started(command: tuple[str, ...], message: str) -> None:
    with pytest.raises(ChildError, match=message) as raised:
        backend_of(McpServer("bad", command)).load()
    assert str(raised.value).startswith('MCP server "bad": ')


def test_the_last_words_of_a_server_are_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    drain = mcp._drain

    def late(reader: int, log: CapturedOutput) -> None:
        time.sleep(0.2)
        drain(reader, log)

    monkeypatch.setattr(mcp, "_drain", late)
    with pytest.raises(ChildError, match="broken"):
        backend_of(McpServer("bad", ("sh", "-c", "echo broken >&2; exit 1"))).load()


def test_a_server_that_says_nothing_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp, "CONNECT_LIMIT", 0.3)
    began = time.monotonic()
    with pytest.raises(TimeLimitError, match=r"not connected within 0\.3s"):
        backend_of(McpServer("mute", ("sleep", "100"))).load()
    assert time.monotonic() - began < 50


def test_only_settings_can_name_a_server() -> None:
    with pytest.raises(ChildError, match='there is no MCP server "x" in the settings'):
        make_backend(launch_of(Path(), Implementation(BackendKind.MCP, "x")), ())


def test_a_server_over_http(script: Path) -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    words = [sys.executable, str(script), str(port)]
    with subprocess.Popen(words, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as process:
        try:

            def listens() -> bool:
                with socket.socket() as probe:
                    return probe.connect_ex(("127.0.0.1", port)) == 0

            assert eventually(listens)
            with loaded(backend_of(McpServer("web", url=f"http://127.0.0.1:{port}/mcp"))) as web:
                assert web.call(CallKind.TOOL, "mcp_web_add", {"a": 2, "b": 3}) == ToolOutput("5")
        finally:
            process.kill()
    with pytest.raises(ChildError, match='MCP server "web": it can\'t be connected'):
        backend_of(McpServer("web", url=f"http://127.0.0.1:{port}/mcp")).load()


def test_the_sdk_is_imported_only_when_a_server_is_connected() -> None:
    code = (
        "import sys, json; from skillbag.runtime.backends import choose, mcp, starlark, programs; "
        "print(json.dumps([name for name in ('anyio', 'asyncio', 'mcp', 'pydantic') if name in sys.modules]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == []


@pytest.mark.slow
def test_a_server_ends_when_permissions_are_withdrawn(script: Path) -> None:
    granted = [True]
    server = McpServer("test-1", (sys.executable, str(script)))
    with loaded(backend_of(server, still_granted=lambda: granted[0])) as running:
        process = int(running.call(CallKind.TOOL, "mcp_test-1_process", {}).content)
        granted[0] = False
        for _ in range(2):
            with pytest.raises(ChildError, match="permissions were withdrawn; activate it again"):
                running.call(CallKind.TOOL, "mcp_test-1_process", {})
        assert running.failure == "permissions were withdrawn; activate it again"
        assert eventually(lambda: not is_alive(process))
