"""What is on the disk against where it came from: what was planted or edited is found, and what is honest passes."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from tests.install.verified import HELPER, SCRIPT, files, relock
from tests.install.worlds import call, contents, make_source, make_workspace, values_of
from tests.sources.repositories import Repository, make_repository
from tests.sources.servers import content, git_backend, serve
from tests.support import Run

pytestmark = pytest.mark.usefixtures("git_config")


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """A repository with the source, at the tag `v1`."""
    repo = make_repository(tmp_path / "repo.git", files(), executable=[SCRIPT])
    repo.git("tag", "v1", "refs/heads/main")
    return repo


@pytest.fixture
def workspace(run: Run, tmp_path: Path, repository: Repository) -> Path:
    """A workspace with the skill of the repository."""
    folder = make_workspace(tmp_path / "work", [{"name": "tidy", "version": "v1", "source": repository.url}])
    assert call(run, folder, "install")[0] == 0
    return folder


def test_an_honest_workspace_is_verified_against_its_source(run: Run, workspace: Path) -> None:
    before = contents(workspace)
    code, values = call(run, workspace, "verify", "--source")
    assert (code, values["problems"]) == (0, [])
    assert contents(workspace) == before


def test_a_skill_that_was_edited_together_with_its_lock_is_found_at_its_source(run: Run, workspace: Path) -> None:
    (workspace / HELPER).write_text("def greet():\n    print('evil')\n")
    relock(workspace)
    assert call(run, workspace, "verify")[0] == 0, "offline nobody can know"
    code, values = call(run, workspace, "verify", "--source")
    (problem,) = values["problems"]
    assert (code, problem["kind"]) == (1, "drift")
    assert "scripts/helper.py" in problem["message"]
    assert "tampered" in problem["message"]
    assert not problem["fix"].startswith("skillbag update")


def test_an_edit_alone_is_told_once(run: Run, workspace: Path) -> None:
    (workspace / HELPER).write_text("def greet():\n    print('mine')\n")
    code, values = call(run, workspace, "verify", "--source")
    assert (code, len(values["problems"])) == (1, 1)


def test_a_locked_skill_that_its_source_never_had_is_told(run: Run, workspace: Path) -> None:
    shutil.copytree(workspace / ".skills/tidy", workspace / ".skills/evil")
    lock = json.loads((workspace / "skillbag.lock").read_text())
    lock["skills"]["evil"] = lock["skills"]["tidy"]
    (workspace / "skillbag.lock").write_text(json.dumps(lock))
    values = values_of(run, workspace, "verify", "--source", code=1)
    assert [problem["message"].partition(":")[0] for problem in values["problems"]] == ["evil"]


def test_what_can_t_be_fetched_is_the_environment_s_fault(run: Run, tmp_path: Path, workspace: Path) -> None:
    shutil.rmtree(os.environ["SKILLBAG_CACHE_DIR"])
    assert call(run, workspace, "verify", "--source", "--offline")[0] == 4
    shutil.move(tmp_path / "repo.git", tmp_path / "gone.git")
    code, values = call(run, workspace, "verify", "--source")
    assert (code, values["problems"][0]["kind"]) == (4, "fetch")


def test_a_missing_commit_may_mean_a_rewritten_history(
    run: Run, tmp_path: Path, workspace: Path, repository: Repository
) -> None:
    shutil.rmtree(repository.path)
    shutil.rmtree(os.environ["SKILLBAG_CACHE_DIR"])
    make_repository(repository.path, files() | {HELPER: "def greet():\n    print('new')\n"})
    values = values_of(run, workspace, "verify", "--source", code=4)
    assert "rewritten" in values["problems"][0]["message"]


def test_a_zip_over_http_and_a_folder_are_compared_as_well(run: Run, tmp_path: Path, repository: Repository) -> None:
    packed = tmp_path / "source.zip"
    repository.git("archive", "--format=zip", "-o", str(packed), "main")
    folder = make_source(tmp_path / "folder", ["own"])
    with serve({"/source.zip": content(packed.read_bytes()), "/": git_backend(tmp_path)}) as server:
        workspace = make_workspace(tmp_path / "mixed")
        assert call(run, workspace, "install", "tidy", "--source", f"{server.url}/source.zip")[0] == 0
        assert call(run, workspace, "install", "own", "--source", folder)[0] == 0
        assert call(run, workspace, "verify", "--source")[0] == 0
        for name in ("tidy", "own"):
            with (workspace / f".skills/{name}/SKILL.md").open("a") as file:
                file.write("\nMore.\n")
            relock(workspace, name)
        assert call(run, workspace, "verify")[0] == 0
        code, values = call(run, workspace, "verify", "--source")
    assert code == 1
    assert sorted(problem["message"].partition(":")[0] for problem in values["problems"]) == ["own", "tidy"]
