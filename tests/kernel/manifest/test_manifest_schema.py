"""The reader and `schemas/skill-manifest.schema.json` agree on the shape of every manifest."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillbag.kernel.base.package_data import schema
from skillbag.kernel.manifest.reader import MANIFEST
from skillbag.kernel.manifest.shapes import FaultKind, ListOf, ManifestFault, Record, Shape
from tests.kernel.manifest.manifests import FILES, FULL, PLAIN, read, write_skill

SCHEMA = json.loads(schema("skill-manifest"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
BEYOND_SHAPE = re.compile(
    r"duplicate (?!skill type|permission|platform)|invalid version range \"[^\"]*\S|depends on itself"
    r"|invalid entrypoint|is required when backend|execution_mode fork is for"
)
ODD: list[Any] = [
    None,
    True,
    0,
    1,
    -1,
    1.5,
    2**31,
    "",
    " ",
    "x",
    "A b",
    "1.0.0",
    "tool",
    "x" * 200,
    "x" * 1100,
    [],
    [""],
    ["x"],
    ["prompt", "prompt"],
    [1],
    [None],
    [{}],
    [{"name": "x"}],
    ["x"] * 257,
    {},
    {"name": "x"},
    {"unknown": 1},
]


def test_it_is_a_schema_in_which_every_field_is_described() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    for record in (SCHEMA, *SCHEMA["$defs"].values()):
        for name, field in record.get("properties", {}).items():
            assert len(field["description"]) > 4, name


def test_both_have_the_same_fields() -> None:
    assert dict(fields_of(MANIFEST)) == dict(properties_of(SCHEMA))


def fields_of(shape: Shape, where: str = "") -> Iterator[tuple[str, bool]]:
    """Every field with whether it is required; `backend` is held to more than its own record."""
    if isinstance(shape, ListOf):
        yield from fields_of(shape.item, where)
    elif isinstance(shape, Record):
        for field in shape.fields:
            yield f"{where}.{field.name}", bool(field.missing) or field.name == "backend"
            yield from fields_of(field.shape, f"{where}.{field.name}")


def properties_of(node: dict[str, Any], where: str = "") -> Iterator[tuple[str, bool]]:
    if "$ref" in node:
        node = SCHEMA["$defs"][node["$ref"].rpartition("/")[2]]
    if "items" in node:
        yield from properties_of(node["items"], where)
    for name, inner in node.get("properties", {}).items():
        yield f"{where}.{name}", name in node.get("required", ())
        yield from properties_of(inner, f"{where}.{name}")


def is_of_shape(fault: ManifestFault, data: Any) -> bool:
    if "required for non-prompt" in fault.message:
        # A mapping without the key is of no shape; that there has to be one depends on the types.
        return "implementation" in data
    return fault.kind not in (FaultKind.PATH, FaultKind.MISMATCH) and not BEYOND_SHAPE.search(fault.message)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The skill that every manifest is written to, with the files of the full one."""
    return write_skill(tmp_path_factory.mktemp("skill"), FULL, *FILES)


def agree(folder: Path, data: Any) -> None:
    found = read(folder, data)
    faults = [fault for fault in found.faults if is_of_shape(fault, data)]
    errors = [error.message for error in VALIDATOR.iter_errors(data)]
    assert bool(faults) == bool(errors), (faults, errors)


def places(data: Any) -> Iterator[tuple[Any, Any]]:
    """Each dict or list in the data with each of its keys."""
    for key in list(data) if isinstance(data, dict) else range(len(data)):
        yield data, key
        if isinstance(data[key], dict | list):
            yield from places(data[key])


def changed(name: str) -> Iterator[tuple[dict[str, Any], Any, Any]]:
    """The least manifest with the full one's value of this field, and each of its dicts and lists with each key."""
    for number in range(len(list(places({name: FULL[name]})))):
        field = copy.deepcopy({name: FULL[name]})
        holder, key = list(places(field))[number]
        yield field, holder, key


@pytest.mark.parametrize("data", [PLAIN, FULL])
def test_a_whole_manifest_is_valid_for_both(data: Any, folder: Path) -> None:
    agree(folder, data)
    VALIDATOR.validate(data)


@pytest.mark.parametrize("name", FULL)
def test_every_value_replaced_by_every_odd_one(name: str, folder: Path) -> None:
    for odd in ODD:
        for field, holder, key in changed(name):
            holder[key] = odd
            agree(folder, {**PLAIN, **field})


@pytest.mark.parametrize("name", FULL)
def test_every_key_left_out(name: str, folder: Path) -> None:
    for field, holder, key in changed(name):
        del holder[key]
        least = {left: value for left, value in PLAIN.items() if left != name}
        agree(folder, {**least, **field})


NAMES = sorted({name.rpartition(".")[2] for name, _ in fields_of(MANIFEST)} | {"x", "Name"})
VALUES = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(2**40), 2**40),
        st.sampled_from([0.5, -1.5, 1e9 + 0.5]),
        st.text(st.characters(min_codepoint=32, max_codepoint=0x17F), max_size=8),
        st.sampled_from(["tool", "prompt", "starlark", "linux", "file:read", "^1.2", "1.0.0", "fork"]),
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(NAMES), inner, max_size=3)),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=4), st.booleans())
def test_any_data(folder: Path, data: dict[str, Any], whole: bool) -> None:
    agree(folder, {**(PLAIN if whole else {}), **data})
