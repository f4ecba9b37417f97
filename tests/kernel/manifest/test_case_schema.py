"""The reader of test cases and `schemas/skill-cases.schema.json` agree."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema

from skillbag.kernel.base.package_data import schema
from skillbag.kernel.manifest.case_reader import CASE, case_files, read_cases
from skillbag.kernel.manifest.cases import RECORDED, STATES
from skillbag.kernel.manifest.names import HOOK_PHASES, MODES, Permission, Phase
from skillbag.kernel.manifest.shapes import ListOf, Record, Shape
from skillbag.runtime.host.functions import FUNCTIONS
from skillbag.runtime.states import SkillState
from tests.rows import each_row
from tests.supply.install.worlds import write
from tests.support import PROJECT

SCHEMA = json.loads(schema("skill-cases"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
PLAIN: dict[str, Any] = {"name": "a", "trigger": True, "expect": {"score": 0}}
TOOL: dict[str, Any] = {"name": "a", "call": {"tool": "x"}, "expect": {"value": None}}


def test_both_have_the_same_fields() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert dict(fields_of(CASE)) == dict(properties_of({"$ref": "#/$defs/case"}))


def test_both_have_the_same_words() -> None:
    case, record = SCHEMA["$defs"]["case"]["properties"], SCHEMA["$defs"]["record"]["properties"]
    assert tuple(case["mode"]["enum"]) == MODES
    assert tuple(case["hook"]["properties"]["phase"]["enum"]) == HOOK_PHASES == tuple(Phase)
    assert case["approve"]["oneOf"][1]["items"]["enum"] == list(Permission)
    assert set(record["call"]["enum"]) == RECORDED <= set(FUNCTIONS)
    assert tuple(SCHEMA["$defs"]["expect"]["properties"]["state"]["enum"]) == STATES
    assert {*STATES, "activating"} == set(SkillState)


@each_row(
    "change",
    [
        {},
        {"name": ""},
        {"name": "x" * 201},
        {"trigger": False},
        {"expect": {}},
        {"expect": {"state": "activating"}},
        {"mode": "odd"},
        {"files": {"/a": "x"}},
        {"files": {"a/b": "x"}},
        {"files": {"a": 1}},
        {"env": {"A=B": "x"}},
        {"approve": ["file:read"]},
        {"approve": ["file:read", "file:read"]},
        {"approve": "all"},
        {"call": {"tool": "x"}},
        {"host": [{"call": "exec", "args": {}, "result": [1]}]},
        {"host": [{"call": "env"}]},
        {"host": {}},
        {"message": 1},
        {"odd": 1},
    ],
)
@each_row("plain", [PLAIN, TOOL])
def test_both_refuse_the_same(tmp_path: Path, plain: dict[str, Any], change: dict[str, Any]) -> None:
    case = {**plain, **change}
    write(tmp_path, {"tests/a.yaml": json.dumps(case), "tests/b.yaml": json.dumps([case])})
    for path, value in zip(case_files(str(tmp_path)), (case, [case]), strict=True):
        assert (not read_cases(path, str(tmp_path)).faults) == VALIDATOR.is_valid(value), case


def test_a_hostile_file_ends_in_a_fault(tmp_path: Path) -> None:
    write(tmp_path, {"tests/deep.yaml": "[" * 5000, "tests/nul.yaml": "a\0b", "tests/none.txt": "x"})
    (tmp_path / "tests/out.yaml").symlink_to("/etc/passwd")
    (tmp_path / "tests/folder.yaml").mkdir()
    write(tmp_path, {"tests/many.yaml": "".join(f"- {{x{number}: 1}}\n" for number in range(5000))})
    found = {Path(path).name: read_cases(path, str(tmp_path)) for path in case_files(str(tmp_path))}
    assert set(found) == {"deep.yaml", "nul.yaml", "out.yaml", "folder.yaml", "many.yaml"}
    assert all(file.faults and not file.cases and len(file.faults) <= 100 for file in found.values())


def test_examples_follow_the_schema() -> None:
    import yaml

    files = [*PROJECT.glob("examples/runtime/skills/*/tests/*.yaml")]
    assert len({file.parent.parent for file in files}) == 6
    for file in files:
        VALIDATOR.validate(yaml.safe_load(file.read_text("utf-8")))


def fields_of(shape: Shape, where: str = "") -> Iterator[tuple[str, bool]]:
    if isinstance(shape, ListOf):
        yield from fields_of(shape.item, where)
    elif isinstance(shape, Record):
        for field in shape.fields:
            yield f"{where}.{field.name}", bool(field.missing)
            yield from fields_of(field.shape, f"{where}.{field.name}")


def properties_of(node: dict[str, Any], where: str = "") -> Iterator[tuple[str, bool]]:
    if "$ref" in node:
        node = SCHEMA["$defs"][node["$ref"].rpartition("/")[2]]
    if "items" in node:
        yield from properties_of(node["items"], where)
    for name, inner in node.get("properties", {}).items():
        yield f"{where}.{name}", name in node.get("required", ())
        yield from properties_of(inner, f"{where}.{name}")
