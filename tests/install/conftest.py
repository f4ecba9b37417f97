"""Workspaces and repositories that several modules start from."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.install.worlds import make_workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A workspace without skills or declarations, beside which sources are at `../`."""
    return make_workspace(tmp_path / "work")
