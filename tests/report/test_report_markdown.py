"""The summary in Markdown, rendered to see what a reader gets."""

from __future__ import annotations

from markdown_it import MarkdownIt

from skillbag.model.findings import Level
from skillbag.model.result import CheckedTarget
from tests.report.report_results import HOSTILE, made_finding, made_result, reported


def test_a_clean_run() -> None:
    assert reported("markdown", made_result()) == (
        "### SkillBag check: no findings\n"
        "\n"
        "| Target | Skills | Files | |\n"
        "| --- | ---: | ---: | --- |\n"
        "| workspace . | 5 | 14 | conforms to the checked clauses of SkillBag v0.3.0 |\n"
        "\n"
        "No findings. 5 skills, 14 files checked.\n"
    )


def test_findings_are_listed_errors_first() -> None:
    note = made_finding(level=Level.NOTE, clause=None, rule="b", message="A note.")
    text = reported("markdown", made_result(note, made_finding(), baselined=3))
    assert "| workspace . | 5 | 14 |  |\n" in text
    assert text.endswith(
        "\n1 error, 1 note in 1 file. 5 skills, 14 files checked.\n"
        "Set aside: 3 in the baseline.\n"
        "\n"
        "| Level | Place | Rule | Message |\n"
        "| --- | --- | --- | --- |\n"
        '| error | .skills/weather/SKILL.md\\:2\\:7 | skill-name-form \\[skill.name\\] | The name "Weather" has '
        "upper-case letters. |\n"
        "| note | .skills/weather/SKILL.md\\:2\\:7 | b | A note. |\n"
    )


def test_text_of_the_files_stays_text() -> None:
    hostile = HOSTILE + " [a](b) ![c](d) https://e.invalid www.f.invalid **g** _h_ &lt; | i"
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


def test_a_page_never_outgrows_its_job() -> None:
    targets = tuple(CheckedTarget("skills", f"/{index}", 1, 1) for index in range(1000))
    text = reported("markdown", made_result(*[made_finding(message="x" * 5000)] * 1000, targets=targets))
    assert len(text.encode()) < 1 << 18
    assert "| and 800 more | | | |\n" in text
    assert text.endswith("\n800 more findings not listed here.\n")
