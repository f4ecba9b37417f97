"""`hosts/*.yaml`: every file is valid, every fact has a source with a date and a certainty, and the table has them."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from host_data import FactGroup, HostFileData, read_hosts, yaml_value
from host_table import host_agents, host_keys, host_places, host_table, host_tools

from skillbag.agents.hosts.claude import EVENTS as STEPS
from skillbag.agents.hosts.claude_events import CALL, EXPANSION, MESSAGE
from skillbag.kernel.hosts.table import HOSTS
from skillbag.kernel.workspace.agents import AGENTS, Agent
from skillbag.supply.bootstrap.mcp_server import CONFIGURATION
from skillbag.supply.bootstrap.session_hook import EVENTS as WRITTEN
from tests.rows import each_row
from tests.support import PROJECT

FILES = sorted((PROJECT / "hosts").glob("*.yaml"))
SCHEMA = json.loads((PROJECT / "schemas/host.schema.json").read_text("utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def test_there_are_all_hosts() -> None:
    known = {"amp", "claude-code", "codex", "copilot", "cursor", "gemini", "goose", "kiro", "opencode", "vscode"}
    assert set(HOSTS) == known
    assert {name for name in known if HOSTS[name].id == name} == known


@each_row("file", FILES, ids=[file.name for file in FILES])
def test_a_file_is_valid_and_each_source_that_it_names_is_there(file: Any) -> None:
    value = yaml_value(file)
    assert [error.message for error in VALIDATOR.iter_errors(value)] == []
    assert value["id"] == file.stem
    used = {group["source"] for section in value.values() if isinstance(section, list) for group in section}
    assert used == set(value["sources"]), "a source is missing, or none of the facts is from it"


def test_every_fact_has_a_source_a_date_and_a_certainty() -> None:
    groups = [group for host in read_hosts(PROJECT) for group in host.groups]
    assert len(groups) > 100
    assert all(group.source and group.date.startswith("20") and group.certainty in "ABC" for group in groups)


@each_row(
    ("change", "fault"),
    [
        ({"certainty": "D"}, "'D' is not one of"),
        ({"date": "2026"}, "does not match"),
        ({"facts": {"depth": "deep"}}, "'deep' is not of type"),
        ({"facts": {"deepness": 1}}, "'deepness' was unexpected"),
        ({"sure": "A"}, "'sure' is not one of"),
    ],
)
def test_a_file_that_says_something_else_is_invalid(change: dict[str, Any], fault: str) -> None:
    group = {"source": "docs", "certainty": "A", "facts": {"depth": 1}}
    host = {"id": "x", "title": "X", "version": "1", "sources": {"docs": {"title": "Docs", "date": "2026-01-01"}}}
    assert not [*VALIDATOR.iter_errors({**host, "discovery": [group]})]
    errors = [error.message for error in VALIDATOR.iter_errors({**host, "discovery": [{**group, **change}]})]
    assert any(fault in error for error in errors), errors


def test_the_facts_that_rules_stand_on() -> None:
    claude, files = HOSTS["claude-code"], {host.id: host for host in read_hosts(PROJECT)}
    events = {event.name: event for event in claude.events}
    assert len(events) == 34
    assert {name for name, event in events.items() if not event.matcher} == {
        *("UserPromptSubmit", "PostToolBatch", "Stop", "TeammateIdle", "TaskCreated", "TaskCompleted"),
        *("WorktreeCreate", "WorktreeRemove", "MessageDisplay", "CwdChanged"),
    }
    closed = {"PreToolUse", "PermissionRequest", "PreSkillShellCommand"}
    assert {row["name"] for _, row in files["claude-code"].rows("events") if row.get("closed")} == closed
    assert claude.memory.import_depth == 4
    assert HOSTS["codex"].memory.max_bytes == 32_768
    assert [row["file-links"] for _, row in files["codex"].rows("discovery") if "file-links" in row] == [False]
    assert HOSTS["opencode"].discovery.depth == 1000
    assert any(row.get("name-is-folder") for _, row in files["vscode"].rows("naming"))
    assert ".opencode/skill" in {folder.path for folder in HOSTS["opencode"].folders}


def test_what_the_program_does_in_claude_code_is_among_the_facts() -> None:
    claude = next(host for host in read_hosts(PROJECT) if host.id == "claude-code")
    events = {row["name"] for _, row in claude.rows("events")}
    assert {*STEPS, *WRITTEN, CALL, MESSAGE, EXPANSION} <= events
    assert set(STEPS) == set(WRITTEN)
    handler = next(row for _, row in claude.rows("handlers") if row["type"] == "command")
    assert "onFailure" in handler["fields"], "limit_hook writes it"
    assert ("${CLAUDE_PROJECT_DIR}", "hooks") in {
        (row["text"], row.get("within")) for _, row in claude.rows("variables")
    }
    assert AGENTS["claude"].servers == CONFIGURATION
    assert (CONFIGURATION, "mcpServers") in {(row["path"], row["key"]) for _, row in claude.rows("servers")}
    places = {row["pattern"] for _, row in claude.rows("places")}
    assert {AGENTS["claude"].settings, AGENTS["claude"].own_settings, AGENTS["claude"].instructions} <= places


def test_the_folder_that_link_fills_is_one_that_the_host_reads() -> None:
    for host in read_hosts(PROJECT):
        read = {row["path"] for _, row in host.rows("folders")}
        assert {row["folder"] for _, row in host.rows("agent")} <= read, host.id


def test_a_record_of_several_groups_is_as_sure_as_the_weakest_and_has_all_their_facts() -> None:
    listing, discovery = HOSTS["claude-code"].listing, HOSTS["claude-code"].discovery
    assert (listing.share, listing.text_max) == (0.01, 1536)
    groups = [
        group.certainty
        for host in read_hosts(PROJECT)
        if host.id == "claude-code"
        for group, _ in host.rows("discovery")
    ]
    assert (discovery.depth, discovery.certainty, set(groups)) == (1, "B", {"A", "B"})


def test_a_row_for_several_names_is_a_row_for_each() -> None:
    group = FactGroup("events", "docs", "2026-01-01", "A", ({"name": ["One", "Two"], "matcher": False},))
    host = HostFileData("x", "X", "1", (("docs", "Docs", "2026-01-01"),), (group,))
    assert [row["name"] for _, row in host.rows("events")] == ["One", "Two"]
    assert "m.EventFact(name='Two', matcher=False)" in host_table((host,))


def test_a_file_that_is_no_mapping_stops_the_generator(tmp_path: Any) -> None:
    (tmp_path / "x.yaml").write_text("- x\n", "utf-8")
    with pytest.raises(SystemExit, match=r"x\.yaml"):
        yaml_value(tmp_path / "x.yaml")


def of(host: str, section: str, *rows: dict[str, Any]) -> HostFileData:
    return HostFileData(host, host, "1", (), (FactGroup(section, "docs", "2026-01-01", "A", rows),))


def test_a_place_that_several_hosts_read_is_there_once_and_has_one_kind() -> None:
    memory = {"pattern": "NOTES.md", "kind": "memory", "within": "project"}
    text = host_places((of("one", "places", memory), of("two", "places", memory)))
    assert text.count("NOTES.md") == 1
    with pytest.raises(SystemExit, match=r"two.yaml: NOTES.md is text there, and memory elsewhere"):
        host_places((of("one", "places", memory), of("two", "places", {**memory, "kind": "text"})))


def test_a_name_of_a_tool_means_one_tool_whichever_agent_has_it() -> None:
    assert "'see': 'Read'," in host_tools((of("one", "tools", {"means": "Read", "names": ["see"]}),))
    with pytest.raises(SystemExit, match=r"two.yaml: see is Grep there, Read elsewhere"):
        host_tools(tuple(of(x, "tools", {"means": y, "names": ["see"]}) for x, y in (("one", "Read"), ("two", "Grep"))))


def test_names_with_capitals_that_mean_no_tool_of_claude_code_are_those_of_others() -> None:
    claude = of("claude-code", "tools", {"names": ["Read"]}, {"names": ["Old"], "state": "gone"})
    text = host_tools((claude, of("x", "tools", {"names": ["Read", "Think", "think"]})))
    assert "CLAUDE_TOOLS = frozenset((\n    'Old', 'Read',\n))" in text
    assert "OTHER_TOOLS = frozenset((\n    'Think',\n))" in text


def test_agents_are_rows_by_name_in_the_order_of_their_fields() -> None:
    zed = of("zed", "agent", {"name": "zed", "folder": ".zed", "own-settings": "own.json"})
    more = of("others", "agents", {"name": "amp", "title": "Amp", "folder": ".amp", "aliases": ["a"], "copied": True})
    rows: dict[str, Any] = {}
    exec(host_agents((zed, more)), rows)  # noqa: S102
    assert [Agent._make(row) for row in rows["ROWS"]] == [
        Agent("amp", "Amp", ".amp", (), (), ("a",), copied=True),
        Agent("zed", "zed", ".zed", (), (), own_settings="own.json"),
    ]


def test_keys_are_of_the_programs_that_read_them_in_a_skill_or_of_another_file() -> None:
    one = of("one", "keys", {"name": ["name", "a"]}, {"name": "b", "file": "agent"}, {"name": "c", "inert": True})
    two = of(
        "two", "keys", {"name": "a", "program": "Two"}, {"name": "a", "file": "rule"}, {"name": "d", "file": "catalog"}
    )
    found: dict[str, Any] = {}
    exec(host_keys((one, two), ["name"]), found)  # noqa: S102
    assert found["READERS"] == {"a": ("one", "Two")}
    assert found["ELSEWHERE"] == {"b": "one reads it in the files of agents only"}
    assert (found["INERT"], found["CATALOG"]) == ({"c"}, {"d"})
