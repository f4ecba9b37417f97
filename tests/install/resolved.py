"""Sources and workspaces whose declarations are resolved."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from tests.install.worlds import make_workspace, source_files
from tests.sources.repositories import Repository, make_repository

Skills = Mapping[str, str]


def repository(folder: Path, *versions: Skills) -> Repository:
    """A git source with a tag v1, v2 … for each state of its skills."""
    made = make_repository(folder)
    for number, skills in enumerate(versions, 1):
        made.git("tag", f"v{number}", made.commit(source_files(skills)))
    return made


def fresh(tmp_path: Path, number: int, dependencies: Iterable[Mapping[str, str]], user_context: str = "") -> Path:
    """A workspace of its own beside the others, so that sources are at `../`."""
    return make_workspace(tmp_path / f"work{number}", dependencies, user_context)
