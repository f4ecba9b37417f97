"""Pointers of Git LFS are refused in the place of the files that they stand for, whatever the kind of source."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.supply.install.git_sources import zipped
from tests.supply.install.outcomes import installed
from tests.supply.install.worlds import call, make_workspace, skill_text, source_files, unchanged, write
from tests.supply.sources.repositories import make_repository
from tests.support import Run, skill

pytestmark = pytest.mark.usefixtures("git_config")

POINTER = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0a' * 32}\nsize 12345\n"
FILES = {**source_files({"a": skill_text("a"), "b": skill_text("b")}), ".skills/a/assets/logo.png": POINTER}


@pytest.fixture(params=["git", "zip", "tar", "folder"])
def source(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "folder":
        return str(write(tmp_path / "folder", FILES))
    repo = make_repository(tmp_path / "repo.git", FILES)
    return repo.url if request.param == "git" else str(zipped(repo, tmp_path / f"made.{request.param}"))


def test_a_skill_with_a_pointer_is_refused(run: Run, workspace: Path, source: str) -> None:
    with unchanged(workspace):
        code, values = call(run, workspace, "install", "a", "--source", source)
    (problem,) = values["problems"]
    assert (code, problem["kind"], problem["path"]) == (1, "invalid-source", ".skills/a/assets/logo.png")
    assert "pointer of Git LFS: the file itself (12,345 bytes)" in problem["message"]
    assert "git-lfs" in problem["fix"]


def test_the_skill_beside_it_is_installed(run: Run, workspace: Path, source: str) -> None:
    assert call(run, workspace, "install", "b", "--source", source)[0] == 0
    assert call(run, workspace, "install", "--all", "--source", source, "--accept=failures")[0] == 1
    assert installed(workspace) == ["b"]


def test_a_plain_skill_and_a_personal_one(run: Run, tmp_path: Path) -> None:
    folder = write(tmp_path / "plain", {"skills/a/SKILL.md": skill("a"), "skills/a/model.bin": POINTER})
    workspace = make_workspace(tmp_path / "work")
    assert call(run, workspace, "install", "a", "--source", folder)[0] == 1
    done = run("personal", "add", folder / "skills/a", "--personal", tmp_path / "personal")
    assert (done.code, "model.bin: a pointer of Git LFS" in done.err) == (2, True)


@pytest.mark.parametrize("text", [f"# A pointer\n\n{POINTER}", POINTER + "more\n", POINTER.replace("oid", "id")])
def test_a_text_about_pointers_is_none(run: Run, tmp_path: Path, workspace: Path, text: str) -> None:
    folder = write(tmp_path / "folder", {**FILES, ".skills/a/assets/logo.png": "x", ".skills/a/pointer.md": text})
    assert call(run, workspace, "install", "a", "--source", folder)[0] == 0
