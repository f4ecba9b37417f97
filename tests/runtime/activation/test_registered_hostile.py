"""Tools whose descriptions and schemas would end the host, or keep it busy."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from skillbag.kernel.manifest.names import BackendKind
from skillbag.kernel.manifest.values import Implementation
from skillbag.runtime.activation.input_checks import InputCheck, check_schema
from skillbag.runtime.backends.answers import read_registration
from skillbag.runtime.backends.backend import ToolSpec
from skillbag.runtime.errors import BadParametersError, ChildError
from skillbag.runtime.host import schemas
from tests.rows import each_row
from tests.runtime.children import launch_of


def check_input(spec: ToolSpec, value: dict[str, Any]) -> None:
    InputCheck(spec).check(value, schemas.first_fault)


def nested(depth: int) -> dict[str, Any]:
    schema: dict[str, Any] = {}
    for _ in range(depth - 1):
        schema = {"not": schema}
    return {**schema, "type": "object"}


def register(tool: dict[str, Any]) -> None:
    manifest = launch_of(Path(), Implementation(BackendKind.PROCESS, "x")).manifest
    read_registration({"tools": [{"name": "t", **tool}]}, manifest, "/")


@each_row(
    ("tool", "message"),
    [
        ({"description": "a \ud800"}, "t: its description or input schema holds half a character"),
        ({"input_schema": {"title": "\udfff"}}, "half a character"),
        ({"input_schema": {"\udfff": 1}}, "half a character"),
        ({"input_schema": nested(33)}, "t: its input schema nests deeper than 32"),
    ],
)
def test_what_can_not_be_passed_on_is_refused(tool: dict[str, Any], message: str) -> None:
    with pytest.raises(ChildError, match=message):
        register(tool)


def test_the_deepest_schema_can_be_used() -> None:
    register({"input_schema": nested(32)})
    check_schema(nested(32), "t")
    with pytest.raises(BadParametersError, match="input"):
        check_input(ToolSpec("t", "", {"not": nested(31)}), {})


def text(**schema: Any) -> ToolSpec:
    return ToolSpec("t", "", {"type": "object", "properties": {"x": {"type": "string", **schema}}})


def doubled() -> ToolSpec:
    """References that multiply: 2 ** 40 checks."""
    parts = {f"d{at}": {"allOf": [{"$ref": f"#/$defs/d{at + 1}"}] * 2} for at in range(40)}
    return ToolSpec("t", "", {"$ref": "#/$defs/d0", "$defs": {**parts, "d40": {}}})


@pytest.mark.slow
@pytest.mark.parametrize(
    "spec",
    [
        text(pattern="^(a+)+$"),
        ToolSpec("t", "", {"properties": {"x": {"anyOf": [{"pattern": "(a|a)*$"}]}}}),
        ToolSpec("t", "", {"additionalProperties": {"enum": ["x"], "pattern": "^(a+)+$"}}),
        ToolSpec("t", "", {"patternProperties": {"^(a+)+$": {}}}),
        doubled(),
    ],
)
def test_a_schema_does_not_keep_the_host_busy(spec: ToolSpec, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schemas, "CHECK_SECONDS", 0.8)
    check_schema(spec.input_schema, "t")
    bomb = "a" * 40 + "!"
    began = time.monotonic()
    with pytest.raises(BadParametersError, match=r"t: the check of the input took longer|t: input"):
        check_input(spec, {"x": bomb, bomb: bomb})
    assert time.monotonic() - began < 50


def test_the_check_in_a_process_says_the_same() -> None:
    check_input(text(pattern="^a+$"), {"x": "aa"})
    for spec in (text(pattern="^a+$"), text(maxLength=1)):
        with pytest.raises(BadParametersError, match=r"^t: input\.x: 'bb' "):
            check_input(spec, {"x": "bb"})
    broken = ToolSpec("t", "", {"$ref": "#/gone"})
    with pytest.raises(BadParametersError, match="t: the input schema can't be used"):
        check_input(broken, {})
