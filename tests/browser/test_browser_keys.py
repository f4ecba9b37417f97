"""Reports of the program itself: the keyboard alone, and strange addresses."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.opening import OpenPage
from tests.browser.real_reports import FAULTY, page_of
from tests.support import Run, Tree


@pytest.fixture
def report(run: Run, tree: Tree) -> Path:
    return page_of(run, tree(FAULTY) / "skills")


def cards(page: Page) -> int:
    return page.locator(".card:visible").count()


def test_an_address_restores_what_it_names_and_unknown_values_do_no_harm(open_page: OpenPage, report: Path) -> None:
    page = open_page(report, suffix="#?rule=link-broken&q=one&group=rule&sort=level")
    expect(page.get_by_role("searchbox")).to_have_value("one")
    expect(page.locator("#findings").get_by_label("Group by")).to_have_value("rule")
    expect(page.locator("#findings").get_by_label("Order")).to_have_value("level")
    expect(page.locator(".card")).to_have_count(1)
    strange = open_page(report, suffix="#?page=-7&group=moon&sort=&view=nowhere&page=1e99&%zz&toString=1")
    assert cards(strange) >= 5
    assert cards(open_page(report, suffix="#?rule=none-such")) == 0


def test_the_keyboard_is_enough(open_page: OpenPage, report: Path) -> None:
    page = open_page(report)
    focused = page.locator(":focus")
    page.keyboard.press("Tab")
    expect(focused).to_have_text("Skip to content")
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox")).to_be_focused()
    page.keyboard.type("one.md/")
    expect(page.get_by_text("No finding matches.")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("searchbox")).to_have_value("")
    assert cards(page) >= 5
    page.keyboard.press("Tab")
    expect(focused).to_have_text("Filters")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    expect(focused).to_be_checked()
    assert "level=" in page.url


def test_every_stop_of_the_tabulator_is_seen(open_page: OpenPage, report: Path) -> None:
    """Each in turn is in the window, and its outline is drawn; the order is that of the page."""
    page = open_page(report, width=800)
    tops = []
    for _ in range(60):
        page.keyboard.press("Tab")
        stop = page.evaluate(
            "() => { const at = document.activeElement, box = at.getBoundingClientRect();"
            " return at === document.body ? null : [box.top + scrollY, box.top, getComputedStyle(at).outlineStyle,"
            " at.outerHTML.slice(0, 80)] }"
        )
        if stop is None:
            break
        top, inside, outline, element = stop
        assert -1 <= inside <= 900, element
        assert outline != "none", element
        tops.append(top)
    assert len(tops) > 20
