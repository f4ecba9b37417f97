"""Clients that send garbage, flood, or cancel: every request is answered, and the server stays usable."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import anyio
import mcp_types
import pytest
from mcp import Client

from tests.agents.marketplace.markets import plain
from tests.agents.mcp_server.mcp_worlds import Pipe, environment, make_world, pipe, with_client
from tests.agents.mcp_server.messages import GARBAGE, INVALID_REQUEST, conversation
from tests.forked import execute
from tests.processes import eventually, running
from tests.sampling import sample
from tests.supply.install.worlds import contents, write
from tests.supply.sources.repositories import make_repository, use_own_git_settings
from tests.supply.sources.servers import Handle, Server, content, git_backend, serve, stalling

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


def errors(server: Pipe, count: int) -> list[int]:
    """The codes of the next answers to nobody in particular."""
    return [server.answer(None)["error"]["code"] for _ in range(count)]


def test_garbage_is_answered_and_the_next_message_as_if_nothing_had_been(server: Pipe) -> None:
    for line, code in GARBAGE.items():
        server.raw(line + b"\n")
        whose = 1 if line[:1] == b"{" and b'"id": 1,' in line and b'"method"' in line else None
        answer = server.answer(whose)
        assert answer["error"]["code"] == code, line[:60]
        assert server.ask("ping")["result"] == {}
    server.raw(b"\n\n   \n\r\n")
    server.raw(json.dumps({"jsonrpc": "2.0", "id": None, "error": {"code": 1, "message": "x"}}).encode() + b"\n")
    server.raw(json.dumps({"jsonrpc": "2.0", "id": 77, "result": {}}).encode() + b"\n")
    assert server.ask("ping")["result"] == {}
    assert server.end() == 0


def test_messages_of_the_wrong_kind_are_refused_one_by_one(tmp_path: Path) -> None:
    make_world(tmp_path)
    with pipe(tmp_path) as server:
        assert "error" in server.ask("tools/list")
        assert server.shake_hands("1999-01-01")["result"]["protocolVersion"] != "1999-01-01"
        assert server.ask("no/such/method")["error"]["code"] == -32601
        for params in ({}, {"name": 1}, {"name": "skill_aa", "arguments": []}, {"name": "skill_aa", "arguments": "x"}):
            assert server.ask("tools/call", params)["error"]["code"] == -32602
        meta = {"_meta": {"io.modelcontextprotocol/protocolVersion": "2099-01-01"}}
        assert "error" in server.ask("tools/list", meta)
        assert server.ask("ping")["result"] == {}
    with pipe(tmp_path) as server:
        assert server.ask("tools/list", meta)["error"]["code"] in (-32022, -32602)
        assert server.end() == 0
    assert b"Traceback" not in server.errors


def test_a_line_without_end_is_not_kept_in_memory(server: Pipe) -> None:
    before = memory(server.process.pid)
    for _ in range(200):
        server.raw(b"x" * (1 << 20))
    server.raw(b"\n")
    assert errors(server, 1) == [INVALID_REQUEST]
    assert server.ask("ping")["result"] == {}
    assert memory(server.process.pid) - before < 100 << 20
    long = json.dumps({**PING, "id": "long", "params": {"_meta": {"x": "y" * (3 << 20)}}})
    server.raw(long.encode() + b"\n")
    assert server.answer("long")["result"] == {}


@pytest.mark.slow
def test_a_flood_that_nobody_reads_the_answers_of_is_answered_once_somebody_does(tmp_path: Path) -> None:
    make_world(tmp_path)
    sent, flood_of = tmp_path / "sent", tmp_path / "lines"
    pings = ({"id": f"f{n}", "method": "ping" if n % 100 else "tools/list"} for n in range(10_000))
    flood_of.write_bytes(conversation(*pings))
    with pipe(tmp_path, reads=False) as server:
        flood = subprocess.Popen([sys.executable, "-c", FLOOD, str(flood_of), str(sent)], stdout=server.process.stdin)
        # The server stops reading rather than to keep ten thousand answers.
        assert eventually(lambda: stands_still(sent))
        assert int(sent.read_text()) < 9_000
        server.read_on()
        assert flood.wait(300) == 0
        for number in range(10_000):
            assert "result" in server.answer(f"f{number}")
        assert server.end() == 0


def stands_still(file: Path) -> bool:
    """Whether the file is there, and does not change for a while."""
    before = file.read_text() if file.exists() else ""
    time.sleep(1)
    return bool(before) and before == file.read_text()


FLOOD = """
import sys
for number, line in enumerate(open(sys.argv[1], "rb")):
    sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()
    if number % 100 == 0:
        open(sys.argv[2], "w").write(str(number))
