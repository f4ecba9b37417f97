"""No field of a manifest is read in vain: each has an effect that a public door shows."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from skillbag.kernel.base.package_data import schema
from tests.runtime.fields.field_cases import CASES, Case
from tests.runtime.fields.field_looks import World, make_world
from tests.support import Run

pytestmark = pytest.mark.boundary

SCHEMA = json.loads(schema("skill-manifest"))


@pytest.fixture
def world(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> World:
    return World(tmp_path, run, monkeypatch)


def leaves(node: Mapping[str, Any], where: str = "") -> Iterator[str]:
    """The paths of all fields that hold no further ones; `[]` stands for the entries of a list."""
    node = _resolved(node)
    if "items" in node and "properties" in _resolved(node["items"]):
        yield from leaves(node["items"], f"{where}[]")
    elif "properties" in node:
        for name, field in node["properties"].items():
            yield from leaves(field, f"{where}.{name}".removeprefix("."))
    else:
        yield where


def _resolved(node: Mapping[str, Any]) -> Mapping[str, Any]:
    return {**SCHEMA["$defs"][node["$ref"].rpartition("/")[2]], **node} if "$ref" in node else node


def test_every_field_of_the_schema_has_a_case() -> None:
    assert {case.path for case in CASES} == set(leaves(SCHEMA))


@pytest.mark.sampled(24)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.path)
def test_a_change_of_the_field_alone_is_seen(world: World, case: Case) -> None:
    seen = []
    for fields in case.manifests():
        make_world(world, fields, sys.executable)
        seen.append(case.look(world))
    assert tuple(seen) == case.seen
    assert seen[0] != seen[1]
