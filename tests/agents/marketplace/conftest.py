from __future__ import annotations

from pathlib import Path

import pytest

from tests.supply.sources.repositories import use_own_git_settings


@pytest.fixture(autouse=True)
def git_settings(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's git settings, which tests may change."""
    return use_own_git_settings(monkeypatch, tmp_path_factory.mktemp("git"))
