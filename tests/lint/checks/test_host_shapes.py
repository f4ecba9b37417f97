"""The schemas of files around skills: level and effect of each fault, what is no fault, and the official schemas.

The official ones can't be carried here, and a test that fetched them would fail on the day they change. So the table
has their verdicts. With `SKILLBAG_OFFICIAL_SCHEMAS`, a folder that holds each by its address (`/` and `:` as `_`),
these are tried again.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from jsonschema.validators import validator_for

from skillbag.kernel.base.package_data import schema
from tests.lint.checks.rule_runs import RULES, findings
from tests.rows import each_row
from tests.support import Tree, table

pytestmark = pytest.mark.boundary

SHAPES = [rule.id for rule in RULES.values() if rule.predicate.name == "host-file-shape"]
TABLE = table(__file__, "host_shapes.toml")
ROWS: list[dict[str, Any]] = TABLE["shape"]
OFFICIAL = Path(os.environ.get("SKILLBAG_OFFICIAL_SCHEMAS", "not-there"))
BESIDE = {
    "plugin": (".claude-plugin/plugin.json", '{"name": "tea"}'),
    "agent-plugin": (
        "plugin.json",
        '{"$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json", "name": "tea"}',
    ),
}
SKILL = "---\nname: tea\ndescription: Make tea.\n---\nMake tea.\n"


@each_row("row", ROWS, ids=lambda row: f"{row['file']} {row['text'][:80]}")
def test_a_file_is_held_to_its_shape(row: dict[str, Any], tree: Tree) -> None:
    beside = dict(BESIDE[key] for key in BESIDE if row.get(key))
    beside |= {row["skill"]: SKILL.replace("name: tea", "name: teapot")} if "skill" in row else {}
    text = row["text"].replace("LONG", "x" * row.get("long", 0))
    root = tree({"skills/tea/SKILL.md": SKILL, **beside, row["file"]: text, **row.get("more", {})})
    found = sorted(f"{finding.level} {finding.rule}: {finding.message}" for finding in findings(root, *SHAPES))
    wanted = row.get("found", [])
    assert len(found) == len(wanted), found
    for message, want in zip(found, wanted, strict=True):
        head, _, words = want.partition(": ")
        assert message.startswith(head), found
        assert all(part in message for part in words.split(": ", 1)), found


def official(file: str) -> Any:
    """The official schema for a file, if it is at hand."""
    path = OFFICIAL / TABLE["official"][file].replace("/", "_").replace(":", "_")
    return json.loads(path.read_text("utf-8")) if path.is_file() else None


@each_row("row", [row for row in ROWS if "official" in row], ids=lambda row: f"{row['file']} {row['text'][:80]}")
def test_the_official_schema_says_the_same(row: dict[str, Any]) -> None:
    is_refused = any(not each.startswith("note") for each in row.get("found", []))
    assert (row["official"] == ("refuses" if is_refused else "takes")) != ("differs" in row)
    if written := official(row["file"]):
        takes = validator_for(written)(written).is_valid(json.loads(row["text"]))
        assert row["official"] == ("takes" if takes else "refuses")


@each_row(
    "file, kind, keys",
    [
        (".claude-plugin/plugin.json", "claude-plugin", ("$defs", "fields", "properties")),
        (".claude-plugin/marketplace.json", "claude-marketplace", ("properties",)),
        (".cursor-plugin/plugin.json", "cursor-plugin", ("properties",)),
        ("plugin.json", "agent-plugin", ("properties",)),
    ],
)
def test_each_official_key_is_known(file: str, kind: str, keys: tuple[str, ...]) -> None:
    ours = json.loads(schema(f"hosts/{kind}"))
    for key in keys:
        ours = ours[key]
    assert {"name"} <= set(ours)
    if written := official(file):
        assert set(written["properties"]) <= set(ours)
