"""`allowed-tools` over MCP: from the call of a skill until `end_skill`, for the tools that run or write something."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client

from tests.agents.mcp_server.mcp_worlds import SCRIPT, Door, Pipe, make_world, over_http, pipe, skill_text
from tests.agents.mcp_server.test_mcp_tools import text_of
from tests.runtime.worlds_active import active, manifest
from tests.supply.install.worlds import write

TOOLS = """\
register_tool("note", "Notes.", lambda input: "noted")
register_tool("read_file", "Is no reader.", lambda input: "done")
register_workflow("plan", lambda input: "planned")
"""
LISTS = {
    "reads": "Read Grep",
    "notes": "Read, note",
    "planner": "mcp__skillbag__note, mcp__skillbag__workflow_plan",
    "shells": "Bash",
    "own": "Bash(${CLAUDE_SKILL_DIR}/scripts/*), note",
    "wrong": "Read, Bash (git:*)",
}


def limited(name: str, allowed: str) -> str:
    return skill_text(name).replace("\ndescription", f"\nallowed-tools: {allowed}\ndescription")


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    root = make_world(tmp_path, LISTS)
    for name, allowed in LISTS.items():
        write(root / ".skills" / name, {"SKILL.md": limited(name, allowed), "scripts/do.sh": SCRIPT})
    both = manifest("reads").replace("Does reads.", "Does what reads does. Use when reads is named.")
    write(root / ".skills/reads", {"SKILL.yaml": both, "main.star": ""})
    active(root, "worker", TOOLS, types="[tool, workflow]", triggers="{modes: [mcp]}")
    return root


@pytest.fixture
def server(workspace: Path, tmp_path: Path) -> Iterator[Pipe]:
    with pipe(tmp_path) as running:
        running.shake_hands()
        yield running
    assert b"Traceback" not in running.errors


def said(server: Pipe, tool: str, **arguments: Any) -> str:
    result = server.tool(tool, arguments)
    text: str = result["content"][0]["text"]
    return text


def refused(server: Pipe, tool: str, **arguments: Any) -> bool:
    result = server.tool(tool, arguments)
    text = result["content"][0]["text"]
    assert ("is not allowed while skill" in text) is result.get("isError", False), text
    return bool(result["isError"])


def passing(server: Pipe) -> set[str]:
    """Which calls pass of those that run something."""
    calls: dict[str, tuple[str, dict[str, Any]]] = {
        "note": ("note", {}),
        "read_file": ("read_file", {"path": "x"}),
        "workflow_plan": ("workflow_plan", {}),
        "aa": ("run_skill_script", {"skill": "aa", "script": "scripts/say.sh"}),
        "own": ("run_skill_script", {"skill": "own", "script": "scripts/do.sh", "args": ["a b; c"]}),
    }
    return {name for name, (tool, arguments) in calls.items() if not refused(server, tool, **arguments)}


ALL = {"note", "read_file", "workflow_plan", "aa", "own"}


@pytest.mark.parametrize(
    ("skill", "allowed"),
    [
        *(("aa", ALL), ("reads", set()), ("notes", {"note"}), ("planner", {"note", "workflow_plan"})),
        *(("shells", {"aa", "own"}), ("own", {"note", "own"}), ("wrong", set())),
    ],
)
def test_a_skill_limits_calls_until_it_ends(server: Pipe, skill: str, allowed: set[str]) -> None:
    assert passing(server) == ALL
    assert said(server, f"skill_{skill}").startswith(f"# Skill: {skill}")
    assert passing(server) == allowed
    assert said(server, "end_skill").startswith(f"The skill {skill} is not in use any more.")
    assert passing(server) == ALL


def test_a_refusal_says_what_limits_and_what_to_do(server: Pipe) -> None:
    said(server, "skill_wrong")
    text = said(server, "note")
    assert text == (
        "Tool 'note' is not allowed while skill 'wrong' is active. Allowed tools: Read, Bash (git:*). "
        "Refused: `(git:*)` is no entry of allowed-tools (no tool stands directly before the parenthesis), and a "
        "malformed list allows nothing. Do without it while the skill is in use, and tell the user; once the skill's "
        "work is done, call end_skill"
    )


def test_tools_that_run_nothing_are_never_refused(server: Pipe) -> None:
    said(server, "skill_reads")
    assert "end_skill" in {tool["name"] for tool in server.ask("tools/list")["result"]["tools"]}
    assert "note" in {tool["name"] for tool in server.ask("tools/list")["result"]["tools"]}, "refused, not hidden"
    assert "# Guide" in said(server, "read_skill_file", skill="aa", path="references/guide.md")
    for tool, arguments in (("enter", {}), ("refresh", {}), ("skill_marketplace", {"action": "list_installed"})):
        assert not refused(server, tool, **arguments)


def test_limits_of_several_skills_add_up_and_each_ends_by_its_name(server: Pipe) -> None:
    for skill in ("notes", "planner", "aa", "notes"):
        said(server, f"skill_{skill}")
    assert passing(server) == {"note"}
    assert said(server, "end_skill", skill="notes").endswith(f"still limit calls: planner ({LISTS['planner']}).")
    assert passing(server) == {"note", "workflow_plan"}
    assert said(server, "end_skill", skill="notes") == "Error: notes is not in use; in use: planner"
    assert said(server, "end_skill", skill="planner").endswith("limit calls: none.")
    assert said(server, "end_skill").startswith("No skill was in use.")
    assert passing(server) == ALL


@pytest.mark.parametrize("way", ["prompt", "resource", "read_skill_file", "skill_activate"])
def test_each_way_to_get_the_instructions_begins_the_limit(server: Pipe, way: str) -> None:
    said(server, "skill_notes")
    if way == "prompt":
        assert "result" in server.ask("prompts/get", {"name": "reads"})
    elif way == "resource":
        assert "result" in server.ask("resources/read", {"uri": "skill://reads/SKILL.md"})
    elif way == "read_skill_file":
        assert not refused(server, way, skill="reads", path="SKILL.md")
    else:
        assert said(server, way, skill="reads").startswith("Active now")
    assert passing(server) == set()
    if way == "skill_activate":
        said(server, "skill_deactivate", skill="reads")
    else:
        said(server, "end_skill", skill="reads")
    assert passing(server) == {"note"}


def test_a_skill_whose_list_can_not_be_read_is_not_begun_and_can_be_read(workspace: Path, server: Pipe) -> None:
    write(workspace, {".skills/notes/SKILL.md": "---\nname: notes\nallowed-tools: {\n---\nBroken.\n"})
    assert "Broken." in said(server, "read_skill_file", skill="notes", path="SKILL.md")
    assert "Broken." in server.ask("resources/read", {"uri": "skill://notes/SKILL.md"})["result"]["contents"][0]["text"]
    assert said(server, "skill_notes").startswith("Error: ")
    assert passing(server) == ALL


def test_reading_is_no_leave_to_run_a_prohibited_skill(workspace: Path, server: Pipe) -> None:
    block = "# Context\n\n```yaml\nprohibit: {skills: [shells]}\n```\n"
    write(workspace, {"CONTEXT.md": block})
    call = {"skill": "shells", "script": "scripts/do.sh"}
    assert "Ask" in said(server, "run_skill_script", **call)
    said(server, "read_skill_file", skill="shells", path="SKILL.md")
    assert "Ask" in said(server, "run_skill_script", **call)


def test_each_session_over_http_has_limits_of_its_own(workspace: Path, tmp_path: Path) -> None:
    async def use(door: Door) -> None:
        async with Client(door.transport(), mode="legacy") as one, Client(door.transport(), mode="legacy") as other:
            await one.call_tool("skill_reads", {})
            assert "is not allowed while skill 'reads'" in text_of(await one.call_tool("note", {}))
            assert text_of(await other.call_tool("note", {})) == "noted"
        async with Client(door.transport(), mode="legacy") as again:
            assert text_of(await again.call_tool("note", {})) == "noted", "a new session begins without limits"

    with over_http(tmp_path) as door:
        anyio.run(use, door)


def test_a_damaged_record_refuses_all_that_runs_something_until_a_person_deletes_it(
    server: Pipe, tmp_path: Path
) -> None:
    said(server, "skill_reads")
    (record,) = (tmp_path / "state/sessions").rglob("*.active")
    record.write_bytes(b"{")
    for tool, arguments in (("end_skill", {}), ("end_skill", {"skill": "reads"}), ("skill_aa", {}), ("note", {})):
        assert "can't be read, so calls are refused until a person deletes it" in said(server, tool, **arguments)
    # A skill can be read, activated and deactivated; nothing of that is a leave.
    assert not refused(server, "read_skill_file", skill="aa", path="SKILL.md")
    assert "result" in server.ask("resources/read", {"uri": "skill://aa/SKILL.md"})
    assert said(server, "skill_activate", skill="reads").startswith("Active now")
    assert said(server, "skill_deactivate", skill="reads").startswith("Not active any more")
    assert "until a person deletes it" in said(server, "note")
    record.unlink()
    assert passing(server) == ALL
