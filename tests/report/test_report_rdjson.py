"""The Reviewdog Diagnostic Format, in the shape of `DiagnosticResult` in reviewdog's `proto/rdf/reviewdog.proto`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from skillbag.kernel.model.findings import Edit, Finding, Rename, Severity, TextEdit, WriteFile
from tests.report.report_results import HOSTILE, ROOT, RULE, made_finding, made_result, reported
from tests.rows import each_row
from tests.support import Tree

pytestmark = pytest.mark.boundary


def message(required: str, **fields: Any) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": False, "required": required.split(), "properties": fields}


NUMBER, TEXT, URL = {"type": "integer", "minimum": 1}, {"type": "string"}, {"type": "string", "pattern": "^https?://"}
SEVERITY = {"enum": ["ERROR", "WARNING", "INFO"]}
POSITION = message("line column", line=NUMBER, column=NUMBER)
RANGE = message("start end", start=POSITION, end=POSITION)
SHAPE = message(
    "source severity diagnostics",
    source=message("name url", name=TEXT, url=URL),
    severity=SEVERITY,
    diagnostics={
        "type": "array",
        "items": message(
            "message location severity code",
            message={**TEXT, "minLength": 1},
            location=message("path range", path={**TEXT, "minLength": 1}, range=RANGE),
            severity=SEVERITY,
            code=message("value", value=TEXT, url=URL),
            suggestions={"type": "array", "minItems": 1, "items": message("range text", range=RANGE, text=TEXT)},
        ),
    },
)


def printed(*findings: Finding, cwd: str = ROOT, **changes: Any) -> Any:
    """The output, which must have the shape."""
    value = json.loads(reported("rdjson", made_result(*findings, **changes), cwd=cwd))
    Draft202012Validator(SHAPE).validate(value)
    return value


def test_it_has_the_worst_severity_and_the_source() -> None:
    note, warning = made_finding(level=Severity.NOTE), made_finding(level=Severity.WARNING)
    assert printed()["severity"] == printed(note)["severity"] == "INFO"
    assert printed(note, warning)["severity"] == "WARNING"
    assert printed(note, made_finding(), warning)["severity"] == "ERROR"
    assert printed()["source"]["name"] == "skillbag"


def test_the_code_has_the_address_of_the_rule() -> None:
    (known,) = printed(made_finding(), rules=(RULE._replace(url="https://host.example/x"),))["diagnostics"]
    assert known["code"] == {"value": "skill-name-form", "url": "https://host.example/x"}


def test_hostile_texts_keep_the_shape() -> None:
    finding = made_finding(message=HOSTILE, path=f"{ROOT}/{HOSTILE}", rule=HOSTILE, fix=HOSTILE, excerpt=HOSTILE)
    assert len(printed(finding)["diagnostics"]) == 1


@each_row(
    ("text", "start", "end"),
    [("Weather\n", 1, 8), ("é: Weather\n", 5, 12), ("𐐀漢 Weather\n", 9, 16), ("\ufeffWeather\n", 4, 11)],
)
def test_columns_count_bytes(tree: Tree, text: str, start: int, end: int) -> None:
    root = tree({"a.md": text})
    at = text.lstrip("\ufeff").index("Weather")
    place = {"line": 1, "column": at + 1, "end_line": 1, "end_column": at + 8, "excerpt": text.strip()}
    edits = (TextEdit(f"{root}/a.md", at, at + 7, "weather"),)
    finding = made_finding(path=f"{root}/a.md", root=str(root), edits=edits, **place)
    (found,) = printed(finding, cwd=str(root))["diagnostics"]
    span = {"start": {"line": 1, "column": start}, "end": {"line": 1, "column": end}}
    assert found["location"] == {"path": "a.md", "range": span}
    assert found["suggestions"] == [{"range": span, "text": "weather"}]
    assert Path(root, "a.md").read_bytes()[start - 1 : end - 1] == b"Weather"


@each_row("edit", [Rename("{root}/a.md", "b.md"), WriteFile("{root}/b.md", ""), TextEdit("{root}/b.md", 0, 1, "")])
def test_a_suggestion_is_for_its_own_file_alone(tree: Tree, edit: Edit) -> None:
    root = tree({"a.md": "a\n", "b.md": "b\n"})
    edits = (TextEdit(f"{root}/a.md", 0, 1, "b"), edit._replace(path=edit.path.format(root=root)))
    (found,) = printed(made_finding(path=f"{root}/a.md", root=str(root), edits=edits))["diagnostics"]
    assert "suggestions" not in found
