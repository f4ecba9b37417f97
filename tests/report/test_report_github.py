"""GitHub annotations."""

from __future__ import annotations

import pytest

from skillbag.model.findings import Level
from tests.report.report_results import ROOT, made_finding, made_result, reported


def test_a_command_for_each_finding_errors_first_then_the_sum() -> None:
    findings = (
        made_finding(level=Level.NOTE, clause=None, fix=None, message="A note."),
        made_finding(level=Level.WARNING, end_line=4, fix=None, message="A warning."),
        made_finding(end_column=7),
        made_finding(path="/elsewhere/a.md"),
    )
    weather, message = (
        ".skills/weather/SKILL.md",
        'The name "Weather" has upper-case letters.%0AFix: Call it "weather".',
    )
    title = "skill-name-form (skill.name)"
    assert reported("github", made_result(*findings)).splitlines() == [
        f"::error file={weather},line=2,col=7,title={title}::{message}",
        f"::error file=/elsewhere/a.md,line=2,col=7,endColumn=14,title={title}::{message}",
        f"::warning file={weather},line=2,endLine=4,title={title}::A warning.",
        f"::notice file={weather},line=2,col=7,endColumn=14,title=skill-name-form::A note.",
        "skillbag: 2 errors, 1 warning, 1 note (5 skills, 14 files checked).",
    ]


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"message": "100% ::error::x"}, "::100%25 ::error::x%0AFix"),
        ({"message": "a\nb\rc"}, "::a\\nb\\rc%0AFix"),
        ({"path": f"{ROOT}/a,b:c%d::e\nf.md"}, "file=a%2Cb%3Ac%25d%3A%3Ae\\nf.md,line=2"),
        ({"rule": "a::b,c"}, "title=a%3A%3Ab%2Cc (skill.name)::The"),
        ({"message": "\x1b[31m ##[error]"}, "::\\x1b[31m #\\x23[error]%0A"),
    ],
)
def test_data_and_properties_are_escaped(changes: dict[str, str], part: str) -> None:
    lines = reported("github", made_result(made_finding(**changes))).splitlines()
    assert len(lines) == 2
    assert part in lines[0]


def test_what_github_does_not_display_is_announced() -> None:
    notice = "GitHub displays the first 10 annotations of each level; the log above has them all.\n"
    assert reported("github", made_result(*[made_finding()] * 11)).endswith(notice)
    assert notice not in reported("github", made_result(*[made_finding()] * 10))


def test_quiet_prints_commands_only() -> None:
    assert reported("github", made_result(), quiet=True) == ""
    assert reported("github", made_result(made_finding()), quiet=True).count("\n") == 1
    assert reported("github", made_result()) == "skillbag: no findings (5 skills, 14 files checked).\n"
