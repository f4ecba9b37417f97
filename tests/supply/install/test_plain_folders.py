"""A skill that several folders of a plain repository have: the lock records one of them, and updates follow it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.supply.install.outcomes import lock_of, statuses, values_of
from tests.supply.install.plain_sources import addresses, messages, skills, take
from tests.supply.install.worlds import make_workspace, write
from tests.supply.sources.repositories import Repository, make_repository
from tests.supply.sources.servers import git_backend, serve
from tests.support import Run

pytestmark = pytest.mark.usefixtures("git_config")

FIRST, SECOND = ".claude/skills", ".codex/skills"


def files(first: str, second: str, other: str = "One.") -> dict[str, str | bytes]:
    """`tidy` in two folders, and `sweep` in one."""
    return {**skills(tidy=first, root=FIRST), **skills(tidy=second, root=SECOND), **skills(sweep=other)}


@pytest.fixture
def mirrored(tmp_path: Path) -> Repository:
    """A repository with equal copies of `tidy`."""
    return make_repository(tmp_path / "Org/repo.git", files("One.", "One."))


def body(workspace: Path, name: str) -> str:
    return (workspace / f".skills/{name}/SKILL.md").read_text("utf-8").splitlines()[-1]


def test_every_kind_of_source_has_the_folder_in_the_lock(tmp_path: Path, run: Run, mirrored: Repository) -> None:
    for number, address in enumerate(addresses(tmp_path, mirrored).values()):
        workspace = make_workspace(tmp_path / f"w{number}")
        take(run, workspace, address, "--all")
        folders = {name: locked["folder"] for name, locked in lock_of(workspace).items()}
        assert folders == {"sweep": "skills/sweep", "tidy": f"{FIRST}/tidy"}


def test_copies_that_differ_later_are_told_apart(run: Run, workspace: Path, mirrored: Repository) -> None:
    take(run, workspace, mirrored.url, "--all")
    mirrored.commit(files("Two.", "Three.", "Two."))
    assert statuses(values_of(run, workspace, "outdated")) == {"sweep": "outdated", "tidy": "outdated"}
    assert "+Two." in run("diff", "tidy", "--upstream", cwd=workspace).out
    assert statuses(values_of(run, workspace, "update", "--yes")) == {"sweep": "upgraded", "tidy": "upgraded"}
    assert (body(workspace, "tidy"), body(workspace, "sweep")) == ("Two.", "Two.")
    values_of(run, workspace, "verify", "--source")
    shutil.rmtree(workspace / ".skills/tidy")
    values_of(run, workspace, "install", "--frozen")
    assert body(workspace, "tidy") == "Two."
    shutil.rmtree(workspace / ".skills/tidy")
    values_of(run, workspace, "install")
    assert body(workspace, "tidy") == "Two."


def test_edits_are_merged_with_the_folder_of_the_lock(run: Run, workspace: Path, mirrored: Repository) -> None:
    take(run, workspace, mirrored.url, "tidy")
    write(workspace, {".skills/tidy/more.md": "Mine.\n"})
    mirrored.commit(files("Two.", "Three."))
    assert statuses(values_of(run, workspace, "update", "--merge", "tidy", "--yes"))["tidy"] == "merged"
    assert body(workspace, "tidy") == "Two."


def test_a_folder_that_is_named_is_the_one_that_is_followed(
    run: Run, workspace: Path, mirrored: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serve({"/": git_backend(tmp_path)}) as server:
        monkeypatch.setenv("SKILLBAG_CODE_HOST", server.url)
        take(run, workspace, f"Org/repo/{SECOND}/tidy")
        assert lock_of(workspace)["tidy"]["folder"] == f"{SECOND}/tidy"
        mirrored.commit(files("Two.", "Three."))
        values_of(run, workspace, "update", "--yes")
        assert body(workspace, "tidy") == "Three."
        for folder, found in ((FIRST, "Two."), (f"{SECOND}/tidy", "Three.")):
            other = make_workspace(tmp_path / found)
            take(run, other, f"Org/repo/{folder}", "tidy")
            assert body(other, "tidy") == found


def test_a_skill_that_moved_to_another_folder_is_followed(run: Run, workspace: Path, mirrored: Repository) -> None:
    take(run, workspace, mirrored.url, "tidy")
    mirrored.commit(skills(tidy="Two.", root="skills/house"))
    values_of(run, workspace, "update", "--yes")
    assert (body(workspace, "tidy"), lock_of(workspace)["tidy"]["folder"]) == ("Two.", "skills/house/tidy")


def test_one_of_several_that_moved_is_known_by_its_content(
    run: Run, workspace: Path, mirrored: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mirrored.commit({**skills(tidy="One.", root="one"), **skills(tidy="Two.", root="two")})
    with serve({"/": git_backend(tmp_path)}) as server:
        monkeypatch.setenv("SKILLBAG_CODE_HOST", server.url)
        take(run, workspace, "Org/repo/two/tidy")
        mirrored.commit({**skills(tidy="One.", root="one"), **skills(tidy="Two.", root="three")})
        values_of(run, workspace, "update", "--yes")
    assert (body(workspace, "tidy"), lock_of(workspace)["tidy"]["folder"]) == ("Two.", "three/tidy")


def test_a_skill_under_another_name_is_followed_when_it_moves(run: Run, tmp_path: Path, mirrored: Repository) -> None:
    workspace = make_workspace(tmp_path / "other")
    assert run("add", mirrored.url, "sweep", "--as", "brush", cwd=workspace).code == 0
    mirrored.commit(skills(sweep="Two.", root="docs"))
    values_of(run, workspace, "update", "--yes")
    assert (body(workspace, "brush"), lock_of(workspace)["brush"]["folder"]) == ("Two.", "docs/sweep")
    shutil.rmtree(workspace / ".skills/brush")
    values_of(run, workspace, "install", "--frozen")
    assert statuses(values_of(run, workspace, "install")) == {"brush": "current"}


def test_without_the_folder_it_is_said_where_the_others_are(run: Run, workspace: Path, mirrored: Repository) -> None:
    take(run, workspace, mirrored.url, "--all")
    others = {**skills(tidy="Two.", root="one"), **skills(tidy="Three.", root="two"), **skills(sweep="Two.")}
    mirrored.commit(others)
    (why,) = (row["why"] for row in values_of(run, workspace, "outdated")["skills"] if row["name"] == "tidy")
    assert "different skills of this name, in `one/tidy`, `two/tidy`" in why
    assert "any more" not in why
    values = values_of(run, workspace, "update", "--yes", "--accept=failures", code=1)
    assert "`one/tidy`, `two/tidy`" in messages(values)
    assert body(workspace, "sweep") == "Two."


def test_a_lock_without_folders_is_read(run: Run, workspace: Path, mirrored: Repository) -> None:
    take(run, workspace, mirrored.url, "tidy")
    lock = lock_of(workspace)
    del lock["tidy"]["folder"]
    write(workspace, {"skillbag.lock": json.dumps({"version": 1, "skills": lock})})
    assert statuses(values_of(run, workspace, "update")) == {"tidy": "current"}
    assert lock_of(workspace)["tidy"]["folder"] == f"{FIRST}/tidy"
