"""Workspaces with security skills, and scans of them, for tests."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.doors.cli.runtime_worlds import values
from tests.runtime.worlds_active import manifest
from tests.supply.install.worlds import write
from tests.support import Run

RULE = {
    "id": "eval",
    "title": "A call of eval",
    "severity": "high",
    "category": "injection",
    "cwe": "CWE-95",
    "pattern": {"type": "regex", "match": r"\beval\("},
    "remediation": "Parse the text instead.",
}
SCANNER = """\
def scan(content):
    lines = enumerate(content.split("\\n"))
    return [{"rule": "todo", "message": "An open point", "severity": "low", "line": at + 1} for at, line in lines
            if "TODO" in line]

register_scanner("open", scan)
register_scanner("plain", lambda content: ["Shouting"] if "SHOUT" in content else [])
"""
BY_FILES = '{files: ["*.py"]}'


def make_world(root: Path) -> Path:
    """A workspace with the skill `guard`: one rule, `eval`, and no code."""
    write(root, {"SKILLBAG.md": "SkillBag v0.3.0\n", ".skills/SKILLS.md": "", "a.py": "x = eval(y)\n", "b.txt": "b\n"})
    guard(root, [RULE])
    return root


def guard(root: Path, rules: list[Mapping[str, Any]], **fields: str) -> None:
    """Write the skill `guard` with these rules; JSON is YAML."""
    given = {"types": "[security-rule]", "implementation": None, "triggers": BY_FILES}
    given |= {"security_rules": "{sast_rules_file: rules.yaml}", **fields}
    text = json.dumps({"rules": rules}, indent=1)
    write(root / ".skills/guard", {"SKILL.yaml": manifest("guard", **given), "rules.yaml": text})


def rule(**fields: Any) -> Mapping[str, Any]:
    """The rule with other values; `match` and `exclude_paths` are those of its pattern."""
    pattern = {key: fields.pop(key) for key in ("type", "match", "exclude_paths") if key in fields}
    return {**RULE, **fields, "pattern": {**RULE["pattern"], **pattern}}  # type: ignore[dict-item]


def scanner(root: Path, code: str = SCANNER, **fields: str) -> None:
    """Write the skill `watch`, which has scanners and may read files."""
    given = {"types": "[security-rule]", "triggers": BY_FILES, "permissions": '["file:read"]', **fields}
    write(root / ".skills/watch", {"SKILL.yaml": manifest("watch", **given), "main.star": code})


def scanned(run: Run, root: Path, *options: str, code: int = 1) -> dict[str, Any]:
    """The JSON of a scan, in which `watch` is approved."""
    return values(run, root, "scan", "--approve-skills", "watch", *options, code=code)


def places(found: Mapping[str, Any]) -> list[tuple[str, str, int, int]]:
    """Rule, path, line and column of each finding."""
    return [(each["rule"], each["path"], each["line"], each["column"]) for each in found["findings"]]
