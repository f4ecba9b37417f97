"""The page of an audit in a browser."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from playwright.sync_api import expect

from skillbag.fleet.audit.source_rows import Example, SourceRow
from skillbag.fleet.audit.summary import summarize
from skillbag.report.pages.audit import audit_page
from tests.browser.looks import assert_sound
from tests.browser.opening import OpenPage
from tests.support import Run, skill

_FAULTY = "---\nname: other\ndescription: x\n---\n\n[a](gone.md)\n"


@pytest.fixture
def page(run: Run, tmp_path: Path) -> Path:
    """The page of an audit of two folders of skills, with findings in both."""
    for source in ("one", "two"):
        for name, text in {"tidy": skill("tidy"), "broken": _FAULTY}.items():
            path = tmp_path / source / "skills" / name / "SKILL.md"
            path.parent.mkdir(parents=True)
            path.write_text(text, "utf-8")
    assert run("team", "audit", tmp_path / "one", tmp_path / "two", "--out", tmp_path / "out").code in (0, 1)
    return tmp_path / "out/summary.html"


@pytest.mark.parametrize("view", ["", "rules", "copies", "tables"])
def test_each_view_is_sound(open_page: OpenPage, page: Path, view: str) -> None:
    assert_sound(open_page(page, suffix=f"#?view={view}"))


def test_sources_are_filtered_by_rule_and_show_their_first_findings(open_page: OpenPage, page: Path) -> None:
    shown = open_page(page, suffix="#?rule=link-broken")
    cards = shown.locator("#sources .card")
    expect(cards).to_have_count(2)
    expect(cards.first.locator(".badge")).to_have_text("errors")
    cards.first.get_by_text("First findings").click()
    expect(cards.first.locator("details li").first).to_contain_text("skills/broken/SKILL.md:")
    shown.get_by_label("Search sources").fill("two")
    expect(cards).to_have_count(1)
    shown.go_back()


def test_copies_are_groups_with_their_places(open_page: OpenPage, page: Path) -> None:
    shown = open_page(page, suffix="#?view=copies")
    expect(shown.locator("#copies .card")).to_have_count(2)
    expect(shown.locator("#copies .card").first).to_contain_text("2 skills in 2 sources, same files")


def test_ten_thousand_sources_are_usable_in_two_seconds(open_page: OpenPage, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(large_page(10_000), "utf-8")
    began = time.monotonic()
    shown = open_page(tmp_path / "page.html")
    expect(shown.locator("#sources .count")).to_have_text(re.compile("^10,000 sources"))
    assert time.monotonic() - began < 20, "two seconds, and ten times as many for a machine that runs other tests"
    shown.get_by_label("Search sources").fill("org77/")
    expect(shown.locator("#sources .count")).to_have_text(re.compile("^100 of 10,000 sources"))


def large_page(count: int) -> str:
    """The page of an audit of as many sources."""
    rules = tuple((f"rule-{number}", 3) for number in range(12))
    example = Example("rule-1", "warning", "skills/a/SKILL.md:7", "The file is not there")
    rows = [
        SourceRow(
            f"https://host.example/org{number % 100}/skills-{number}.git", "v1", f"{number:040x}", "git",
            "warnings", number % 7, 9, 2, 5, True, "2026-01-02", "", rules, (example,) * 5,
        )
        for number in range(count)
    ]  # fmt: skip
    return audit_page(summarize([]), rows)


def test_an_audit_is_readable_everywhere(open_page: OpenPage, page: Path) -> None:
    shown = open_page(page)
    assert shown.locator("h1").first.is_visible()
    assert_sound(shown)
