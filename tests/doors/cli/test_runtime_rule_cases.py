"""`skillbag runtime test`: cases that hold the rules of a skill to a text, with its scanners and overrides."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.doors.cli.runtime_worlds import VALIDATOR
from tests.runtime.worlds_active import active
from tests.supply.install.worlds import write
from tests.support import Run

pytestmark = pytest.mark.skipif(os.name != "posix", reason="skills run in process groups")

RULES = """\
rules:
  - {id: eval, title: Code from a text, severity: high, pattern: {type: regex, match: "eval[(]"}}
  - {id: http, title: No encryption, severity: low, pattern: {type: regex, match: "http://", exclude_paths: [docs/**]}}
  - {id: off, title: Never, severity: low, pattern: {type: regex, match: "eval"}}
"""
OVERRIDES = """\
eval: {severity: critical, paths: [src/**]}
http: {enabled: false, paths: [tests/**]}
off: {enabled: false}
"""
SCANNER = """\
def scan(content):
    return [{"rule": "todo", "message": "An open point", "line": 2}] if "TODO" in content else []

register_scanner("todo", scan)
"""
FILES = "{sast_rules_file: rules.yaml, overrides_file: overrides.yaml}"
BOTH = "eval(x)\n# TODO http://example.com\n"
EVAL = {"rule": "eval", "severity": "high", "message": "Code from a text", "line": 1}
TODO = {"rule": "todo", "severity": "medium", "message": "An open point", "line": 2}
HTTP = {"rule": "http", "severity": "low", "message": "No encryption", "line": 2}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = write(tmp_path / "w", {"SKILLBAG.md": "SkillBag v0.3.0\n", ".skills/SKILLS.md": ""})
    fields = {"types": "[security-rule]", "permissions": "[file:read]", "security_rules": FILES}
    folder = active(root, "watch", SCANNER, **fields)
    write(folder, {"rules.yaml": RULES, "overrides.yaml": OVERRIDES})
    return root


def tried(run: Run, root: Path, *cases: dict[str, Any]) -> dict[str, Any]:
    """What the command gives for these cases."""
    named = [{"name": f"case {number}", **case} for number, case in enumerate(cases)]
    write(root / ".skills/watch", {"tests/first.yaml": json.dumps(named)})
    values: dict[str, Any] = json.loads(run("runtime", "test", "--json", cwd=root).out)
    VALIDATOR.validate(values)
    return values


def scanned(path: str, content: str, **expect: Any) -> dict[str, Any]:
    return {"scan": {"path": path, "content": content}, "expect": expect}


def test_rules_scanners_and_overrides_count(run: Run, root: Path) -> None:
    cases = [
        scanned("a.py", BOTH, value=[EVAL, TODO, HTTP]),
        scanned("src/a.py", BOTH, value=[{**EVAL, "severity": "critical"}, TODO, HTTP]),
        scanned("tests/a.py", BOTH, value=[EVAL, TODO]),
        scanned("docs/a.md", BOTH, contains="Code from a text"),
        scanned("docs/a.md", "http://example.com", value=[]),
    ]
    values = tried(run, root, *cases)
    assert [case["differences"] for case in values["cases"]] == [[]] * 5
    assert (values["exit"], values["not_reached"]) == (0, [])


def test_a_difference_shows_the_findings(run: Run, root: Path) -> None:
    values = tried(run, root, scanned("a.py", "x = 1\n", value=[EVAL]))
    (difference,) = values["cases"][0]["differences"]
    assert (difference["what"], difference["actual"]) == ("value", "[]")


def test_rules_that_find_nothing_are_not_reached(run: Run, root: Path) -> None:
    values = tried(run, root, scanned("tests/a.py", BOTH, contains="Code"))
    assert values["not_reached"] == [{"skill": "watch", "handlers": ["rule http"]}]
    values = tried(run, root, {"scan": {"scanner": "todo", "content": BOTH}, "expect": {"contains": "open point"}})
    assert values["not_reached"] == [{"skill": "watch", "handlers": ["rule eval", "rule http"]}]


def test_a_skill_of_rules_alone_needs_no_code(run: Run, root: Path) -> None:
    folder = root / ".skills/watch"
    (folder / "main.star").unlink()
    active_fields = {"types": "[security-rule]", "implementation": None, "security_rules": FILES}
    active(root, "watch", "", **active_fields)
    (folder / "main.star").unlink()
    values = tried(run, root, scanned("a.py", BOTH, value=[EVAL, HTTP]))
    assert (values["exit"], values["not_reached"]) == (0, [])


@pytest.mark.parametrize(
    ("files", "content", "message"),
    [
        ({"rules.yaml": RULES.replace("eval[(]", "(")}, BOTH, "rules.yaml:2:"),
        ({"main.star": SCANNER.replace('"line": 2', '"line": 0')}, BOTH, "scanner todo: the line of a finding"),
        ({"SKILL.yaml": None}, BOTH, 'permission "file:read" not declared'),
        ({}, "a\0b", "it holds a NUL character"),
    ],
)
def test_what_can_t_be_done_is_an_error(
    run: Run, root: Path, files: dict[str, str | None], content: str, message: str
) -> None:
    folder = root / ".skills/watch"
    manifest = (folder / "SKILL.yaml").read_text().replace("permissions: [file:read]\n", "")
    write(folder, {name: text or manifest for name, text in files.items()})
    values = tried(run, root, scanned("a.py", content, error=message))
    assert values["cases"][0]["differences"] == []


def test_a_skill_of_another_type_takes_no_part(run: Run, root: Path) -> None:
    active(root, "watch")
    values = tried(run, root, scanned("a.py", BOTH, error='skill "watch" takes no part in scans'))
    assert values["cases"][0]["differences"] == []
