"""Equal findings in the text output, and the table that comes last where there are many."""

from __future__ import annotations

import json

from skillbag.kernel.model.findings import Severity
from tests.report.report_results import ROOT, made_finding, made_result, reported
from tests.rows import each_row


def test_equal_findings_are_one_entry_with_the_first_places() -> None:
    places = [("a", 2), ("a", 9), ("b", 2), ("b", 3), ("c", 4)]
    found = [made_finding(path=f"{ROOT}/{name}.md", line=line, clause=None) for name, line in places]
    other = made_finding(path=f"{ROOT}/c.md", message="Another one.", clause=None)
    assert reported("text", made_result(*found, other), quiet=True) == (
        "a.md\n"
        "  2:7 error skill-name-form ×5\n"
        '    The name "Weather" has upper-case letters.\n'
        "     2 | name: Weather\n"
        "       |       ^^^^^^^\n"
        '    fix: Call it "weather".\n'
        "    also: 9:7, b.md:2:7, b.md:3:7, c.md:4:7\n"
        "\n"
        "c.md\n"
        "  2:7 error skill-name-form\n"
        "    Another one.\n"
        "     2 | name: Weather\n"
        "       |       ^^^^^^^\n"
        '    fix: Call it "weather".\n'
        "\n"
    )


@each_row(
    ("files", "words"),
    [
        ("aaaaaa", "4:7, 5:7, 2 more\n"),
        ("aaaabbb", "3 more in b.md\n"),
        ("aaaaabcd", "4 more in 4 files (--format json names all)"),
    ],
)
def test_the_places_that_are_not_shown_are_counted_with_their_files(files: str, words: str) -> None:
    found = [made_finding(path=f"{ROOT}/{name}.md", line=2 + number) for number, name in enumerate(files)]
    assert words in reported("text", made_result(*found))


def test_findings_of_another_level_or_of_an_installed_skill_are_apart() -> None:
    found = (made_finding(), made_finding(level=Severity.NOTE), made_finding(installed=True))
    text = reported("text", made_result(*found), quiet=True)
    assert "×" not in text
    assert text.count("skill-name-form") == 3


def test_other_formats_have_every_finding() -> None:
    found = [made_finding(line=line) for line in range(1, 8)]
    assert len(json.loads(reported("json", made_result(*found)))["findings"]) == 7
    assert reported("github", made_result(*found)).count("::error") == 7


def test_of_more_than_a_screen_the_sum_comes_first() -> None:
    found = [made_finding(line=line, message=f"It is wrong {line}.") for line in range(1, 52)]
    assert "count" not in reported("text", made_result(*found[:3]))
    text = reported("text", made_result(*found))
    first = (
        "51 errors in 1 file.\n\n  count  level  rule             fixable\n     51  error  skill-name-form        0\n"
    )
    assert text.startswith(first)
    assert reported("text", made_result(*found), height=1000).startswith(".skills/weather/SKILL.md\n")
    assert reported("text", made_result(*found), statistics=True) == text
    assert "count" not in reported("text", made_result(*found), quiet=True)


def test_errors_come_first_unless_places_are_asked_for() -> None:
    warning = made_finding(level=Severity.WARNING, line=1, message="Second.", rule="other-rule")
    result = made_result(warning, made_finding(line=9, message="First."))
    text = reported("text", result)
    assert text.index("First.") < text.index("Second.")
    placed = reported("text", result, by_place=True)
    assert placed.index("First.") > placed.index("Second.")
