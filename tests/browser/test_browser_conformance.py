"""The matrix of the conformance kit as a page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from skillbag.fleet.conformance.kit import FAILED, NOT_COVERED, PASSED, CaseResult, Report, report_of
from skillbag.report.pages.conformance import conformance_page
from tests.browser.looks import assert_sound
from tests.browser.opening import OpenPage
from tests.fleet.conformance.suite import SUITE

HOSTILE = "</script><img src=x onerror=alert(1)>\x1b[31m\u202e"


def report() -> Report:
    """The whole suite: one case failed, with a hostile text of the driver, one was not covered."""
    first, second, *others = SUITE.cases
    results = [
        CaseResult.of(first, FAILED, HOSTILE),
        CaseResult.of(second, NOT_COVERED, HOSTILE),
        *(CaseResult.of(case, PASSED) for case in others),
    ]
    return report_of(SUITE, results, None)


def passed() -> Report:
    return report_of(SUITE, [CaseResult.of(case, PASSED) for case in SUITE.cases], None)


@pytest.fixture
def page(tmp_path: Path) -> Path:
    (tmp_path / "page.html").write_text(conformance_page(report()), "utf-8")
    return tmp_path / "page.html"


def test_a_count_leads_to_its_cases(open_page: OpenPage, page: Path) -> None:
    case = SUITE.cases[0]
    shown = open_page(page, suffix="#?verdict=failed")
    expect(shown.locator("#clauses tbody tr")).to_have_count(len(case.clauses))
    shown.locator("#clauses .error-text").first.click()
    expect(shown.locator("#cases .card").first).to_be_visible()
    assert f"cases-kind={case.kind}" in shown.url


def test_texts_of_the_driver_stay_text(open_page: OpenPage, page: Path) -> None:
    shown = open_page(page, suffix="#?view=cases&cases-verdict=failed")
    expect(shown.locator("#cases .card code").first).to_have_text(re.compile(r"</script><img src=x.*\\x1b.*\\u202e"))


@pytest.mark.parametrize("view", ["", "cases"])
def test_the_page_is_sound(open_page: OpenPage, page: Path, view: str) -> None:
    assert_sound(open_page(page, suffix=f"#?view={view}"))


def test_the_words_claim_no_more_than_the_checked_clauses() -> None:
    text = conformance_page(passed())
    assert "conforms to the checked clauses of SkillBag v0.3.0" in text
    assert not re.search("certif|official", text, re.IGNORECASE)
