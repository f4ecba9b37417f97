"""GitLab's Code Quality report."""

from __future__ import annotations

import json

from skillbag.model.findings import Level
from tests.report.report_results import made_finding, made_result, reported


def test_an_issue_for_each_finding() -> None:
    (issue,) = json.loads(reported("gitlab", made_result(made_finding(end_line=3))))
    assert issue == {
        "description": 'The name "Weather" has upper-case letters. Fix: Call it "weather".',
        "check_name": "skill-name-form",
        "fingerprint": "f1",
        "severity": "major",
        "location": {"path": ".skills/weather/SKILL.md", "lines": {"begin": 2, "end": 3}},
    }


def test_levels_become_severities() -> None:
    issues = json.loads(reported("gitlab", made_result(*(made_finding(level=level, fix=None) for level in Level))))
    assert [issue["severity"] for issue in issues] == ["major", "minor", "info"]


def test_fingerprints_are_unique_and_the_first_keeps_its_own() -> None:
    findings = (made_finding(), made_finding(fingerprint="f2"), made_finding(line=5), made_finding(line=9))
    issues = json.loads(reported("gitlab", made_result(*findings)))
    assert [issue["fingerprint"] for issue in issues] == ["f1", "f2", "f1-2", "f1-3"]


def test_a_clean_run_is_an_empty_array() -> None:
    assert json.loads(reported("gitlab", made_result())) == []
