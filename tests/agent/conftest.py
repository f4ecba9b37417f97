"""What the tests of the agent's part share: a workspace, and what an agent reaches in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillbag.settings.scope import Scope
from tests.install.worlds import make_workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """An empty workspace."""
    return make_workspace(tmp_path / "workspace")


@pytest.fixture
def scope(workspace: Path) -> Scope:
    """The workspace alone: no personal skills."""
    return Scope(str(workspace), None)
