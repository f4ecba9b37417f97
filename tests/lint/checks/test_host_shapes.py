"""The schemas of files around skills: the level and the effect of each fault, and what is no fault."""

from __future__ import annotations

from typing import Any

import pytest

from tests.lint.checks.rule_runs import RULES, findings
from tests.rows import each_row
from tests.support import Tree, table

pytestmark = pytest.mark.boundary

SHAPES = [rule.id for rule in RULES.values() if rule.predicate.name == "host-file-shape"]
ROWS = table(__file__, "host_shapes.toml")["shape"]
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
    root = tree({"skills/tea/SKILL.md": SKILL, **beside, row["file"]: row["text"]})
    found = sorted(f"{finding.level} {finding.rule}: {finding.message}" for finding in findings(root, *SHAPES))
    wanted = row.get("found", [])
    assert len(found) == len(wanted), found
    for message, want in zip(found, wanted, strict=True):
        head, _, words = want.partition(": ")
        assert message.startswith(head), found
        assert all(part in message for part in words.split(": ", 1)), found
