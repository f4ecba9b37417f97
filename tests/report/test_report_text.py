"""The text output: exact screens, and how they hold up at 80 columns."""

from __future__ import annotations

import pytest

from skillbag.kernel.model.findings import Severity
from skillbag.kernel.model.result import CheckedTarget
from skillbag.report.columns import width
from skillbag.report.options import ReportOptions
from skillbag.report.summary import checked
from tests.report.report_results import EDIT, ROOT, RULE, SKILL, WORKSPACE, made_finding, made_result, reported
from tests.rows import each_row

GUIDE = made_finding(
    rule="links-missing-target",
    clause=None,
    level=Severity.WARNING,
    line=12,
    column=9,
    end_line=12,
    end_column=31,
    message="The link goes to references/guide.md, which does not exist in this skill or anywhere in the workspace.",
    excerpt="See the [guide](references/g.md) for more.",
    fix=None,
)
MISSING = made_finding(path=f"{ROOT}/SKILLBAG.md", line=1, column=1, end_line=1, end_column=1, excerpt="", fix=None)


def test_quiet_leaves_out_the_summary() -> None:
    findings = reported("text", made_result(made_finding(), GUIDE, MISSING), quiet=True)
    assert reported("text", made_result(made_finding(), GUIDE, MISSING)).startswith(findings)
    assert "error" in findings.splitlines()[1]
    assert "Checked" not in findings
    assert reported("text", made_result(), quiet=True) == ""


def test_a_clean_workspace_conforms() -> None:
    assert reported("text", made_result()) == (
        "Checked the workspace `.` (5 skills, 14 files).\n"
        "It conforms to the checked clauses of SkillBag v0.3.0.\n"
        "No findings.\n"
    )  # fmt: skip
    assert "It conforms to the checked clauses" in reported("text", made_result(GUIDE))


@pytest.mark.parametrize("target", [CheckedTarget("skills", ROOT, 5, 14), CheckedTarget("workspace", ROOT, 0, 0)])
def test_plain_trees_and_unread_targets_are_not_said_to_conform(target: CheckedTarget) -> None:
    text = reported("text", made_result(targets=(target,)))
    assert "conforms" not in text
    assert text.endswith("No findings.\n")


def test_a_run_without_a_rule_of_the_standard_proves_no_conformance() -> None:
    beyond = RULE._replace(clause=None)
    assert "conforms" not in reported("text", made_result(rules=()))
    assert "conforms" not in reported("text", made_result(rules=(beyond,)))
    assert "conforms" in reported("text", made_result(rules=(beyond, RULE)))


def test_an_error_counts_against_its_own_target_only() -> None:
    other = CheckedTarget("source", "/work/other", 1, 1)
    lines = reported("text", made_result(made_finding(), targets=(WORKSPACE, other)), quiet=False).splitlines()
    assert lines[-4:] == [
        "Checked the workspace `.` (5 skills, 14 files).",
        "Checked the source `/work/other` (1 skill, 1 file).",
        "It conforms to the checked clauses of SkillBag v0.3.0.",
        "1 error in 1 file.",
    ]


def test_what_is_set_aside_is_said_and_qualifies_conformance() -> None:
    assert reported("text", made_result(suppressed=2, baselined=1)).splitlines()[1:] == [
        "It conforms to the checked clauses of SkillBag v0.3.0, but for the findings set",
        "aside.",
        "Set aside: 2 suppressed, 1 in the baseline.",
        "No findings.",
    ]


def test_many_targets_are_summed_up_after_the_tenth() -> None:
    targets = tuple(CheckedTarget("skills", f"{ROOT}/{index}", 1, 2) for index in range(13))
    lines = reported("text", made_result(targets=targets)).splitlines()
    assert lines[9:] == [
        "Checked the skills in `9` (1 skill, 2 files).",
        "Checked 3 more targets (3 skills, 6 files).",
        "No findings.",
    ]


def test_no_target_is_not_called_clean() -> None:
    assert reported("text", made_result(targets=())) == "Nothing was checked.\n"


def test_strict_says_why_warnings_fail() -> None:
    assert reported("text", made_result(GUIDE), strict=True).endswith("Warnings fail this run, since --strict is on.\n")
    assert "--strict" not in reported("text", made_result(MISSING), strict=True)


