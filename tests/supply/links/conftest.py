"""Fixtures that several modules of tests share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.supply.links.link_worlds import make_skills


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    return make_skills(tmp_path / "w", "tidy")
