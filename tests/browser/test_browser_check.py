"""`check --format html` in a browser: filters, search, groups and pages, which the address keeps."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.check_pages import check_page, finding
from tests.browser.looks import assert_sound
from tests.browser.opening import OpenPage


@pytest.fixture
def page(open_page: OpenPage, tmp_path: Path) -> Page:
    """A page with 30 findings, of which one is fixable and two are installed."""
    return open_page(thirty(tmp_path))


def thirty(root: Path) -> Path:
    """The file of that page."""
    changes = {3: {"installed": True}, 4: {"installed": True}}
    return check_page(root, *(finding(number, root, **changes.get(number, {})) for number in range(30)))


def count(page: Page) -> Locator:
    """How many findings are shown, as the page says it."""
    return page.get_by_role("status")


def box(page: Page, facet: str, value: str) -> Locator:
    """A value of a filter."""
    return page.get_by_role("group", name=facet, exact=True).get_by_role("checkbox", name=value)


@pytest.mark.parametrize(
    ("facet", "value", "number"),
    [
        ("Level", "error", 10),
        ("Rule", "link-broken", 10),
        ("Family", "prose", 10),
        ("Clause", "skill.body", 10),
        ("Skill", "skill-4", 3),
        ("File", "skills/skill-4/SKILL.md", 3),
        ("More", "In installed skills", 2),
        ("More", "In own files", 28),
    ],
)
def test_each_filter_is_in_the_address(
    open_page: OpenPage, tmp_path: Path, facet: str, value: str, number: int
) -> None:
    file = thirty(tmp_path)
    page = open_page(file)
    for facet_with_more in ("Skill", "File"):
        page.get_by_role("group", name=facet_with_more, exact=True).get_by_role("button").click()
    box(page, facet, value).check()
    expect(count(page)).to_have_text(f"{number} of 30 findings")
    expect(page.locator(".card")).to_have_count(number)
    again = open_page(file, suffix="#" + page.url.partition("#")[2])
    expect(count(again)).to_have_text(f"{number} of 30 findings")
    expect(box(again, facet, value)).to_be_checked()


def test_filters_narrow_and_their_values_add(page: Page) -> None:
    box(page, "Level", "error").check()
    box(page, "Level", "note").check()
    expect(count(page)).to_have_text("20 of 30 findings")
    box(page, "Skill", "skill-0").check()
    expect(count(page)).to_have_text("2 of 30 findings")
    assert page.locator("summary", has_text="Filters (3)").is_visible()
    page.get_by_role("button", name="Clear filters").click()
    expect(count(page)).to_have_text("30 findings")
    expect(page.get_by_role("searchbox")).to_be_focused()


def test_back_and_forward_restore_the_filters(page: Page) -> None:
    box(page, "Level", "error").check()
    box(page, "Rule", "name-wrong").check()
    page.go_back()
    expect(box(page, "Rule", "name-wrong")).not_to_be_checked()
    expect(box(page, "Level", "error")).to_be_checked()
    page.go_back()
    expect(count(page)).to_have_text("30 findings")
    page.go_forward()
    expect(count(page)).to_have_text("10 of 30 findings")


def test_the_slash_key_goes_to_the_search(page: Page) -> None:
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox")).to_be_focused()
    page.keyboard.type("NUMBER 1 thing")
    expect(count(page)).to_have_text("12 of 30 findings")
    expect(page).to_have_url(re.compile(r"q=NUMBER\+1\+thing"))
    page.keyboard.type("/")
    expect(page.get_by_text("No finding matches.")).to_be_visible()
    page.keyboard.press("Escape")
    expect(count(page)).to_have_text("30 findings")
    expect(page).not_to_have_url(re.compile("q="))


def test_a_search_is_one_step_back(page: Page) -> None:
    box(page, "Level", "error").check()
    page.get_by_role("searchbox").press_sequentially("link", delay=120)
    expect(page.get_by_text("No finding matches.")).to_be_visible()
    page.go_back()
    expect(count(page)).to_have_text("30 findings")
    expect(page.get_by_role("searchbox")).to_have_value("")


@pytest.mark.parametrize(
    ("group", "headings", "first"),
    [("file", 10, "skills/skill-0/SKILL.md 3"), ("rule", 3, "name-wrong 10"), ("nothing", 0, None)],
)
def test_groups(page: Page, group: str, headings: int, first: str | None) -> None:
    page.get_by_label("Group by").select_option(group)
    shown = page.locator(".group > h3")
    expect(shown).to_have_count(headings)
    if first:
        expect(shown.first).to_have_text(first)


def test_the_summary_leads_to_its_findings(page: Page) -> None:
    page.get_by_role("link", name="10 warnings").click()
    expect(count(page)).to_have_text("10 of 30 findings")
    page.get_by_role("link", name="body-long").first.click()
    expect(count(page)).to_have_text("10 of 30 findings")
    assert page.url.endswith("#?rule=body-long")
    page.get_by_role("link", name="Rules", exact=True).click()
    page.locator(".rule", has_text="name-wrong").get_by_role("link", name="10 findings").click()
    expect(page.get_by_role("heading", name="Findings", exact=True)).to_be_visible()
    assert page.url.endswith("#?rule=name-wrong")


def test_views_keep_the_filters(page: Page) -> None:
    box(page, "Level", "error").check()
    page.get_by_role("link", name="About this check").click()
    expect(page.get_by_role("heading", name="About this check")).to_be_visible()
    expect(page.get_by_role("searchbox")).to_be_hidden()
    page.get_by_role("link", name="Findings", exact=True).click()
    expect(count(page)).to_have_text("10 of 30 findings")


def test_pages_of_many_findings(open_page: OpenPage, tmp_path: Path) -> None:
    paths = [str(tmp_path / f"{number // 150}.md") for number in range(250)]
    page = open_page(check_page(tmp_path, *(finding(at, tmp_path, path=path) for at, path in enumerate(paths))))
    expect(count(page)).to_have_text("250 findings, page 1 of 3")
    page.get_by_role("button", name="Next").click()
    expect(count(page)).to_have_text("250 findings, page 2 of 3")
    expect(page.locator(".group > h3")).to_have_text(["0.md 150, continued", "1.md 100"])
    page.get_by_role("button", name="Last").click()
    expect(page.locator(".card")).to_have_count(50)
    box(page, "Level", "error").check()
    expect(count(page)).to_have_text("84 of 250 findings")


def test_a_card_has_all_of_its_finding(page: Page) -> None:
    card = page.locator(".card").first
    expect(card.locator("mark")).to_have_text("words")
    expect(card.locator(".card-title code")).to_have_text("thing-0")
    expect(card).to_contain_text("Fix: Do what name-wrong says.")
    expect(card.get_by_role("link", name="name-wrong")).to_have_attribute("href", "https://host.example/name-wrong")
    expect(card).to_contain_text("skill.name")


@pytest.mark.parametrize("suffix", ["", "#?group=rule&level=error&q=1", "#?view=rules", "#?view=about", "#?q=nothing"])
def test_everyone_can_read_it_everywhere(open_page: OpenPage, tmp_path: Path, suffix: str) -> None:
    assert_sound(open_page(thirty(tmp_path), suffix=suffix))


def test_a_clean_page(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(check_page(tmp_path))
    expect(page.get_by_text("No findings.").first).to_be_visible()
    assert_sound(page)
