"""No field of a manifest is read in vain: each has an effect that a public door shows."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from skillbag.base.package_data import schema
from tests.runtime.field_cases import CASES, PROMPT, TOOL, Case
from tests.runtime.field_looks import World, make_world, manifest_of
from tests.support import Run

pytestmark = pytest.mark.boundary

SCHEMA = json.loads(schema("skill-manifest"))

DATA: Mapping[str, tuple[Mapping[str, Any], Any]] = {
    "security_rules.sast_rules_file": (TOOL, "a.md"),
    "security_rules.scanners[].name": ({**TOOL, "security_rules": {"scanners": [{"entrypoint": "main.star"}]}}, "x"),
    "security_rules.scanners[].entrypoint": ({**TOOL, "security_rules": {"scanners": [{"name": "x"}]}}, "main.star"),
    "security_rules.overrides_file": (TOOL, "a.md"),
    "wiki.sections[].title": (PROMPT, "Pods"),
    "wiki.sections[].template": ({**PROMPT, "wiki": {"sections": [{"title": "Pods"}]}}, "a.md"),
    "wiki.sections[].analyzer": ({**PROMPT, "wiki": {"sections": [{"title": "Pods"}]}}, "pods"),
    "wiki.diagrams[].type": (PROMPT, "graph"),
    "wiki.diagrams[].template": ({**PROMPT, "wiki": {"diagrams": [{"type": "graph"}]}}, "a.md"),
}
"""The exceptions: fields for `runtime scan` and `runtime wiki`, which are not there yet. Until then these fields are
data: `check` judges them, and `runtime info --json` shows them. Each with the fields around it, and a value."""


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


def test_every_field_of_the_schema_has_a_case_or_is_an_exception() -> None:
    fields = set(leaves(SCHEMA))
    cases = {case.path for case in CASES}
    assert cases | DATA.keys() == fields
    assert not cases & DATA.keys()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.path)
def test_a_change_of_the_field_alone_is_seen(world: World, case: Case) -> None:
    seen = []
    for fields in case.manifests():
        make_world(world, fields, sys.executable)
        seen.append(case.look(world))
    assert tuple(seen) == case.seen
    assert seen[0] != seen[1]


@pytest.mark.parametrize("path", DATA)
def test_an_exception_is_shown_as_data(world: World, path: str) -> None:
    fields, value = DATA[path]
    _, manifest = Case(path, fields, (None, value), manifest_of, ()).manifests()  # type: ignore[arg-type]
    make_world(world, manifest, sys.executable)
    node = manifest_of(world)
    for key in path.split("."):
        node = node[key.removesuffix("[]")]
        node = node[0] if key.endswith("[]") else node
    assert node == value
