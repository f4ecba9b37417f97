"""Fixtures that several modules of tests share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.agents.personal.skills import make


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The personal root, which is not there yet."""
    return tmp_path / "home" / "skills"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A folder with the skill `tidy`."""
    return make(tmp_path / "work" / "tidy", "tidy", {"scripts/run.sh": "#!/bin/sh\n", "references/a.md": "One.\n"})
