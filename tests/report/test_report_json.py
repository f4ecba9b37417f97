"""The JSON contract."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.report.report_results import HOSTILE, ROOT, RULE, made_finding, made_result, reported
from tests.rows import each_row
from tests.support import PROJECT

pytestmark = pytest.mark.boundary

SCHEMA = json.loads((PROJECT / "schemas/findings.schema.json").read_text("utf-8"))


def printed(*findings: Any, cwd: str = ROOT, **changes: Any) -> Any:
    """The parsed output, which must fit the schema."""
    value = json.loads(reported("json", made_result(*findings, **changes), cwd=cwd))
    Draft202012Validator(SCHEMA).validate(value)
    return value


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)


def test_a_run_without_findings_or_targets_is_a_valid_object_too() -> None:
    assert printed()["findings"] == []
    assert printed(targets=())["targets"] == []


def test_a_path_is_itself_whatever_it_holds() -> None:
    """A program must be able to open it; only what no UTF-8 output can hold is spelt out."""
    (finding,) = printed(made_finding(path=f"{ROOT}/{HOSTILE}"))["findings"]
    assert finding["path"] == HOSTILE.replace("\ud800", "\\ud800")


def test_a_finding_has_its_end_and_the_address_of_its_rule() -> None:
    rule = RULE._replace(url="https://host.example/rule")
    known, unknown = printed(made_finding(), made_finding(rule="other", end_line=5, end_column=1), rules=(rule,))[
        "findings"
    ]
    assert (known["end_line"], known["end_column"], known["url"]) == (2, 14, "https://host.example/rule")
    assert (unknown["end_line"], unknown["end_column"], unknown["url"]) == (5, 1, None)


def test_quiet_strict_and_color_change_nothing() -> None:
    result = made_result(made_finding())
    assert reported("json", result, quiet=True, strict=True, color=True, width=20) == reported("json", result)


@each_row(
    "damage",
    [
        {"version": 2},
        {"extra": 1},
        {"findings": [{"rule": "x"}]},
        {"targets": [{"kind": "folder", "root": ".", "skills": 0, "files": 0}]},
        {"summary": {"files": -1, "skills": 0, "errors": 0, "warnings": 0, "notes": 0}},
    ],
)
def test_the_schema_refuses_what_is_not_the_contract(damage: dict[str, object]) -> None:
    assert not Draft202012Validator(SCHEMA).is_valid({**printed(made_finding()), **damage})


@pytest.mark.parametrize(
    "edit",
    [
        {"path": "a.md", "kind": "rename"},
        {"path": "a.md", "kind": "write", "text": "", "to": "b.md"},
        {"path": "a.md", "kind": "make-executable", "text": ""},
        {"path": "a.md", "kind": "move", "to": "b.md"},
    ],
)
def test_the_schema_knows_the_keys_of_each_kind_of_edit(edit: dict[str, object]) -> None:
    value = printed(made_finding())
    value["findings"][0]["edits"] = [edit]
    assert not Draft202012Validator(SCHEMA).is_valid(value)
