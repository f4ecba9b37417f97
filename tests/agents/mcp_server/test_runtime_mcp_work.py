"""`skill_scan` and `skill_transform`: the work of active skills for an agent over MCP."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.agents.mcp_server.mcp_worlds import Pipe
from tests.runtime.worlds_active import active
from tests.supply.install.worlds import write

SCANNER = """\
def scan(content):
    lines = content.split("\\n")
    return [{"message": "A word", "rule": "word", "line": n + 1} for n in range(len(lines)) if "bad" in lines[n]]

register_scanner("words", scan)
register_hook("OnSecurityScanComplete", lambda event: log("seen %d" % event["data"]["findings_count"]))
"""
SCANS = {"types": "[security-rule]", "security_rules": "{scanners: [{name: words, entrypoint: main.star}]}"}
SHOUT = """\
def shout(event):
    return {"modified": {"response": event["data"]["response"].upper()}}

register_hook("OnAfterResponse", shout)
"""
WORK = {"skill_scan", "skill_transform"}


def names(server: Pipe) -> set[str]:
    return {tool["name"] for tool in server.ask("tools/list")["result"]["tools"]}


def text(result: dict[str, Any]) -> str:
    return str(result["content"][0]["text"])


@pytest.fixture
def skills(workspace: Path) -> Path:
    """The workspace with a scanner and a transform that nothing triggers, and files to scan."""
    active(workspace, "words", SCANNER, permissions="[file:read]", **SCANS)
    active(workspace, "shout", SHOUT, types="[transform]")
    return write(workspace, {"a.txt": "one\nbad\n", "src/b.txt": "bad\n", "../outside.txt": "bad\n"})


def test_they_are_offered_only_where_a_skill_of_the_type_is_found(workspace: Path, server: Pipe) -> None:
    active(workspace, "loud")
    assert "skill_activate" in names(server)
    assert not names(server) & WORK
    active(workspace, "shout", SHOUT, types="[transform]")
    assert names(server) & WORK == {"skill_transform"}
    active(workspace, "words", SCANNER, **SCANS)
    assert names(server) >= WORK


def test_a_scan_asks_first_and_then_gives_findings(skills: Path, server: Pipe) -> None:
    none = server.tool("skill_scan")
    assert (none["isError"], "name one in `skills`: words" in text(none)) == (True, True)
    requested = server.tool("skill_scan", {"skills": ["words"]})["structuredContent"]
    (question,) = requested["questions"]
    assert "A person allows it" in question


def test_a_scan_gives_findings_within_the_workspace(skills: Path, server: Pipe) -> None:
    settings = {"version": 1, "runtime": {"approved_skills": ["words"]}}
    write(skills.parent / "config", {"settings.json": json.dumps(settings)})
    found = server.tool("skill_scan", {"skills": ["words"]})["structuredContent"]
    assert [(each["rule"], each["path"], each["line"]) for each in found["findings"]] == [
        ("words/word", "a.txt", 2),
        ("words/word", "src/b.txt", 1),
    ]
    assert (found["findings_count"], found["errors"], found["skills"]) == (2, [], ["words"])
    part = server.tool("skill_scan", {"paths": ["./src"]})["structuredContent"]
    assert [each["path"] for each in part["findings"]] == ["src/b.txt"]
    for path in ("../outside.txt", "../nothing", str(skills.parent / "outside.txt"), "src/../../outside.txt"):
        refused = server.tool("skill_scan", {"paths": [path]})
        assert (refused["isError"], "it is not in the workspace" in text(refused)) == (True, True), path
    assert "no such file" in text(server.tool("skill_scan", {"paths": ["gone"]}))


def test_a_transform_changes_a_text(skills: Path, server: Pipe) -> None:
    none = server.tool("skill_transform", {"text": "so"})
    assert (none["isError"], "name one in `skills`: shout" in text(none)) == (True, True)
    assert text(server.tool("skill_transform", {"text": "so", "skills": ["shout"]})) == "SO"
    assert text(server.tool("skill_transform", {"text": "so it is"})) == "SO IT IS"
    assert server.tool("skill_transform", {"text": "so", "skills": ["nothing"]})["isError"]
    assert "error" in server.ask("tools/call", {"name": "skill_transform", "arguments": {}})


def test_no_skill_takes_their_names(workspace: Path, server: Pipe) -> None:
    code = f'{SHOUT}\nregister_tool("skill_transform", "Mine.", lambda input: "mine")\n'
    active(workspace, "shout", code, types="[transform, tool]", triggers="{modes: [mcp]}")
    refused = server.tool("skill_transform", {"text": "so"})
    assert "skillbag's tools" in text(refused), refused
