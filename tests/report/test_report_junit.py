"""JUnit XML, read back by an XML parser."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree as Tree

import pytest

from skillbag.model.findings import Level
from skillbag.model.result import CheckedTarget
from tests.report.report_results import (
    HOSTILE,
    ROOT,
    WORKSPACE,
    made_finding,
    made_result,
    reported,
)


def parsed(*findings: Any, strict: bool = False, **changes: Any) -> Tree.Element:
    """The root element of the report."""
    return Tree.fromstring(reported("junit", made_result(*findings, **changes), strict=strict))  # noqa: S314


def test_a_suite_for_each_target_a_case_for_each_file() -> None:
    other = CheckedTarget("skills", "/other", 1, 1)
    warning = made_finding(path="/other/a.md", root="/other", level=Level.WARNING, clause=None, fix=None, message="Hm.")
    root = parsed(made_finding(), made_finding(line=7), warning, targets=(WORKSPACE, other))
    assert root.attrib == {"name": "skillbag", "tests": "2", "failures": "1", "errors": "0"}
    assert [suite.attrib["name"] for suite in root] == ["workspace .", "skills /other"]
    assert [case.attrib["file"] for case in root.iter("testcase")] == [".skills/weather/SKILL.md", "/other/a.md"]
    (failure,) = root.iter("failure")
    assert failure.attrib["message"] == "2 findings"
    assert failure.text == (
        '\n.skills/weather/SKILL.md:2:7: error skill-name-form [skill.name]\n'
        '  The name "Weather" has upper-case letters.\n'
        '  fix: Call it "weather".\n'
        '.skills/weather/SKILL.md:7:7: error skill-name-form [skill.name]\n'
        '  The name "Weather" has upper-case letters.\n'
        '  fix: Call it "weather".\n'
    )  # fmt: skip
    assert [out.text for out in root.iter("system-out")] == ["\n/other/a.md:2:7: warning skill-name-form\n  Hm.\n"]


@pytest.mark.parametrize(
    ("level", "strict", "failures"),
    [(Level.ERROR, False, 1), (Level.WARNING, False, 0), (Level.WARNING, True, 1), (Level.NOTE, True, 0)],
)
def test_a_case_fails_where_the_run_does(level: Level, strict: bool, failures: int) -> None:
    result = made_result(made_finding(level=level))
    assert len(list(parsed(made_finding(level=level), strict=strict).iter("failure"))) == failures
    assert result.fails(strict) is bool(failures)


def test_a_clean_target_has_a_case_that_passes() -> None:
    (case,) = parsed().iter("testcase")
    assert case.attrib == {"classname": "workspace .", "name": "no findings"}
    assert len(case) == 0


def test_findings_of_no_target_are_not_lost() -> None:
    root = parsed(made_finding(root="/work/shop/part"))
    assert [suite.attrib["name"] for suite in root] == ["workspace .", "part"]
    assert root.attrib["failures"] == "1"


def test_any_text_is_valid_xml() -> None:
    root = parsed(made_finding(message=HOSTILE, path=f"{ROOT}/a\t{HOSTILE}", rule=HOSTILE))
    (case,) = root.iter("testcase")
    assert case.attrib["name"].startswith("a\ta\\x1b[31m\\r\\nb::error::c")
    assert "f]]>g%0A,<i>|`@me`</i>" in (case[0].text or "")