def test_statistics_count_each_rule_errors_first() -> None:
    notes = (made_finding(rule=rule, level=Severity.NOTE) for rule in "abb")
    findings = (made_finding(edits=EDIT), *notes, GUIDE, GUIDE, MISSING)
    text = reported("text", made_result(*findings), statistics=True)
    assert (
        "  count  level    rule                  fixable\n"
        "      2  error    skill-name-form             1\n"
        "      2  warning  links-missing-target        0\n"
        "      2  note     b                           0\n"
        "      1  note     a                           0\n"
        "\n"
        "Checked the workspace"
    ) in text
    assert "count" not in reported("text", made_result(), statistics=True)


def test_only_the_label_of_a_fix_is_colored() -> None:
    text = reported("text", made_result(made_finding(fix="Write fix: x.")), color=True)
    assert "\x1b[32mfix:\x1b[0m Write fix: x." in text


def test_color_is_used_only_when_asked_for() -> None:
    result = made_result(made_finding())
    plain, colored = reported("text", result), reported("text", result, color=True)
    assert "\x1b" not in plain
    assert "\x1b[1m.skills/weather/SKILL.md\x1b[0m\n  2:7 \x1b[1;31merror\x1b[0m skill-name-form" in colored
    assert "\x1b[2m       | \x1b[0m      \x1b[1;31m^^^^^^^\x1b[0m\n    \x1b[32mfix:\x1b[0m Call" in colored


@each_row("columns", [80, 60, 40, 10])
def test_no_line_is_wider_than_the_screen(columns: int) -> None:
    long = made_finding(
        rule="a-rule-with-a-long-id",
        clause="skill.clause-of-thirty-three-chars",
        level=Severity.WARNING,
        message="Wörter " * 40 + "漢字" * 60 + " x" * 60 + "y" * 200,
        fix="Change it " * 30,
        excerpt="\t漢字" * 50,
        column=20,
        end_column=30,
    )
    text = reported("text", made_result(GUIDE, long, suppressed=1), width=columns, height=1000)
    assert max(map(width, text.splitlines())) <= max(columns, 40)


def test_a_path_is_never_cut() -> None:
    path = "references/" + "part/" * 20 + "guide.md"
    text = reported("text", made_result(made_finding(message=f"There is no {path} here.", path=f"{ROOT}/{path}")))
    assert text.startswith(f"{path}\n")
    assert f"    There is no\n    {path}\n    here.\n" in text


@each_row(
    ("cwd", "shown"),
    [
        (ROOT, ".skills/weather/SKILL.md"),
        ("/work", "shop/.skills/weather/SKILL.md"),
        ("/", "work/shop/.skills/weather/SKILL.md"),
        ("/work/sho", SKILL),
        (f"{ROOT}/docs", SKILL),
    ],
)
def test_paths_are_relative_where_they_lie_within_the_working_directory(cwd: str, shown: str) -> None:
    assert reported("text", made_result(made_finding()), cwd=cwd).startswith(f"{shown}\n")


def test_no_line_begins_like_a_command_of_a_github_job() -> None:
    hostile = made_finding(path=f"{ROOT}/::error::a", message="x " * 38 + "::error::b", fix="::error::c " * 9)
    lines = reported("text", made_result(hostile)).splitlines()
    assert lines[0] == "./::error::a"
    assert "    \\x3a:error::b" in lines
    assert not [line for line in lines if line.lstrip().startswith("::")]


def test_what_stands_around_skills_is_counted() -> None:
    targets = (
        CheckedTarget("skills", f"{ROOT}/a", 2, 9, 1, 1),
        CheckedTarget("skills", f"{ROOT}/b", 0, 3, 1),
        CheckedTarget("skills", f"{ROOT}/c", 0, 1),
    )
    lines = [*checked(made_result(targets=targets), ReportOptions(cwd=ROOT))]
    assert lines == [
        "Checked the skills in `a` (2 skills, 9 files, 1 plugin, 1 marketplace).",
        "Checked the plugin `b` (0 skills, 3 files).",
        "Checked what agents read in `c` (0 skills, 1 file).",
    ]