"""


def memory(process: int) -> int:
    """Bytes that the process had in memory at most."""
    (line,) = (line for line in Path(f"/proc/{process}/status").read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) << 10


NESTED = b"[" * 5000 + b"]" * 5000
UNFIT = {
    "half a surrogate": rb'{"name": "skill_aa", "arguments": {"arguments": "\ud800"}}',
    "the other half": rb'{"name": "skill_aa", "arguments": {"arguments": "a\udc00b"}}',
    "half a surrogate as a key": rb'{"name": "skill_aa", "arguments": {"\ud800": 1}}',
    "half a surrogate as the tool": rb'{"name": "\ud83d", "arguments": {}}',
    "bytes that are no text": b'{"name": "skill_aa", "arguments": {"arguments": "\xff\xfe"}}',
    "a surrogate in bytes": b'{"name": "skill_aa", "arguments": {"arguments": "\xed\xa0\x80"}}',
    "no number": b'{"name": "skill_marketplace", "arguments": {"action": "list", "limit": NaN}}',
    "endless": b'{"name": "skill_marketplace", "arguments": {"action": "list", "limit": -Infinity}}',
    "too large for a float": b'{"name": "skill_marketplace", "arguments": {"action": "list", "limit": 1e999}}',
    "many digits": b'{"name": "skill_marketplace", "arguments": {"action": "list", "limit": ' + b"9" * 5000 + b"}}",
    "deep": b'{"name": "skill_aa", "arguments": {"arguments": ' + NESTED + b"}}",
    "a control character": b'{"name": "skill_aa", "arguments": {"arguments": "\x01"}}',
    "a comma too many": b'{"name": "skill_aa", "arguments": {},}',
    "an id within": rb'{"name": "\ud800", "arguments": {"id": 99, "method": "x"}, "id": "no"}',
    "a brace in a text": rb'{"name": "}}]\"\ud800", "arguments": {}}',
}
SHAPES = {
    "id first": b'{"jsonrpc": "2.0", "id": %b, "method": "tools/call", "params": %b}\n',
    "id last": b'{"method": "tools/call", "params": %b, "jsonrpc": "2.0", "id": %b}\n',
}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_request_that_cannot_be_read_is_answered_to_whoever_made_it(server: Pipe, shape: str) -> None:
    for number, (case, params) in enumerate(UNFIT.items(), 100):
        parts = (b"%d" % number, params) if shape == "id first" else (params, b"%d" % number)
        server.raw(SHAPES[shape] % parts)
        assert "error" in server.answer(number, 10), case
    server.raw(rb'{"jsonrpc": "2.0", "id": "text \"\u00e9", "method": "\ud800"}' + b"\n")
    assert "error" in server.answer('text "\u00e9', 10)
    server.raw(rb'{"jsonrpc": "2.0", "id": 7, "id": 8, "method": "ping", "x": "\ud800"}' + b"\n")
    assert "error" in server.answer(8, 10)
    assert server.ask("ping")["result"] == {}
    assert server.end() == 0


@pytest.mark.parametrize("shape", SHAPES)
def test_a_request_that_is_too_long_is_answered_to_whoever_made_it(server: Pipe, shape: str) -> None:
    params = b'{"name": "skill_aa", "arguments": {"arguments": "' + b"x" * (5 << 20) + b'", "id": 99}}'
    server.raw(SHAPES[shape] % ((b"12", params) if shape == "id first" else (params, b"12")))
    assert "bytes long" in server.answer(12, 10)["error"]["message"]
    assert server.ask("ping")["result"] == {}


def test_numbers_and_keys_that_json_allows_are_answered(server: Pipe) -> None:
    for number, params in enumerate(
        (
            b'{"name": "skill_marketplace", "arguments": {"action": "list", "limit": ' + b"9" * 400 + b"}}",
            b'{"name": "skill_marketplace", "arguments": {"action": "list", "limit": 1, "limit": 2}}',
            b'{"name": "skill_aa", "name": "skill_ask", "arguments": {}}',
            b'{"name": "skill_aa", "arguments": {"arguments": "\\u0000\\ud83d\\ude00"}}',
            b'{"name": "skill_aa", "arguments": {"' + b"k" * 100_000 + b'": 1}}',
        ),
        200,
    ):
        server.raw(SHAPES["id first"] % (b"%d" % number, params))
        assert {"result", "error"} & set(server.answer(number, 10))
    server.raw(b'{"jsonrpc": "2.0", "id": ' + b"1" * 30 + b', "method": "ping"}\n')
    assert server.answer(int("1" * 30), 10)


def test_an_answer_of_a_client_that_cannot_be_read_is_taken_for_no_request(server: Pipe) -> None:
    server.raw(rb'{"jsonrpc": "2.0", "id": 5, "result": {"x": "\ud800"}}' + b"\n")
    assert server.answer(None)["error"]["code"] == -32700


class Slow:
    """A source of the marketplace in `folder`, served over HTTP."""

    def __init__(self, folder: Path, server: Server, at: str, served: Handle) -> None:
        self.workspace = folder / "ws"
        self.server = server
        self.at = at
        self.served = served
        self.before = contents(self.workspace)

    def hang(self) -> None:
        """From now on answer nothing to the end."""
        self.server.requests.clear()
        self.server.table[self.at] = stalling(
            b"PK\3\4" if self.at.endswith(".zip") else b"001e# service=git-upload-pack\n"
        )

    def work(self) -> None:
        """Answer again."""
        self.server.table[self.at] = self.served

    def assert_stopped(self) -> None:
        """Nothing of the installation is left: no change and no git."""
        assert eventually(lambda: not running("git", self.server.url))
        assert eventually(lambda: contents(self.workspace) == self.before)


@pytest.fixture(params=["git", "zip"])
def slow(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A source that is indexed, and then slow."""
    make_world(tmp_path)
    (tmp_path / "home").mkdir()
    use_own_git_settings(monkeypatch, tmp_path / "home")
    repository = make_repository(tmp_path / "served" / "repo.git", plain("tidy", "sweep"))
    repository.git("archive", "--format=zip", "-o", str(tmp_path / "repo.zip"), "main")
    at, served = "/repo.git/", git_backend(tmp_path / "served")
    if request.param == "zip":
        at, served = "/repo.zip", content((tmp_path / "repo.zip").read_bytes())
    with serve({at: served}) as server:
        sources = [{"name": "slow", "address": f"{server.url}{at.rstrip('/')}"}]
        settings = {"version": 1, "marketplace": {"sources": sources}}
        write(tmp_path / "config", {"settings.json": json.dumps(settings)})
        execute(["marketplace", "update"], tmp_path, environment(tmp_path)).check_returncode()
        yield Slow(tmp_path, server, at, served)


