"""Workspaces and repositories that several modules start from."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.supply.install.declared import commit
from tests.supply.install.git_sources import copied
from tests.supply.install.sides import Merger
from tests.supply.install.verified import SCRIPT, files
from tests.supply.install.worlds import call, make_workspace, skill_text
from tests.supply.sources.repositories import Repository
from tests.support import Run


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A workspace without skills or declarations, beside which sources are at `../`."""
    return make_workspace(tmp_path / "work")


@pytest.fixture
def moving(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """A git source with `a`, which needs its sibling `b`."""
    skills = {"a": skill_text("a", ["b"]), "b": skill_text("b", body="One.")}
    return copied(tmp_path_factory, "moving", tmp_path / "source.git", lambda repo: commit(repo, skills))


@pytest.fixture
def tagged(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """A repository with the source, at the tag `v1`."""

    def build(repo: Repository) -> None:
        repo.git("tag", "v1", repo.commit(files(), executable=[SCRIPT]))

    return copied(tmp_path_factory, "tagged", tmp_path / "repo.git", build)


@pytest.fixture
def verified(run: Run, tmp_path: Path, tagged: Repository) -> Path:
    """A workspace with the skill of the repository."""
    folder = make_workspace(tmp_path / "work", [{"name": "tidy", "version": "v1", "source": tagged.url}])
    assert call(run, folder, "install")[0] == 0
    return folder


@pytest.fixture
def merge(tmp_path: Path) -> Merger:
    return Merger(tmp_path)
