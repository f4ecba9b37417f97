"""Schemas of skills that take long: the process that calls a tool is not held up by them."""

from __future__ import annotations

import sys
import time
from typing import Any

import pytest

from skillbag.runtime.activation.input_checks import InputCheck, check_schema
from skillbag.runtime.backends.backend import ToolSpec
from skillbag.runtime.errors import BadParametersError, RuntimeFaultError
from skillbag.runtime.host.schemas import first_fault

MIXED = [item for number in range(3000) for item in (number, str(number), {"a": number})]
SLOW: dict[str, tuple[dict[str, Any], Any]] = {
    "unique": ({"properties": {"a": {"uniqueItems": True}}}, MIXED),
    "branches": ({"properties": {"a": {"items": {"anyOf": [{"const": n} for n in range(900)]}}}}, MIXED),
    "unevaluated": ({"properties": {"a": True}, "unevaluatedProperties": False}, 1),
}
LITTLE = 3.0
"""Seconds: without the other process, all but the last take more than ten."""


def used(schema: dict[str, Any], value: Any) -> float:
    """Seconds of this process's own processor time for a check, whatever it says."""
    began = time.process_time()
    try:
        InputCheck(ToolSpec("t", "", {"type": "object", **schema})).check({"a": value}, first_fault)
    except BadParametersError as error:
        assert str(error)  # noqa: PT017 - either is fine
    return time.process_time() - began


# That of the first is ended after its time, ten seconds.
@pytest.mark.parametrize("name", [pytest.param("unique", marks=pytest.mark.nightly), "branches", "unevaluated"])
def test_the_work_is_done_in_another_process(name: str) -> None:
    used({"properties": {}}, 1)
    assert used(*SLOW[name]) < LITTLE


def test_a_common_schema_needs_no_process() -> None:
    started: list[object] = []
    sys.addaudithook(lambda name, _: started.append(name) if name == "subprocess.Popen" else None)
    schema = {"properties": {"uniqueItems": {"type": "string"}, "a": {"anyOf": [{"type": "string"}, {"minimum": 1}]}}}
    used(schema, "b" * 1000)
    used(schema, -1)
    assert started == []


def test_a_large_schema_is_checked_in_another_process() -> None:
    check_schema({"type": "object", "properties": {f"p{n}": {"type": "string"} for n in range(2000)}}, "it")
    mixed = [{"a": n} if n % 2 else str(n) for n in range(8000)]
    began = time.process_time()
    with pytest.raises(RuntimeFaultError, match=r"it has an invalid input schema|the check of the input schema of it"):
        check_schema({"type": "object", "required": mixed}, "it")
    assert time.process_time() - began < LITTLE
