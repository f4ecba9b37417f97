"""The commands that reports suggest run as they stand, for skills of every kind of source."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.supply.install.declared import need
from tests.supply.install.outcomes import lock_of, values_of
from tests.supply.install.plain_sources import skills
from tests.supply.install.worlds import call, make_workspace, skill_text, source_files, write
from tests.supply.sources.repositories import Repository, make_repository
from tests.support import Run

pytestmark = pytest.mark.usefixtures("git_config")

_COMMAND = re.compile(r"skillbag ((?:add|diff|install|list|remove|sync|update)\b.*?)(?= takes| brings|`|; |\. |\.?$)")


def texts(value: Any) -> list[str]:
    """All texts of a JSON value."""
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for each in inner for text in texts(each)]


def suggested(values: Any) -> list[list[str]]:
    """The commands in these texts, as words."""
    return [shlex.split(found[1]) for text in texts(values) for found in _COMMAND.finditer(text)]


def works(run: Run, workspace: Path, words: list[str]) -> None:
    """The command could be carried out."""
    more = ["--dry-run", "--yes"] if words[0] in ("add", "install", "update") else []
    ended = run(*words, *more, cwd=workspace)
    assert ended.code == 0, (words, ended)


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    """A SkillBag source whose folder has a blank, at the tag `v1`; its branch and `v2` have gone on."""
    return moved(make_repository(tmp_path / "my sources/repo.git"), source_files)


@pytest.fixture
def plain(tmp_path: Path) -> Repository:
    """The same as a plain repository."""
    return moved(make_repository(tmp_path / "my sources/plain.git"), texts_of)


def texts_of(found: dict[str, str]) -> dict[str, str]:
    return {f"skills/{name}/SKILL.md": text for name, text in found.items()}


def moved(repo: Repository, layout: Callable[[dict[str, str]], dict[str, str]]) -> Repository:
    for tag, body in (("v1", "One."), ("v2", "Two.")):
        repo.git("tag", tag, repo.commit(layout({name: skill_text(name, body=body) for name in ("tidy", "sweep")})))
    return repo


def first(repo: Repository) -> str:
    return repo.git("rev-parse", "v1").strip()


PINNED = ["declared", "requested", "commit", "dependency", "plain", "plain commit", "plain declared"]


def pinned(run: Run, workspace: Path, how: str, repo: Repository, plain: Repository) -> None:
    """Install `tidy` at a fixed version of a source."""
    if how == "declared":
        make_workspace(workspace, [need("tidy", repo.url, "v1")])
        values_of(run, workspace, "install")
    elif how == "dependency":
        needs = {"name": "tidy", "source": repo.url, "version": "v1"}
        other = write(workspace.parent / "other", source_files({"dust": skill_text("dust", [needs])}))
        values_of(run, workspace, "install", "dust", "--source", other)
    else:
        source = plain if "plain" in how else repo
        version = first(source) if "commit" in how else "v1"
        values_of(run, workspace, "install", "tidy", "--source", source.url, "--version", version)
    if how == "plain declared":
        make_workspace(workspace, [need("tidy", plain.url, "v1")])
        values_of(run, workspace, "install")


@pytest.mark.parametrize("how", PINNED)
def test_a_newer_version_than_the_pinned_one_is_taken_by_what_outdated_says(
    run: Run, workspace: Path, how: str, repo: Repository, plain: Repository
) -> None:
    pinned(run, workspace, how, repo, plain)
    values = values_of(run, workspace, "outdated")
    (words,) = suggested(values["skills"])
    works(run, workspace, words)
    values_of(run, workspace, *words, "--yes")
    assert "Two." in (workspace / ".skills/tidy/SKILL.md").read_text()
    assert (f"version: {words[-1]}" in context(workspace)) == (how == "declared")


def context(workspace: Path) -> str:
    path = workspace / "CONTEXT.md"
    return path.read_text() if path.exists() else ""


@pytest.mark.parametrize("how", ["declared", "requested", "plain"])
@pytest.mark.parametrize("command", [("verify", "--source"), ("install", "--frozen")])
def test_a_lock_that_contradicts_its_source_is_cured_by_what_is_said(
    run: Run, workspace: Path, how: str, command: tuple[str, ...], repo: Repository, plain: Repository
) -> None:
    pinned(run, workspace, how, repo, plain)
    lock = lock_of(workspace)
    lock["tidy"]["tree"] = f"sha256:{'0' * 64}"
    write(workspace, {"skillbag.lock": json.dumps({"version": 1, "skills": lock}), ".skills/tidy/more.md": "x\n"})
    (workspace / ".skills/tidy/more.md").unlink()
    if command[0] == "install":
        for path in sorted((workspace / ".skills/tidy").rglob("*")):
            path.unlink()
        (workspace / ".skills/tidy").rmdir()
    _, values = call(run, workspace, *command)
    words = [found for found in suggested(values["problems"]) if found[0] == "install" and "--overwrite" in found][-1]
    del lock["tidy"]
    write(workspace, {"skillbag.lock": json.dumps({"version": 1, "skills": lock}), ".skills/tidy/x.md": "x\n"})
    works(run, workspace, words)


@pytest.mark.parametrize("options", [(), ("plain",), ("--version", "v1"), ("plain", "--version", "v1")])
def test_the_example_of_which_skills_runs(
    run: Run, workspace: Path, options: tuple[str, ...], repo: Repository, plain: Repository
) -> None:
    source = plain if "plain" in options else repo
    more = [word for word in options if word != "plain"]
    values = values_of(run, workspace, "install", "--source", source.url, *more, code=2)
    (words,) = suggested(values["problems"])
    works(run, workspace, words)
    assert ("--version" in words) == ("--version" in options)


def test_the_hint_to_plain_skills_runs(run: Run, workspace: Path, tmp_path: Path) -> None:
    folder = write(tmp_path / "a folder", skills("tidy"))
    make_workspace(workspace, [need("tidy", str(folder), "v 1")])
    words = suggested(values_of(run, workspace, "install", code=1)["problems"])[0]
    assert words[0] == "add"
    (workspace / "CONTEXT.md").unlink()
    works(run, workspace, words)


def test_what_is_said_of_a_skill_that_stays_can_be_done(run: Run, workspace: Path, repo: Repository) -> None:
    values_of(run, workspace, "install", "tidy", "--source", repo.url, "--version", "v1")
    make_workspace(workspace, [need("tidy", repo.url, "v2")])
    (row,) = values_of(run, workspace, "install")["skills"]
    assert row["status"] == "skipped"
    (words,) = suggested(row["why"])
    works(run, workspace, words)
    assert values_of(run, workspace, *words, "--yes")["skills"][0]["status"] == "upgraded"


def test_nothing_is_suggested_for_a_broken_skill_without_a_source(run: Run, workspace: Path, repo: Repository) -> None:
    write(workspace, {".skills/tidy/SKILL.md": "No front matter.\n"})
    rows = values_of(run, workspace, "install", "tidy")["skills"]
    assert [row["why"] for row in rows] == ["it can't be read as a skill"]
    values_of(run, workspace, "install", "--overwrite", "tidy", code=2)
    (row,) = values_of(run, workspace, "install", "tidy", "--source", repo.url)["skills"]
    assert "--overwrite tidy" in row["why"]
    values_of(run, workspace, "install", "tidy", "--source", repo.url, "--overwrite", "tidy", "--dry-run")
