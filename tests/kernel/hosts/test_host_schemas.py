"""The schemas of files around skills and the facts about hosts say the same."""

from __future__ import annotations

import json
from typing import Any

from skillbag.kernel.hosts.table import HOSTS
from tests.rows import each_row
from tests.support import PROJECT


def schema(kind: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((PROJECT / f"schemas/hosts/{kind}.schema.json").read_text("utf-8"))
    return found


def test_the_schema_of_hooks_of_claude_code_has_its_events_and_handlers() -> None:
    claude, whole = HOSTS["claude-code"], schema("claude-hooks")
    assert set(whole["$defs"]["events"]["properties"]) == {event.name for event in claude.events}
    assert set(whole["properties"]) == set(claude.hooks.top_keys)
    handler = whole["$defs"]["handler"]["properties"]
    types = {one.type for one in claude.handlers} - {"*"}
    assert set(handler["type"]["enum"]) == types
    assert set(handler) == {field for one in claude.handlers for field in (*one.fields, *one.required)}


def test_the_schema_of_hooks_of_copilot_has_its_events_and_handlers() -> None:
    copilot, whole = HOSTS["copilot"], schema("copilot-hooks")
    own = {event.name for event in copilot.events if event.name[0].islower()}
    assert set(whole["properties"]["hooks"]["properties"]) == own
    assert set(whole["$defs"]["hook"]["properties"]["type"]["enum"]) == {one.type for one in copilot.handlers}


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
    keys = {key.name: key for key in HOSTS[host].keys if key.file == file}
    for name, key in keys.items():
        part = properties.get(name)
        part = part if isinstance(part, dict) else {}
        allowed = part.get("enum") or part.get("else", {}).get("enum")
        # Models are names that may be new; of `effort` numbers are allowed as well.
        if key.values and allowed and name != "model":
            assert set(allowed) == set(key.values), name
    assert keys


def test_reserved_names_of_catalogs_in_the_schema_are_those_of_the_facts() -> None:
    refused = json.dumps(schema("claude-marketplace"))
    assert [name for name in HOSTS["claude-code"].plugins.reserved_catalogs if name not in refused] == []


def test_each_manifest_and_catalog_that_a_host_reads_is_a_place_of_some_host() -> None:
    places = {place.pattern for host in HOSTS.values() for place in host.places}
    # A file of this name at the root counts by its `$schema`, or by what is beside it; that of catalogs is not read.
    places |= {"plugin.json", "marketplace.json", ".plugin/marketplace.json", ".github/plugin/marketplace.json"}
    read = [name for host in HOSTS.values() for name in (*host.plugins.manifests, *host.plugins.catalogs)]
    assert set(read) <= places


def test_keys_of_agents_and_commands_in_the_schemas_are_those_of_the_facts() -> None:
    for file, kind in (("agent", "claude-agent"), ("command", "claude-command")):
        keys = {key.name for key in HOSTS["claude-code"].keys if key.file == file}
        misspelled = {"allowed-tools", "allowedTools", "disallowed-tools"} if file == "agent" else set[str]()
        assert set(schema(kind)["properties"]) - misspelled == keys
