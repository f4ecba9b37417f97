"""Clients that send garbage, flood, or vanish: the server works on or ends, and leaves no process behind."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

from tests.mcp_server.mcp_worlds import (
    Pipe,
    eventually,
    make_world,
    pipe,
)
from tests.mcp_server.messages import GARBAGE, INVALID_REQUEST

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


def errors(server: Pipe, count: int) -> list[int]:
    """The codes of the next answers to nobody in particular."""
    return [server.answer(None)["error"]["code"] for _ in range(count)]


def test_garbage_is_answered_and_the_next_message_as_if_nothing_had_been(tmp_path: Path) -> None:
    make_world(tmp_path)
    with pipe(tmp_path) as server:
        server.shake_hands()
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
    assert b"Traceback" not in server.said


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
    assert b"Traceback" not in server.said


def test_a_line_without_end_is_not_kept_in_memory(tmp_path: Path) -> None:
    make_world(tmp_path)
    with pipe(tmp_path) as server:
        server.shake_hands()
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


def test_a_flood_that_nobody_reads_the_answers_of_is_answered_once_somebody_does(tmp_path: Path) -> None:
    make_world(tmp_path)
    sent = tmp_path / "sent"
    with pipe(tmp_path, reads=False) as server:
        flood = subprocess.Popen([sys.executable, "-c", FLOOD, str(sent)], stdout=server.process.stdin)
        # The server stops reading rather than to keep ten thousand answers.
        assert eventually(lambda: stands_still(sent), 30)
        assert int(sent.read_text()) < 9_000
        server.read_on()
        assert flood.wait(300) == 0
        for number in range(10_000):
            assert "result" in server.answer(f"f{number}", 60)
        assert server.end() == 0


def stands_still(file: Path) -> bool:
    """Whether the file is there, and does not change for a while."""
    before = file.read_text() if file.exists() else ""
    time.sleep(1)
    return bool(before) and before == file.read_text()


FLOOD = """
import json, sys
out = sys.stdout.buffer
hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
for message in (
    {"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": hello},
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    *({"jsonrpc": "2.0", "id": f"f{n}", "method": "ping" if n % 100 else "tools/list"} for n in range(10000)),
):
    out.write(json.dumps(message).encode() + b"\\n")
    out.flush()
    if message.get("id", "").endswith("00"):
        open(sys.argv[1], "w").write(message["id"][1:])
"""


def memory(process: int) -> int:
    """Bytes that the process had in memory at most."""
    (line,) = (line for line in Path(f"/proc/{process}/status").read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) << 10
