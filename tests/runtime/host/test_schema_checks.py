"""Which process holds the input of a tool to its schema, and that it is one for many calls."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from skillbag.runtime.activation.input_checks import InputCheck
from skillbag.runtime.backends.backend import ToolSpec
from skillbag.runtime.errors import BadParametersError
from skillbag.runtime.host import schemas
from skillbag.runtime.host.schemas import SchemaChecks
from tests.runtime.worlds_active import active, opened

_STARTED: list[Any] = []
sys.addaudithook(lambda name, what: _STARTED.append(what[1]) if name == "subprocess.Popen" else None)

WORD = {"properties": {"a": {"type": "string", "pattern": "^(b|b)*$"}}}
DIALECT = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
LOCAL = {"properties": {"a": {"$ref": "#/$defs/word"}}, "$defs": {"word": {"type": "string", "format": "date"}}}
OLDER = {
    "properties": {"a": {"$ref": "#/definitions/w"}},
    "definitions": {"w": {"items": {"$ref": "#/definitions/n"}, "not": {"type": "number"}}, "n": {}},
}
TREE = {
    "properties": {"a": {"$ref": "#/$defs/t"}},
    "$defs": {"t": {"not": {"type": "number"}, "items": {"$ref": "#/$defs/t"}}},
}


@pytest.fixture
def checks() -> Iterator[SchemaChecks]:
    with closing(SchemaChecks()) as checks:
        yield checks


def started() -> int:
    """How many checking processes were started so far."""
    return sum("schema_child" in str(words) for words in _STARTED)


def fault(schema: dict[str, Any], value: Any, checks: SchemaChecks) -> str:
    """What is wrong with the input `{"a": value}`; empty if nothing is."""
    try:
        InputCheck(ToolSpec("t", "", {"type": "object", **schema})).check({"a": value}, checks.first_fault)
    except BadParametersError as error:
        return str(error)
    return ""


def test_one_process_serves_many_checks(checks: SchemaChecks) -> None:
    before = started()
    assert [fault(WORD, value, checks) for value in ("b", "bb")] == ["", ""]
    assert "does not match" in fault(WORD, "c", checks)
    assert "is not of type" in fault({"properties": {"a": {"type": "number", "pattern": ""}}}, "b", checks)
    assert started() == before + 1


def test_a_check_that_ends_its_process_harms_no_other(checks: SchemaChecks, monkeypatch: pytest.MonkeyPatch) -> None:
    assert fault(WORD, "b", checks) == ""
    with monkeypatch.context() as patched:
        patched.setattr(schemas, "CHECK_SECONDS", 0.2)
        assert "took longer" in fault(WORD, "b" * 40 + "c", checks)
    assert fault(WORD, "b", checks) == ""


@pytest.mark.nightly
def test_checks_of_several_threads_do_not_wait_for_each_other(checks: SchemaChecks) -> None:
    with ThreadPoolExecutor(3) as threads:
        found = list(threads.map(lambda value: fault(WORD, value, checks), ["b", "c", "bb"] * 3))
    assert [bool(each) for each in found] == [False, True, False] * 3


@pytest.mark.parametrize(
    ("schema", "is_here"),
    [
        (LOCAL, True),
        ({**LOCAL, **DIALECT}, True),
        (OLDER, True),
        (TREE, False),
        ({**LOCAL, "$id": "https://example.com/other"}, False),
        ({**LOCAL, "$schema": "http://json-schema.org/draft-07/schema#"}, False),
        ({"properties": {"a": {"$ref": "#/properties/b"}, "b": {"type": "string"}}}, False),
        ({"properties": {"a": {"$ref": "#/$defs/a~1b"}}, "$defs": {"a/b": {"type": "string"}, "a~1b": {}}}, False),
    ],
)
def test_references_to_definitions_need_no_process(schema: dict[str, Any], is_here: bool, checks: SchemaChecks) -> None:
    before = started()
    assert fault(schema, "b", checks) == ""
    assert fault(schema, 1, checks).startswith("t: input.a: ")
    assert started() == before + (not is_here)


def test_the_process_ends_with_the_runtime(tmp_path: Path) -> None:
    schema = '{"type": "object", "properties": {"a": {"type": "string", "pattern": "^b$"}}}'
    code = f'register_tool("t", "T", lambda input: "done", input_schema=json.decode({schema!r}))\n'
    active(tmp_path, "one", code)
    before, others = started(), _children()
    with opened(tmp_path) as runtime:
        runtime.activate("one")
        assert [runtime.call_tool("t", {"a": "b"}).output.content for _ in range(3)] == ["done"] * 3
        with pytest.raises(BadParametersError, match="does not match"):
            runtime.call_tool("t", {"a": "c"})
        assert started() == before + 1
        (child,) = set(_children()) - set(others)
    assert child not in _children()


def _children() -> list[str]:
    """The checking processes that this process has now."""
    shown = subprocess.run(["ps", "-axo", "pid=,ppid=,args="], stdout=subprocess.PIPE, check=True).stdout.decode()
    words = [line.split() for line in shown.splitlines() if "schema_child" in line]
    return [process for process, parent, *_ in words if parent == str(os.getpid())]
