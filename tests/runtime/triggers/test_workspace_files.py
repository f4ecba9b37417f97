"""The files of a workspace: real repositories, folders without one, and repositories that want to run programs."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from skillbag.runtime.triggers import surroundings
from skillbag.runtime.triggers.surroundings import list_files


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(folder), "-c", "user.name=a", "-c", "user.email=a@b", *arguments], check=True)


def write(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    write(folder, "kept.go", "gone.go", "sub/kept.py", "build/out.o", "node_modules/a.js")
    (folder / ".gitignore").write_text("build/\n")
    git(folder.parent, "init", "-q", str(folder))
    git(folder, "add", "kept.go", "gone.go", "sub", ".gitignore")
    git(folder, "commit", "-qm", "a")
    (folder / "gone.go").unlink()
    write(folder, "new é\n.txt")
    return folder


def test_files_are_those_of_git_that_are_there(repository: Path) -> None:
    listed = list_files(str(repository))
    assert listed == ((".gitignore", "kept.go", "new é\n.txt", "node_modules/a.js", "sub/kept.py"), True)


def test_a_workspace_within_a_repository_has_its_own_files(repository: Path) -> None:
    assert list_files(str(repository / "sub")).paths == ("kept.py",)


def test_outside_of_a_repository_all_files_count(tmp_path: Path) -> None:
    write(tmp_path, "a.go", "sub/b.py", "node_modules/a.js", ".venv/c.py")
    os.symlink("/etc", tmp_path / "link")
    assert list_files(str(tmp_path)).paths == ("a.go", "link", "sub/b.py")


def test_a_workspace_that_git_ignores_is_listed_from_the_disk(repository: Path) -> None:
    assert list_files(str(repository / "build")).paths == ("out.o",)


def test_without_git_the_folder_is_listed(repository: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    assert list_files(str(repository)).paths[:3] == (".gitignore", "build/out.o", "kept.go")


def test_variables_of_another_repository_are_ignored(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_DIR", str(repository.parent / "other"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(repository.parent / "index"))
    assert "kept.go" in list_files(str(repository)).paths
    assert "build/out.o" not in list_files(str(repository)).paths


def test_a_program_of_the_repositorys_configuration_does_not_run(repository: Path) -> None:
    program = repository / ".git" / "run"
    program.write_text(f"#!/bin/sh\ntouch '{repository.parent}/ran'\n")
    program.chmod(0o755)
    git(repository, "config", "core.fsmonitor", str(program))
    assert "kept.go" in list_files(str(repository)).paths
    assert not (repository.parent / "ran").exists()


def test_files_outside_of_a_sparse_checkout_are_left_out(repository: Path) -> None:
    git(repository, "update-index", "--skip-worktree", "sub/kept.py")
    assert "sub/kept.py" not in list_files(str(repository)).paths


def test_a_repository_within_another_is_no_file(repository: Path) -> None:
    git(repository, "init", "-q", "inner")
    write(repository, "inner/a.go")
    assert not [path for path in list_files(str(repository)).paths if path.startswith("inner")]


@pytest.mark.parametrize("with_git", [True, False])
def test_no_more_than_the_limit_are_taken(with_git: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, *(f"{number}.go" for number in range(12)))
    if with_git:
        git(tmp_path, "init", "-q")
    assert list_files(str(tmp_path)).complete
    monkeypatch.setattr(surroundings, "MAX_FILES", 10)
    listed = list_files(str(tmp_path))
    assert (len(listed.paths), listed.complete) == (10, False)


def test_a_folder_that_is_not_there_has_no_files(tmp_path: Path) -> None:
    assert list_files(str(tmp_path / "missing")) == ((), True)
