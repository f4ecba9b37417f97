"""The site of the documentation in a browser: its search, how it looks on a phone, and that it asks no other host."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.browser.looks import assert_fits
from tests.browser.opening import OpenPage
from tests.once import once
from tests.project.site import build

pytest.importorskip("zensical")


OF_THE_THEME = {"landmark-unique"}
"""Violations in the theme's own templates: the buttons of code blocks and the groups of pages are unnamed `nav`s."""


class Quiet(SimpleHTTPRequestHandler):
    """Serves files and says nothing of it."""

    def log_message(self, *_: object) -> None:
        """Requests are no output of a test."""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    site = once(tmp_path_factory, "site", build)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=site)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_a_rule_is_found_by_its_id(open_page: OpenPage, address: str) -> None:
    page = open_page(f"{address}/")
    for attempt in range(1, 20):
        page.goto(f"{address}/")
        page.keyboard.press("/")
        page.wait_for_function(
            "document.activeElement.shadowRoot !== undefined && document.activeElement !== document.body"
        )
        page.keyboard.type("link-anchor-broken")
        # The results are in a closed shadow tree: whether they are there, and of the whole word, can't be seen. The
        # first of them is chosen, and Enter opens it.
        page.wait_for_timeout(250 * attempt)
        page.keyboard.press("Enter")
        page.wait_for_timeout(250 * attempt)
        if "/rules/link-anchor-broken/" in page.url:
            break
    assert page.get_by_role("heading", level=1).inner_text().startswith("link-anchor-broken")


@pytest.mark.parametrize("path", ["/", "/start/check/", "/commands/check/", "/rules/", "/rules/link-broken/"])
@pytest.mark.parametrize(("width", "dark"), [(400, True), (1600, False)])
def test_pages_fit_and_are_accessible(open_page: OpenPage, address: str, path: str, width: int, dark: bool) -> None:
    page = open_page(f"{address}{path}", width=width, dark=dark)
    assert_fits(page)
    violations = Axe().run(page).response["violations"]
    assert {each["id"] for each in violations} <= OF_THE_THEME, violations
