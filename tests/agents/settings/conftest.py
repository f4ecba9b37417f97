"""Fixtures that several modules of tests share."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillbag.agents.settings.user_settings import settings_path


@pytest.fixture
def file() -> Path:
    """The settings file; its folder is there, it is not."""
    path = Path(settings_path())
    path.parent.mkdir(parents=True, exist_ok=True)
    return path
