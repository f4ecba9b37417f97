"""Requests over MCP are answered, whatever they hold; and an installation that is cancelled stops."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import mcp_types
import pytest
from mcp import Client

from tests.install.worlds import contents, write
from tests.marketplace.markets import plain
from tests.mcp_server.mcp_worlds import Pipe, environment, eventually, make_world, pipe, running
from tests.mcp_server.test_mcp_tools import with_client
from tests.sampling import sample
from tests.sources.repositories import make_repository, use_own_git_settings
from tests.sources.servers import Handle, Server, content, git_backend, serve, stalling

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
def test_a_request_that_cannot_be_read_is_answered_to_whoever_made_it(tmp_path: Path, shape: str) -> None:
    make_world(tmp_path)
    with pipe(tmp_path) as server:
        server.shake_hands()
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
    assert b"Traceback" not in server.said


@pytest.mark.parametrize("shape", SHAPES)
def test_a_request_that_is_too_long_is_answered_to_whoever_made_it(tmp_path: Path, shape: str) -> None:
    make_world(tmp_path)
    params = b'{"name": "skill_aa", "arguments": {"arguments": "' + b"x" * (5 << 20) + b'", "id": 99}}'
    with pipe(tmp_path) as server:
        server.shake_hands()
        server.raw(SHAPES[shape] % ((b"12", params) if shape == "id first" else (params, b"12")))
        assert "bytes long" in server.answer(12, 10)["error"]["message"]
        assert server.ask("ping")["result"] == {}


def test_numbers_and_keys_that_json_allows_are_answered(tmp_path: Path) -> None:
    make_world(tmp_path)
    with pipe(tmp_path) as server:
        server.shake_hands()
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


def test_an_answer_of_a_client_that_cannot_be_read_is_taken_for_no_request(tmp_path: Path) -> None:
    make_world(tmp_path)
    with pipe(tmp_path) as server:
        server.shake_hands()
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
        assert eventually(lambda: not running("git", self.server.url), 5)
        assert eventually(lambda: contents(self.workspace) == self.before, 5)


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
        update = [sys.executable, "-m", "skillbag", "marketplace", "update"]
        subprocess.run(update, env=environment(tmp_path), check=True, capture_output=True)
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
    assert b"Traceback" not in server.said


def _started(server: Pipe, slow: Slow) -> int:
    number = server.start("tools/call", {"name": "skill_marketplace", "arguments": INSTALL})
    assert eventually(lambda: slow.server.requests)
    return number


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
