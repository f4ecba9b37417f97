"""Small handmade results for the tests of the reports."""

from __future__ import annotations

from typing import Any

from skillbag.kernel.model.findings import Finding, Rename, Severity
from skillbag.kernel.model.result import CheckedTarget, CheckResult, RuleInfo
from skillbag.report import FORMATS
from skillbag.report.options import ReportOptions

ROOT = "/work/shop"
SKILL = f"{ROOT}/.skills/weather/SKILL.md"
TOKEN = "ghp_" + "Zx7Qm2Lr9TbK4Vw8Nc5Yd1Hs" + "6JfPg3RaUe0i"
WORKSPACE = CheckedTarget("workspace", ROOT, 5, 14)
EDIT = (Rename(SKILL, "other.md"),)
RULE = RuleInfo(
    id="skill-name-form",
    family="standard",
    clause="skill.name",
    level=Severity.ERROR,
    title="A skill's name has lower-case letters, digits and hyphens.",
    why="Agents look a skill up by its name.",
    fix="Rename it.",
    help="# skill-name-form\n\nAgents look a skill up by its *name*.\n",
)
HOSTILE = (
    "a\x1b[31m\r\nb::error::c\x07\x7f\x9b\u202ed\u200be\U000e0041f]]>g%0A,<i>|`@me`</i>"
    "##[set-output name=x]\ud800 é\t漢"
)
"""Escapes, line breaks, tabs, commands of a job's log, bidirectional and tag characters, markup, a surrogate."""


def made_finding(**changes: Any) -> Finding:
    """A finding about a skill's name, with what the test changes about it."""
    values = {
        "rule": "skill-name-form",
        "clause": "skill.name",
        "level": Severity.ERROR,
        "path": SKILL,
        "root": ROOT,
        "line": 2,
        "column": 7,
        "end_line": 2,
        "end_column": 14,
        "message": 'The name "Weather" has upper-case letters.',
        "fix": 'Call it "weather".',
        "excerpt": "name: Weather",
        "fingerprint": "f1",
    }
    return Finding(**{**values, **changes})


def made_result(*findings: Finding, **changes: Any) -> CheckResult:
    """A checked workspace with these findings."""
    return CheckResult(**{"targets": (WORKSPACE,), "findings": findings, "rules": (RULE,), **changes})


def reported(form: str, result: CheckResult, **options: Any) -> str:
    """The whole output in a format, from the workspace's root."""
    return FORMATS[form].render(result, ReportOptions(**{"cwd": ROOT, **options}))
