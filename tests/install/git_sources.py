"""Bare repositories and zips with skills."""

from __future__ import annotations

from pathlib import Path

from tests.install.worlds import skill_text, source_files
from tests.sources.repositories import Repository, make_repository


def repository(tmp_path: Path, **skills: str) -> Repository:
    """A bare repository `repo.git` with these skills (name to body)."""
    return make_repository(tmp_path / "repo.git", source_files({n: skill_text(n, body=b) for n, b in skills.items()}))


def commit(repo: Repository, branch: str = "main", **skills: str) -> str:
    """Another commit with these skills alone."""
    return repo.commit(source_files({n: skill_text(n, body=b) for n, b in skills.items()}), branch)


def zipped(repo: Repository, path: Path, *arguments: str) -> Path:
    """The zip that `git archive` makes of the repository's head."""
    repo.git("archive", "--format=zip", "-o", str(path), *arguments, "main")
    return path
