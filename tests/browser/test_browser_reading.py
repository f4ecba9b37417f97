"""The page of a check for everyone: by keyboard, on paper, without scripts or motion, in dark and light, and large."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from skillbag.kernel.model.findings import WriteFile
from tests.browser.check_pages import check_page, finding
from tests.browser.opening import OpenPage

_FOCUS = """() => {
  const node = document.activeElement, style = getComputedStyle(node);
  return [node.tagName.toLowerCase(), style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2];
}"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A page with 130 findings, the first of which is fixable."""
    edit = WriteFile(str(tmp_path / "skills/skill-0/SKILL.md"), "other\n")
    first = finding(0, tmp_path, edits=(edit,))
    return check_page(tmp_path, first, *(finding(number, tmp_path) for number in range(1, 130)))


def focused(page: Page) -> str:
    """The tag of the element with the focus, which can be seen."""
    tag, is_visible = page.evaluate(_FOCUS)
    assert is_visible, tag
    return str(tag)


def test_all_is_reached_by_the_tab_key(open_page: OpenPage, file: Path) -> None:
    page = open_page(file)
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
    assert "#" not in page.url
    tags = []
    for _ in range(200):
        page.keyboard.press("Tab")
        tags.append(focused(page))
        if page.locator(".card a").first.evaluate("(node) => node === document.activeElement"):
            break
    assert {"a", "input", "select", "summary", "button"} <= set(tags)


def test_a_filter_is_set_by_the_space_key_and_keeps_the_focus(open_page: OpenPage, file: Path) -> None:
    page = open_page(file)
    box = page.get_by_role("checkbox", name="error")
    box.focus()
    page.keyboard.press("Space")
    expect(page.get_by_role("status")).to_have_text("44 of 130 findings")
    expect(box).to_be_focused()


def test_the_changes_of_a_fix_are_shown_on_demand(open_page: OpenPage, file: Path) -> None:
    page = open_page(file)
    page.get_by_text("What --fix changes").click()
    expect(page.locator(".diff > span")).to_have_text(["- text\n", "+ other\n"])


def test_paper_has_all_filtered_findings(open_page: OpenPage, file: Path) -> None:
    page = open_page(file, suffix="#?level=error&level=note")
    expect(page.locator(".card")).to_have_count(87)
    page.get_by_role("checkbox", name="note").uncheck()
    page.get_by_role("checkbox", name="warning").check()
    page.get_by_role("checkbox", name="note").check()
    expect(page.locator(".card")).to_have_count(100)
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    expect(page.locator(".card")).to_have_count(130)
    expect(page.locator(".diff")).to_be_visible()
    for hidden in (".search", ".facets", ".pager", "#theme", ".views"):
        expect(page.locator(hidden)).to_be_hidden()
    for heading in ("Rules that found something", "About this check"):
        expect(page.get_by_role("heading", name=heading)).to_be_visible()
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    expect(page.locator(".card")).to_have_count(100)


def test_printing_makes_a_page_for_each_sheet(open_page: OpenPage, file: Path) -> None:
    page = open_page(file)
    assert page.pdf().count(b"/Type /Page\n") > 5
    expect(page.locator(".card")).to_have_count(100)


def test_without_scripts_it_is_a_list(open_page: OpenPage, file: Path) -> None:
    page = open_page(file, scripts=False)
    expect(page.locator("ol.plain > li")).to_have_count(130)
    expect(page.locator("ol.plain > li").first).to_contain_text("skills/skill-0/SKILL.md:1:7 Finding number 0")
    expect(page.get_by_role("heading", name="Rules that found something")).to_be_visible()
    expect(page.get_by_role("button", name="Theme")).to_be_hidden()


def test_the_theme_goes_from_the_systems_to_light_to_dark(open_page: OpenPage, file: Path) -> None:
    page = open_page(file, dark=True)
    button = page.get_by_role("button", name="Theme: system")
    back = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(back)
    button.click()
    expect(page.get_by_role("button", name="Theme: light")).to_be_visible()
    assert page.evaluate(back) != dark
    page.reload()
    page.get_by_role("button", name="Theme: light").click()
    assert page.evaluate(back) == dark


def test_nothing_moves_for_those_who_want_none(open_page: OpenPage, file: Path) -> None:
    page = open_page(file)
    moving = "getComputedStyle(document.documentElement).scrollBehavior"
    page.emulate_media(reduced_motion="no-preference")
    assert page.evaluate(moving) == "smooth"
    page.emulate_media(reduced_motion="reduce")
    assert page.evaluate(moving) == "auto"


def test_ten_thousand_findings_are_usable_in_two_seconds(open_page: OpenPage, tmp_path: Path) -> None:
    file = check_page(tmp_path, *(finding(number, tmp_path) for number in range(10_000)))
    assert file.stat().st_size < 4e6
    open_page(file).close()
    start = time.perf_counter()
    page = open_page(file)
    page.get_by_role("checkbox", name="error").check()
    expect(page.get_by_role("status")).to_have_text("3,334 of 10,000 findings, page 1 of 34")
    assert time.perf_counter() - start < 20
    start = time.perf_counter()
    page.get_by_role("searchbox").fill("number 9999")
    expect(page.get_by_role("status")).to_have_text("1 of 10,000 findings")
    assert time.perf_counter() - start < 20
