"""Names, keys and lines of skills stay text in every page, and so does what an address says."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Page

from tests.browser.looks import assert_fits
from tests.browser.opening import OpenPage
from tests.browser.real_reports import MARKUP, PAYLOAD, hostile, page_of
from tests.support import Run, Tree

# Controls except line ends and tabs, marks of direction, and what has no width.
_INVISIBLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]")


def assert_is_text(page: Page) -> None:
    assert page.evaluate("() => window.executed ?? null") is None
    assert page.locator("img, iframe, object, embed, base").count() == 0
    assert (
        page.locator("*").evaluate_all("all => all.flatMap(one => one.getAttributeNames()).filter(n => /^on/.test(n))")
        == []
    )
    targets = page.locator("a").evaluate_all("all => all.map(one => one.getAttribute('href'))")
    assert [target for target in targets if not re.match("#|https?://", target)] == []
    assert _INVISIBLE.findall(page.locator("body").inner_text()) == []
    assert _INVISIBLE.findall(page.title()) == []


@pytest.fixture
def report(run: Run, tree: Tree) -> Path:
    return page_of(run, tree(hostile()) / "skills")


@pytest.mark.parametrize("suffix", ["", "#?group=skill", "#?group=rule", "#?view=rules", "#?view=about"])
def test_names_and_lines_of_a_report_stay_text(open_page: OpenPage, report: Path, suffix: str) -> None:
    page = open_page(report, suffix=suffix)
    page.wait_for_timeout(100)
    assert_is_text(page)
    for width in (400, 1600):
        page.set_viewport_size({"width": width, "height": 900})
        assert_fits(page)


def test_they_are_shown_and_can_be_filtered(open_page: OpenPage, report: Path) -> None:
    page = open_page(report)
    assert page.get_by_text(f"<script>{PAYLOAD}").first.is_visible()
    boxes = page.locator(".facets input[type=checkbox]")
    for number in range(boxes.count()):
        boxes.nth(number).check(force=True)
        boxes.nth(number).uncheck(force=True)
    for name in ("__proto__", "constructor"):
        page.goto(f"{report.as_uri()}#?q={name}")
        page.wait_for_timeout(100)
        assert page.locator(".card").count() > 0
        assert_is_text(page)


def test_without_scripts_too(open_page: OpenPage, report: Path) -> None:
    page = open_page(report, scripts=False, width=400)
    assert_fits(page)
    assert page.locator("img").count() == 0


@pytest.mark.parametrize("key", ["q", "rule", "skill", "view", "group", "sort", "page", "__proto__"])
def test_an_address_stays_text(open_page: OpenPage, report: Path, key: str) -> None:
    page = open_page(report, suffix=f"#?{key}={quote(MARKUP)}")
    page.wait_for_timeout(100)
    assert_is_text(page)


_ATTEMPTS = (
    "document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=executed=1>')",
    "document.body.append(Object.assign(document.createElement('script'), { text: 'executed = 1' }))",
    "document.body.setAttribute('onclick', 'executed = 1'); document.body.click()",
    "document.body.append(Object.assign(document.createElement('img'), { src: 'https://host.example/a.png' }))",
    "fetch('https://host.example/')",
)
"""What a script could do with a text if it did not escape it."""


@pytest.mark.parametrize("attempt", _ATTEMPTS)
def test_the_policy_of_the_page_forbids_what_escaping_prevents(
    open_page: OpenPage, faults: list[str], report: Path, attempt: str
) -> None:
    page = open_page(report)
    page.evaluate(f"async () => {{ try {{ await {attempt} }} catch {{ }} }}")
    page.wait_for_timeout(200)
    assert page.evaluate("() => window.executed ?? null") is None
    assert any("Content Security Policy" in fault or "Trusted" in fault for fault in faults), faults
    assert not any(fault.startswith("request:") for fault in faults)
    faults.clear()
