"""Fixtures that several modules of tests share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.session.bags import bag


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace with the skill `apple`."""
    return bag(tmp_path, ["apple"])
