"""Opening a page as a user has it: the width, the colors, with or without scripts; and all faults it has there."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Dialog, Page, Route

_INNER = ("data:", "blob:", "about:")
PATIENCE = 20_000
"""Milliseconds that an action waits for its element: machines that run two suites are slow."""


class OpenPage(Protocol):
    """Open a file or an `http://127.0.0.1` address; `suffix` is the query and the fragment of a file's address."""

    def __call__(
        self,
        place: Path | str,
        *,
        suffix: str = "",
        width: int = 1200,
        height: int = 900,
        dark: bool = False,
        scripts: bool = True,
    ) -> Page: ...


@dataclass(frozen=True)
class Opener:
    """The `OpenPage` of a test."""

    browser: Browser
    faults: list[str]
    stack: ExitStack

    def __call__(
        self,
        place: Path | str,
        *,
        suffix: str = "",
        width: int = 1200,
        height: int = 900,
        dark: bool = False,
        scripts: bool = True,
    ) -> Page:
        is_file = isinstance(place, Path)
        address = (place.resolve().as_uri() if isinstance(place, Path) else place) + suffix
        context = self.browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
            # Without transitions: a color on its way from light to dark has little contrast.
            reduced_motion="reduce",
            java_script_enabled=scripts,
            offline=is_file,
            locale="en-US",
            timezone_id="UTC",
        )
        self.stack.callback(context.close)
        context.set_default_timeout(PATIENCE)
        self._confine(context, address)
        page = context.new_page()
        self._watch(page)
        page.goto(address)
        return page

    def _confine(self, context: BrowserContext, address: str) -> None:
        """Nothing but the page's own origin is reached."""
        parts = urlsplit(address)
        own = (f"{parts.scheme}://{parts.netloc}/", *_INNER)

        def refuse(route: Route) -> None:
            self.faults.append(f"request: {route.request.url}")
            route.abort()

        context.route(lambda url: not url.startswith(own), refuse)

    def _watch(self, page: Page) -> None:
        def said(message: ConsoleMessage) -> None:
            if message.type == "error":
                self.faults.append(f"console: {message.text}")

        def requested(dialog: Dialog) -> None:
            self.faults.append(f"dialog: {dialog.message}")
            dialog.dismiss()

        page.on("console", said)
        page.on("pageerror", lambda error: self.faults.append(f"script: {error}"))
        page.on("dialog", requested)
