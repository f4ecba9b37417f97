"""The schemas of files around skills and the facts about hosts say the same."""

from __future__ import annotations

import json
from typing import Any

from host_data import read_hosts

from tests.rows import each_row
from tests.support import PROJECT

HOSTS = {host.id: host for host in read_hosts(PROJECT)}


def rows(host: str, section: str) -> list[Any]:
    return [row for _, row in HOSTS[host].rows(section)]


def names(host: str, section: str) -> set[str]:
    return {row["name"] for row in rows(host, section)}


def schema(kind: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((PROJECT / f"schemas/hosts/{kind}.schema.json").read_text("utf-8"))
    return found


def test_the_schema_of_hooks_of_claude_code_has_its_events_and_handlers() -> None:
    handlers, whole = rows("claude-code", "handlers"), schema("claude-hooks")
    assert set(whole["$defs"]["events"]["properties"]) == names("claude-code", "events")
    assert [set(whole["properties"])] == [
        set(row["top-keys"]) for row in rows("claude-code", "hooks") if "top-keys" in row
    ]
    handler = whole["$defs"]["handler"]["properties"]
    types = {one["type"] for one in handlers} - {"*"}
    assert set(handler["type"]["enum"]) == types
    assert set(handler) == {field for one in handlers for field in (*one.get("fields", ()), *one.get("required", ()))}


def test_the_schema_of_hooks_of_copilot_has_its_events_and_handlers() -> None:
    handlers, whole = rows("copilot", "handlers"), schema("copilot-hooks")
    own = {name for name in names("copilot", "events") if name[0].islower()}
    assert set(whole["properties"]["hooks"]["properties"]) == own
    assert set(whole["$defs"]["hook"]["properties"]["type"]["enum"]) == {one["type"] for one in handlers}


@each_row(
    ("host", "file", "kind"),
    [
        ("claude-code", "skill", "claude-skill"),
        ("claude-code", "agent", "claude-agent"),
        ("claude-code", "command", "claude-command"),
        ("copilot", "agent", "copilot-agent"),
    ],
)
def test_the_schema_of_front_matter_takes_the_values_of_its_keys(host: str, file: str, kind: str) -> None:
    properties = schema(kind)["properties"]
    keys = {key["name"]: key.get("values") for key in rows(host, "keys") if key.get("file", "skill") == file}
    for name, values in keys.items():
        part = properties.get(name)
        part = part if isinstance(part, dict) else {}
        allowed = part.get("enum") or part.get("else", {}).get("enum")
        # Models are names that may be new; of `effort` numbers are allowed as well.
        if values and allowed and name != "model":
            assert set(allowed) == set(values), name
    assert keys


def test_reserved_names_of_catalogs_in_the_schema_are_those_of_the_facts() -> None:
    refused = json.dumps(schema("claude-marketplace"))
    reserved = [name for row in rows("claude-code", "plugins") for name in row.get("reserved-catalogs", ())]
    assert reserved
    assert [name for name in reserved if name not in refused] == []


def test_each_manifest_and_catalog_that_a_host_reads_is_a_place_of_some_host() -> None:
    places = {place["pattern"] for host in HOSTS for place in rows(host, "places")}
    # A file of this name at the root counts by its `$schema`, or by what is beside it; that of catalogs is not read.
    places |= {"plugin.json", "marketplace.json", ".plugin/marketplace.json", ".github/plugin/marketplace.json"}
    plugins = [row for host in HOSTS for row in rows(host, "plugins")]
    read = {name for row in plugins for name in (*row.get("manifests", ()), *row.get("catalogs", ()))}
    assert read
    assert read <= places


def test_keys_of_agents_and_commands_in_the_schemas_are_those_of_the_facts() -> None:
    for file, kind in (("agent", "claude-agent"), ("command", "claude-command")):
        keys = {key["name"] for key in rows("claude-code", "keys") if key.get("file") == file}
        misspelled = {"allowed-tools", "allowedTools", "disallowed-tools"} if file == "agent" else set[str]()
        assert set(schema(kind)["properties"]) - misspelled == keys
