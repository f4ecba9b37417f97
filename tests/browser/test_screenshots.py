"""The script that takes the pictures of pages, and the pictures that it took."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.browser import chromium
from tests.support import PROJECT

_SCRIPT = PROJECT / "tools/screenshots.py"
_PNG = b"\x89PNG\r\n\x1a\n"


@pytest.mark.nightly
def test_the_script_takes_every_picture_of_the_docs(tmp_path: Path) -> None:
    """Their pixels depend on the fonts and the browser of a machine: they are not compared."""
    chromium.executable()
    done = subprocess.run([sys.executable, _SCRIPT, tmp_path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done
    taken = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert all(data.startswith(_PNG) for data in taken.values())
    assert taken["report.png"] != taken["report-dark.png"]
    assert set(taken) == {path.name for path in (PROJECT / "docs/images").glob("*.png") if path.name != "editor.png"}


def test_pictures_are_small() -> None:
    assert {
        path.name: size for path in (PROJECT / "docs/images").glob("*.png") if (size := path.stat().st_size) > 150_000
    } == {}
