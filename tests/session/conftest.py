"""Workspaces that several modules of tests share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.session.agents import tagged
from tests.supply.install.worlds import make_workspace


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace with a skill for each tag."""
    return tagged(tmp_path / "w")


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A workspace without skills."""
    return make_workspace(tmp_path)
