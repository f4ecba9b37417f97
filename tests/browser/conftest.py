"""Pages in a real browser: headless Chromium, driven by playwright.

A test takes `open_page` and opens a file with it:

    def test_the_filter_is_in_the_address(open_page: OpenPage, report: Path) -> None:
        page = open_page(report, width=400, dark=True)
        page.get_by_label("Rule").select_option("link-broken")
        assert "rule=link-broken" in page.url

Each page is in a context of its own, without a network. A request that leaves, an error on the console (a breach of the
page's content security policy is one), an error that a script does not catch, and a dialog fail the test when it ends;
a test that expects one takes it out of `faults`. `looks.py` has what is asserted of every page: `assert_accessible`
(axe), `assert_fits` (no horizontal scrolling), `assert_sound` (both, at all widths, dark and light).
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from playwright.sync_api import Browser, expect

from tests.browser import chromium
from tests.browser.opening import PATIENCE, Opener, OpenPage

expect.set_options(timeout=PATIENCE)


def pytest_itemcollected(item: pytest.Item) -> None:
    """Whatever takes the browser is marked `slow`."""
    if "browser_and_loop" in getattr(item, "fixturenames", ()):
        item.add_marker("slow")


@pytest.fixture(scope="session")
def browser_and_loop() -> Iterator[tuple[Browser, asyncio.AbstractEventLoop | None]]:
    """One browser for each process of the suite, and the event loop of its driver."""
    with chromium.browser() as browser:
        loop = asyncio._get_running_loop()
        asyncio._set_running_loop(None)
        yield browser, loop
        asyncio._set_running_loop(loop)


@pytest.fixture
def browser(browser_and_loop: tuple[Browser, asyncio.AbstractEventLoop | None]) -> Iterator[Browser]:
    """The browser for one test.

    Playwright's loop counts as running in this thread for as long as the driver lives, and no other loop could run in
    it. Tests of servers in the same process have loops of their own: outside of our tests none is running.
    """
    browser, loop = browser_and_loop
    asyncio._set_running_loop(loop)
    yield browser
    asyncio._set_running_loop(None)


@pytest.fixture
def faults() -> list[str]:
    """What went wrong in the pages of a test so far; whatever is left in it at the end fails the test."""
    return []


@pytest.fixture
def open_page(browser: Browser, faults: list[str]) -> Iterator[OpenPage]:
    """Open a file or an address in a page of its own."""
    with ExitStack() as stack:
        yield Opener(browser, faults, stack)
    assert faults == []