INSTALL = {"action": "install", "skill_ref": "slow/tidy"}


def test_a_cancelled_installation_stops_and_leaves_the_workspace_as_it_was(slow: Slow, tmp_path: Path) -> None:
    with pipe(tmp_path) as server:
        server.shake_hands()
        slow.hang()
        first = _started(server, slow)
        second = server.start("tools/call", {"name": "skill_marketplace", "arguments": INSTALL})
        for number in (second, first):
            server.send("notifications/cancelled", {"requestId": number})
        slow.assert_stopped()
        seen = len(slow.server.requests)
        # The next one does not wait for it, and what it left in the cache is in nobody's way.
        slow.work()
        assert "Successfully installed" in server.tool("skill_marketplace", INSTALL, 10)["content"][0]["text"]
        assert len(slow.server.requests) > seen
        assert server.end() == 0
    assert b"Traceback" not in server.errors


def _started(server: Pipe, slow: Slow) -> int:
    number = server.start("tools/call", {"name": "skill_marketplace", "arguments": INSTALL})
    assert eventually(lambda: slow.server.requests)
    return number


@pytest.mark.slow
@pytest.mark.parametrize("transport", sample("give up", ["stdio", "http"], 1))
def test_the_sdks_client_gives_up_and_the_installation_stops(slow: Slow, tmp_path: Path, transport: str) -> None:
    async def use(client: Client) -> None:
        await client.call_tool("skill_marketplace", {"action": "list"})
        slow.hang()
        async with anyio.create_task_group() as group:
            group.start_soon(client.call_tool, "skill_marketplace", INSTALL)
            while not slow.server.requests:
                await anyio.sleep(0.02)
            group.cancel_scope.cancel()
        await anyio.to_thread.run_sync(slow.assert_stopped)
        slow.work()
        result = await client.call_tool("skill_marketplace", INSTALL)
        assert isinstance(result.content[0], mcp_types.TextContent)
        assert "Successfully installed" in result.content[0].text

    with_client(tmp_path, transport, "legacy", use)
