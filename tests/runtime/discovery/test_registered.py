"""Registered skills: written to the cache, whole, and only what was registered."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from skillbag.kernel.base.errors import UserError
from skillbag.runtime.discovery.discovery import DiscoveryRequest, discover
from skillbag.runtime.discovery.registered import RegisteredSkill, folder_of, write
from skillbag.runtime.skill import SkillSource
from tests.rows import each_row
from tests.runtime.found import found

FILES = {"main.star": b"x = 1\n", "schemas/get.json": b"{}"}
SKILL = RegisteredSkill(found("a").manifest, FILES, "Do it.")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path.resolve() / "cache"
    monkeypatch.setenv("SKILLBAG_CACHE_DIR", str(folder))
    return folder


def content(folder: str) -> dict[str, bytes]:
    top = Path(folder)
    return {path.relative_to(top).as_posix(): path.read_bytes() for path in top.rglob("*") if path.is_file()}


def test_discovery_gives_them_without_writing_anything(cache: Path) -> None:
    (skill,) = discover(DiscoveryRequest(registered=(SKILL,))).skills
    assert (skill.source, skill.origin, skill.instructions) == (SkillSource.BUNDLED, "bundled:registered", "Do it.")
    assert skill.directory == folder_of(SKILL)
    assert not cache.exists()


def test_writing_gives_a_folder_with_the_files(cache: Path) -> None:
    folder = write(SKILL)
    assert folder == folder_of(SKILL)
    assert folder.startswith(f"{cache}{os.sep}")
    assert content(folder) == FILES
    before = os.stat(folder).st_ino
    assert write(SKILL) == folder
    assert os.stat(folder).st_ino == before
    assert os.listdir(os.path.dirname(folder)) == [os.path.basename(folder)]


def test_other_content_has_another_folder() -> None:
    other = SKILL._replace(files={"main.star": b"x = 2\n"})
    assert write(other) != write(SKILL)
    assert content(write(other)) == other.files


def test_a_skill_without_files_has_an_empty_folder() -> None:
    assert content(write(RegisteredSkill(found("b").manifest))) == {}
    assert os.path.isdir(folder_of(RegisteredSkill(found("b").manifest)))


@each_row("tamper", ["change", "add", "remove", "link", "whole"])
def test_what_somebody_changed_is_written_again(tamper: str, tmp_path: Path) -> None:
    folder = Path(write(SKILL))
    if tamper == "change":
        (folder / "main.star").write_bytes(b"x = 2\n")
    elif tamper == "add":
        (folder / "more.star").write_bytes(b"")
    elif tamper == "remove":
        (folder / "main.star").unlink()
    elif tamper == "link":
        (tmp_path / "main.star").write_bytes(FILES["main.star"])
        (folder / "main.star").unlink()
        os.symlink(tmp_path / "main.star", folder / "main.star")
    else:
        folder.rename(tmp_path / "elsewhere")
        os.symlink(tmp_path / "elsewhere", folder)
    assert write(SKILL) == str(folder)
    assert content(str(folder)) == FILES
    assert not folder.is_symlink()
    assert not (folder / "main.star").is_symlink()


@each_row("path", ["../x", "/x", "a//b", "", "a/.", "c:/x", "a\\b", "a\nb"])
def test_paths_out_of_the_skill_are_refused(path: str) -> None:
    with pytest.raises(UserError, match="is no path within the skill"):
        write(SKILL._replace(files={path: b""}))


@pytest.mark.parametrize("name", ["../x", "a/b", ".", ""])
def test_a_name_that_is_no_folder_is_refused(name: str, cache: Path) -> None:
    with pytest.raises(UserError, match="this is no name of a skill"):
        write(RegisteredSkill(found(name).manifest))
    assert not cache.exists()
