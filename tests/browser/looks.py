"""What is asserted of every page: it is accessible, and it fits into the window."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

WIDTHS = (400, 800, 1600)
_SCHEMES: Mapping[int, Literal["dark", "light"]] = {400: "dark", 1600: "light"}
_AXE = Axe()
_WIDER = "() => document.scrollingElement.scrollWidth - document.documentElement.clientWidth"


def assert_accessible(page: Page) -> None:
    """No rule of axe is violated. Contrast is that of the colors on screen: dark and light are two runs.

    The page must run scripts: without them axe never ends.
    """
    violations: list[dict[str, Any]] = _AXE.run(page).response["violations"]
    assert not violations, "\n".join(map(_reported, violations))


def _reported(violation: dict[str, Any]) -> str:
    nodes = [f"{node['html'][:200]} ({node['failureSummary']})" for node in violation["nodes"][:5]]
    return "\n".join([f"{violation['id']}, {len(violation['nodes'])} times: {violation['help']}", *nodes])


def assert_fits(page: Page) -> None:
    """The page does not scroll sideways."""
    wider = page.evaluate(_WIDER)
    assert wider <= 0, f"{wider} px wider than the window of {page.viewport_size} px"


def assert_sound(page: Page) -> None:
    """It fits at all widths, and is accessible dark, where it is narrowest, and light, where it is widest.

    The page is left light, at the last width. Six runs of axe would take longer than all the rest of a test.
    """
    height = (page.viewport_size or {"height": 900})["height"]
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": height})
        assert_fits(page)
        if width in _SCHEMES:
            page.emulate_media(color_scheme=_SCHEMES[width])
            assert_accessible(page)
