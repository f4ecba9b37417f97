"""Bare repositories and zips with skills; repositories that are built once."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.once import once
from tests.supply.install.worlds import skill_text, source_files
from tests.supply.sources.repositories import Repository, make_repository


def repository(tmp_path: Path, **skills: str) -> Repository:
    """A bare repository `repo.git` with these skills (name to body)."""
    return make_repository(tmp_path / "repo.git", source_files({n: skill_text(n, body=b) for n, b in skills.items()}))


def commit(repo: Repository, branch: str = "main", **skills: str) -> str:
    """Another commit with these skills alone."""
    return repo.commit(source_files({n: skill_text(n, body=b) for n, b in skills.items()}), branch)


def zipped(repo: Repository, path: Path, *arguments: str) -> Path:
    """The zip, or the tar archive by its name, that `git archive` makes of the repository's head."""
    repo.git("archive", *([] if ".tar" in path.name else ["--format=zip"]), "-o", str(path), *arguments, "main")
    return path


def copied(factory: pytest.TempPathFactory, name: str, to: Path, build: Callable[[Repository], object]) -> Repository:
    """A copy of a repository that `build` has filled in the first test that needs it."""

    def build_once(folder: Path) -> str:
        build(make_repository(folder / "repo.git"))
        return str(folder / "repo.git")

    return Repository(Path(shutil.copytree(once(factory, name, build_once), to)))
