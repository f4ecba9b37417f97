"""The Chromium of this machine: where it is, how it is started, and what a test says where it is missing."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.support import PROJECT

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_MAC = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
_ARGUMENTS = (
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--no-first-run",
)


def executable() -> str:
    """The path of Chromium.

    Without it a test skips. Under `CI` it fails, unless Chromium can't be installed: `.ci/debian-packages` waits for
    an installation that `.ci/run` has begun, and says whether it worked.
    """
    found = _found()
    if found is None and os.environ.get("CI"):
        script = [str(PROJECT / ".ci/debian-packages"), "chromium"]
        done = subprocess.run(script, capture_output=True, text=True, check=False)
        found = _found()
        if found is None and done.returncode == 0:
            pytest.fail(f"`.ci/debian-packages chromium` did not install it: {done.stdout}{done.stderr}")
    if found is None:
        pytest.skip("there is no Chromium (Debian's package `chromium`): pages are not tried in a browser")
    return found


def _found() -> str | None:
    return next(filter(None, map(shutil.which, (*_NAMES, _MAC))), None)


@contextmanager
def browser() -> Iterator[Browser]:
    """A headless Chromium. It has its sandbox except where it refuses to start with it: as root."""
    path = executable()
    with sync_playwright() as playwright:
        confined = os.geteuid() != 0
        started = playwright.chromium.launch(executable_path=path, args=[*_ARGUMENTS], chromium_sandbox=confined)
        yield started
        started.close()
