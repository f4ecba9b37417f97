"""A workspace with links in every direction, a scope, and stubs for all programs that a shell runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillbag.agents.settings.scope import Scope
from tests.agents.permissions.shells import Stubs


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace beside something secret, with links in every direction."""
    root = tmp_path / "work"
    for name in ("src/a.py", "src/deep/b.py", "srcx/c.py", "lib/d.py", "SRC2/e.py", "../secret/key", "src/n ü.py"):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    links = {
        "src/out": "../../secret",
        "src/key": "../../secret/key",
        "src/lib": "../lib",
        "src/inner": "deep",
        "lib/back": "../src/deep",
        "src/loop": "loop",
        "src/absolute": str(tmp_path / "secret"),
        "in": "src",
        "in-file": "src/a.py",
    }
    for name, target in links.items():
        (root / name).symlink_to(target)
    return root


@pytest.fixture
def scope(tmp_path: Path) -> Scope:
    (tmp_path / "work").mkdir()
    return Scope(str(tmp_path / "work"), None, "s1")


@pytest.fixture(scope="module")
def stubs(tmp_path_factory: pytest.TempPathFactory) -> Stubs:
    return Stubs(tmp_path_factory.mktemp("shells"))
