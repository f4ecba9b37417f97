"""The workspace and the source of the change that most tests make."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kernel.transaction.workspaces import make_source, make_workspace


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The workspace before the change."""
    return make_workspace(tmp_path / "workspace")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """What the change puts in place."""
    return make_source(tmp_path / "source")
