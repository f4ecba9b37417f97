"""The first answer: it comes before the SDK is imported, and is the one that the SDK gives."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from skillbag.agents.mcp_server.greeting import VERSIONS, answer_to
from tests.agents.mcp_server.mcp_worlds import make_world, pipe
from tests.agents.mcp_server.messages import GARBAGE, HELLO, OPENING
from tests.rows import each_row

HELD = """
import sys, os, time
class Holding:
    def find_spec(self, name, path=None, target=None):
        while name == "mcp.server" and not os.path.exists(os.path.join(os.path.dirname(__file__), "go")):
            time.sleep(0.01)
sys.meta_path.insert(0, Holding())
"""
"""Holds the import of the SDK until there is a file `go`."""

CLAUDE = {"name": "claude-code", "title": "Claude Code", "version": "2.1.330", "websiteUrl": "https://host.example"}
PLAIN: list[dict[str, Any]] = [
    *({"protocolVersion": version} for version in VERSIONS),
    {"capabilities": {"roots": {}, "elicitation": {}}, "clientInfo": CLAUDE},
    {"capabilities": {"roots": {"listChanged": True}, "sampling": {"context": {}, "tools": {}}}},
    {"capabilities": {"elicitation": {"form": {}, "url": {}}}},
]
UNUSUAL: list[dict[str, Any]] = [
    {"protocolVersion": "1999-01-01"},
    {"protocolVersion": "2026-07-28"},
    {"protocolVersion": 1},
    {"capabilities": None},
    {"capabilities": {"roots": True}},
    {"capabilities": {"roots": {"listChanged": 1}}},
    {"capabilities": {"sampling": {"context": True}}},
    {"capabilities": {"experimental": {"x": {}}}},
    {"capabilities": {"unknown": {}}},
    {"clientInfo": {"name": "test"}},
    {"clientInfo": {"name": "test", "version": 1}},
    {"clientInfo": {"name": "test", "version": "1", "icons": []}},
    {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}},
]


def line_of(changed: dict[str, Any], **message: Any) -> bytes:
    message = {**OPENING, "params": {**HELLO, **changed}, **message}
    return json.dumps(message, ensure_ascii=False).encode("utf-8", "surrogatepass")


def test_it_comes_before_the_sdk_is_imported_and_nothing_is_lost(tmp_path: Path) -> None:
    make_world(tmp_path)
    (tmp_path / "sitecustomize.py").write_text(HELD)
    with pipe(tmp_path, PYTHONPATH=str(tmp_path)) as server:
        assert server.ask("initialize", HELLO)["result"]["serverInfo"]["name"] == "skillbag"
        server.send("notifications/initialized")
        listing, pinged = server.start("tools/list"), server.start("ping")
        (tmp_path / "go").touch()
        assert server.answer(listing)["result"]["tools"]
        assert server.answer(pinged)["result"] == {}
        # Else there would be a second answer, or a warning that the SDK answers otherwise.
        assert server.end() == 0
        assert not server._kept
    assert server.errors == b""


@each_row("changed", PLAIN, ids=str)
def test_it_is_what_the_sdk_answers(tmp_path: Path, changed: dict[str, Any]) -> None:
    greeted = answer_to(line_of(changed, id="é"))
    assert greeted is not None
    assert greeted.id == "é"
    assert json.loads(greeted.line) == answered_by_sdk(tmp_path, changed)


@each_row("changed", UNUSUAL, ids=str)
def test_the_unusual_is_left_to_the_sdk(tmp_path: Path, changed: dict[str, Any]) -> None:
    line = line_of(changed)
    assert answer_to(line) is None
    make_world(tmp_path)
    with pipe(tmp_path) as server:
        server.raw(line + b"\n")
        first = server.answer(1)
        assert ("result" in first) == ("error" not in first)
        server.raw(line_of({}, id=2) + b"\n")
        assert server.ask("ping")["result"] == {}


def test_the_versions_are_those_of_the_sdk() -> None:
    assert VERSIONS == HANDSHAKE_PROTOCOL_VERSIONS


@each_row(
    "line",
    [
        *GARBAGE,
        b"",
        line_of({}, id=1.0),
        line_of({}, id=True),
        line_of({}, id=None),
        line_of({}, id=1 << 60),
        line_of({}, id="\ud800"),
        line_of({}, jsonrpc="1.0"),
        line_of({}, method="ping"),
        line_of({}, more=1),
        line_of({"clientInfo": {"name": "x" * 20_000, "version": "1"}}),
        line_of({}).replace(b'"id": 1', b'"id": 1, "id": 2'),
    ],
    ids=lambda line: ascii(line[:40]),
)
def test_nothing_else_is_answered(line: bytes) -> None:
    assert answer_to(line) is None


def test_a_client_that_says_nothing_or_only_half_a_line_is_served_all_the_same(tmp_path: Path) -> None:
    make_world(tmp_path)
    (tmp_path / "go").touch()
    (tmp_path / "sitecustomize.py").write_text(HELD)
    whole = line_of({}, id="late") + b"\n"
    with pipe(tmp_path, PYTHONPATH=str(tmp_path)) as server:
        server.raw(whole[:30])
        assert server.hear(1) == []
        server.raw(whole[30:])
        assert "result" in server.answer("late")
    with pipe(tmp_path, PYTHONPATH=str(tmp_path)) as silent:
        assert silent.end() == 0


def answered_by_sdk(folder: Path, changed: dict[str, Any]) -> dict[str, Any]:
    """Its answer to the same message, written with an escape."""
    make_world(folder)
    line = line_of(changed, id="é").replace(b'"initialize"', b'"initi\\u0061lize"')
    assert answer_to(line) is None
    with pipe(folder) as server:
        server.raw(line + b"\n")
        return server.answer("é")
