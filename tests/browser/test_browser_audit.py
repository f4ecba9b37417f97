"""The page of an audit in a browser."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser.looks import assert_sound
from tests.browser.opening import OpenPage
from tests.support import Run, skill

_FAULTY = "---\nname: other\ndescription: x\n---\n\n[a](gone.md)\n"


@pytest.fixture
def page(run: Run, tmp_path: Path) -> Path:
    """The page of an audit of two folders of skills, with findings in both."""
    for source in ("one", "two"):
        for name, text in {"tidy": skill("tidy"), "broken": _FAULTY}.items():
            path = tmp_path / source / "skills" / name / "SKILL.md"
            path.parent.mkdir(parents=True)
            path.write_text(text, "utf-8")
    assert run("audit", tmp_path / "one", tmp_path / "two", "--out", tmp_path / "out").code in (0, 1)
    return tmp_path / "out/summary.html"


def test_an_audit_is_readable_everywhere(open_page: OpenPage, page: Path) -> None:
    shown = open_page(page)
    assert shown.locator("h1").first.is_visible()
    assert_sound(shown)
