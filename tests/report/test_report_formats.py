"""A whole report in every format, and the formats for services: GitHub, GitLab, JUnit XML and Markdown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Tree

from markdown_it import MarkdownIt

from skillbag import __version__
from skillbag.kernel.model.findings import Severity
from skillbag.kernel.model.result import Aside, CheckedTarget
from skillbag.report import FORMATS
from tests.report.report_results import EDIT, HOSTILE, ROOT, RULE, WORKSPACE, made_finding, made_result, reported
from tests.rows import each_row

EXPECTED = Path(__file__).parent / "expected"
OUTSIDE = made_finding(
    path="/elsewhere/a.md", root="/elsewhere", rule="b", clause=None, level=Severity.NOTE, fix=None, end_line=4
)
INSTALLED = made_finding(level=Severity.WARNING, line=12, column=5, end_line=12, end_column=8, installed=True)
POINT = made_finding(path=f"{ROOT}/SKILLBAG.md", line=1, column=1, end_line=1, end_column=1, excerpt="", fix=None)
WHOLE = made_result(
    OUTSIDE,
    made_finding(edits=EDIT),
    INSTALLED._replace(message="A warning.", excerpt="See the guide."),
    POINT,
    targets=(WORKSPACE, CheckedTarget("skills", "/elsewhere", 1, 1)),
    suppressed=2,
    baselined=1,
    aside=(Aside(f"{ROOT}/docs/SKILL.md", "it is a sample"), Aside(f"{ROOT}/tests/SKILL.md", "it is test data")),
)


@each_row("form", [form for form in FORMATS if form != "html"])
def test_a_whole_report_is_as_expected(form: str) -> None:
    expected = (EXPECTED / f"{form}.txt").read_text("utf-8")
    assert reported(form, WHOLE) == expected.replace("VERSION", __version__)


@each_row(
    ("changes", "part"),
    [
        ({"message": "100% ::error::x"}, "::100%25 ::error::x%0AFix"),
        ({"message": "a\nb\rc"}, "::a\\nb\\rc%0AFix"),
        ({"path": f"{ROOT}/a,b:c%d::e\nf.md"}, "file=a%2Cb%3Ac%25d%3A%3Ae\\nf.md,line=2"),
        ({"rule": "a::b,c"}, "title=a%3A%3Ab%2Cc (skill.name)::The"),
        ({"message": "\x1b[31m ##[error]"}, "::\\x1b[31m #\\x23[error]%0A"),
    ],
)
def test_github_escapes_data_and_properties(changes: dict[str, str], part: str) -> None:
    lines = reported("github", made_result(made_finding(**changes))).splitlines()
    assert len(lines) == 2
    assert part in lines[0]


def test_github_announces_what_it_does_not_display() -> None:
    notice = "GitHub displays the first 10 annotations of each level; the log above has them all.\n"
    assert reported("github", made_result(*[made_finding()] * 11)).endswith(notice)
    assert notice not in reported("github", made_result(*[made_finding()] * 10))


def test_github_prints_commands_only_when_quiet() -> None:
    assert reported("github", made_result(), quiet=True) == ""
    assert reported("github", made_result(made_finding()), quiet=True).count("\n") == 1
    assert reported("github", made_result()) == "skillbag: no findings (5 skills, 14 files checked).\n"


def test_gitlab_has_unique_fingerprints_and_the_first_keeps_its_own() -> None:
    findings = (made_finding(), made_finding(fingerprint="f2"), made_finding(line=5), made_finding(line=9))
    issues = json.loads(reported("gitlab", made_result(*findings)))
    assert [issue["fingerprint"] for issue in issues] == ["f1", "f2", "f1-2", "f1-3"]


def test_gitlab_has_the_advice_apart_from_the_description() -> None:
    rule = RULE._replace(url="https://host.example/x")
    (issue,) = json.loads(reported("gitlab", made_result(made_finding(fix="Use `a`, not *b*."), rules=(rule,))))
    assert issue["description"] == 'The name "Weather" has upper-case letters.'
    page = "[skill-name-form](https://host.example/x)"
    assert issue["content"] == {"body": f"Use \\`a\\`, not \\*b\\*.\n\n{page}"}


def test_gitlab_has_an_empty_array_without_findings() -> None:
    assert json.loads(reported("gitlab", made_result())) == []


def parsed(*findings: Any, strict: bool = False, **changes: Any) -> Tree.Element:
    """The root element of a JUnit report."""
    return Tree.fromstring(reported("junit", made_result(*findings, **changes), strict=strict))  # noqa: S314


@each_row(
    ("level", "strict", "failures"),
    [(Severity.ERROR, False, 1), (Severity.WARNING, False, 0), (Severity.WARNING, True, 1), (Severity.NOTE, True, 0)],
)
def test_junit_fails_where_the_run_does(level: Severity, strict: bool, failures: int) -> None:
    result = made_result(made_finding(level=level))
    assert len(list(parsed(made_finding(level=level), strict=strict).iter("failure"))) == failures
    assert result.fails(strict) is bool(failures)


def test_junit_has_a_passing_case_for_a_clean_target() -> None:
    (case,) = parsed().iter("testcase")
    assert case.attrib == {"classname": "workspace .", "name": "no findings"}
    assert len(case) == 0


def test_junit_keeps_findings_of_no_target() -> None:
    root = parsed(made_finding(root="/work/shop/part"))
    assert [suite.attrib["name"] for suite in root] == ["workspace .", "part"]
    assert root.attrib["failures"] == "1"


def test_junit_is_valid_xml_for_any_text() -> None:
    root = parsed(made_finding(message=HOSTILE, path=f"{ROOT}/a\t{HOSTILE}", rule=HOSTILE))
    (case,) = root.iter("testcase")
    assert case.attrib["name"].startswith("a\\ta\\x1b[31m\\r\\nb::error::c")
    assert "f]]>g%0A,<i>|`@me`</i>" in (case[0].text or "")


def test_markdown_of_a_clean_run() -> None:
    assert reported("markdown", made_result()) == (
        "### SkillBag check: no findings\n"
        "\n"
        "| Target | Skills | Files |  |\n"
        "| --- | ---: | ---: | --- |\n"
        "| workspace . | 5 | 14 | conforms to the checked clauses of SkillBag v0.3.0 |\n"
        "\n"
        "No findings. 5 skills, 14 files checked.\n"
    )


def test_markdown_keeps_text_of_files_as_text() -> None:
    hostile = HOSTILE + " [a](b) ![c](d) https://e.invalid www.f.invalid **g** _h_ &lt; | i x.md:100:7 :smile:"
    text = reported("markdown", made_result(made_finding(message=hostile)))
    html = MarkdownIt("gfm-like", {"linkify": False}).render(text)
    assert html.count("<td>error</td>") == 1
    assert html.count("<td") == 4 + 4
    for markup in ("<a", "<img", "<i>", "<strong>", "<em>", "<code>"):
        assert markup not in html
    assert "&lt;i&gt;|`@<!-- -->me`&lt;/i&gt;" in html
    assert "&amp;lt; | i" in html
    assert "https\\://e" in text
    assert "www\\.f" in text
    assert r"x.md\:100:7 \:smile:" in text


def test_markdown_leads_to_the_page_of_the_rule() -> None:
    rule = RULE._replace(url="https://host.example/x(1)|")
    text = reported("markdown", made_result(made_finding(), rules=(rule,)))
    assert "| [skill-name-form](https://host.example/x%281%29%7C) \\[skill.name\\] |" in text
    assert "<a href" in MarkdownIt("gfm-like", {"linkify": False}).render(text)


def test_markdown_is_bounded() -> None:
    targets = tuple(CheckedTarget("skills", f"/{index}", 1, 1) for index in range(1000))
    text = reported("markdown", made_result(*[made_finding(message="x" * 5000)] * 1000, targets=targets))
    assert len(text.encode()) < 1 << 18
    assert "| and 800 more |  |  |  |\n" in text
    assert text.endswith("\n800 more findings not listed here.\n")
