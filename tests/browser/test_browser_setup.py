"""The tools of these tests find what they are for, and leave the process as it was."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.browser import chromium
from tests.browser.looks import assert_accessible, assert_fits
from tests.browser.opening import OpenPage

_PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A page</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'">
</head><body><main><h1>A page</h1>%s</main></body></html>"""


@pytest.fixture
def page(tmp_path: Path) -> Path:
    return tmp_path / "page.html"


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ("<script>setTimeout(() => { throw new Error('boom') })</script>", "script: boom"),
        ("<script>console.error('bad')</script>", "console: bad"),
        ("<script>alert('hello')</script>", "dialog: hello"),
        ("<iframe src='https://host.example/' title='a'></iframe>", "https://host.example/"),
        ("<img alt='a' src='https://host.example/a.png'>", "Content Security Policy"),
        ("<script>location = 'https://host.example/'</script>", "request: https://host.example/"),
    ],
)
def test_what_goes_wrong_is_noticed(open_page: OpenPage, faults: list[str], page: Path, body: str, fault: str) -> None:
    page.write_text(_PAGE % body, "utf-8")
    shown = open_page(page)
    shown.wait_for_timeout(300)
    assert any(fault in one for one in faults), faults
    faults.clear()


def test_what_is_wrong_to_see_is_found(open_page: OpenPage, page: Path) -> None:
    page.write_text(_PAGE % "<p>" + "x" * 300 + "</p><button></button>", "utf-8")
    shown = open_page(page, width=400)
    with pytest.raises(AssertionError, match="px wider"):
        assert_fits(shown)
    with pytest.raises(AssertionError, match="button-name"):
        assert_accessible(shown)


def test_other_event_loops_run_beside_the_browser(open_page: OpenPage, page: Path) -> None:
    page.write_text(_PAGE % "", "utf-8")
    assert open_page(page).title() == "A page"


def test_other_event_loops_run_after_the_browser() -> None:
    assert asyncio.run(asyncio.sleep(0, "done")) == "done"


@pytest.mark.parametrize(
    ("ci", "code", "outcome"),
    [("", 0, pytest.skip.Exception), ("true", 1, pytest.skip.Exception), ("true", 0, pytest.fail.Exception)],
)
def test_a_missing_browser_fails_where_it_could_be_installed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, ci: str, code: int, outcome: type[BaseException]
) -> None:
    script = tmp_path / ".ci/debian-packages"
    script.parent.mkdir()
    script.write_text(f"#!/bin/sh\nexit {code}\n")
    script.chmod(0o755)
    monkeypatch.setattr(chromium, "PROJECT", tmp_path)
    monkeypatch.setenv("CI", ci)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(outcome):
        chromium.executable()
