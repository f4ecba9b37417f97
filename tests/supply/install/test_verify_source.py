"""What is on the disk against where it came from: what was planted or edited is found, and what is honest passes."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from tests.supply.install.outcomes import values_of
from tests.supply.install.verified import HELPER, files, relock
from tests.supply.install.worlds import call, contents, make_source, make_workspace
from tests.supply.sources.repositories import Repository, make_repository
from tests.supply.sources.servers import content, git_backend, serve
from tests.support import Run

pytestmark = pytest.mark.usefixtures("git_config")


def test_an_honest_workspace_is_verified_against_its_source(run: Run, verified: Path) -> None:
    before = contents(verified)
    code, values = call(run, verified, "verify", "--source")
    assert (code, values["problems"]) == (0, [])
    assert contents(verified) == before


def test_a_skill_that_was_edited_together_with_its_lock_is_found_at_its_source(run: Run, verified: Path) -> None:
    (verified / HELPER).write_text("def greet():\n    print('evil')\n")
    relock(verified)
    assert call(run, verified, "verify")[0] == 0, "undetectable offline"
    code, values = call(run, verified, "verify", "--source")
    (problem,) = values["problems"]
    assert (code, problem["kind"]) == (1, "drift")
    assert "scripts/helper.py" in problem["message"]
    assert "tampered" in problem["message"]
    assert not problem["fix"].startswith("skillbag update")


def test_an_edit_alone_is_reported_once(run: Run, verified: Path) -> None:
    (verified / HELPER).write_text("def greet():\n    print('mine')\n")
    code, values = call(run, verified, "verify", "--source")
    assert (code, len(values["problems"])) == (1, 1)


def test_a_locked_skill_that_its_source_never_had_is_reported(run: Run, verified: Path) -> None:
    shutil.copytree(verified / ".skills/tidy", verified / ".skills/evil")
    lock = json.loads((verified / "skillbag.lock").read_text())
    lock["skills"]["evil"] = lock["skills"]["tidy"]
    (verified / "skillbag.lock").write_text(json.dumps(lock))
    values = values_of(run, verified, "verify", "--source", code=1)
    assert [problem["message"].partition(":")[0] for problem in values["problems"]] == ["evil"]


def test_what_can_t_be_fetched_is_the_environment_s_fault(run: Run, tmp_path: Path, verified: Path) -> None:
    shutil.rmtree(os.environ["SKILLBAG_CACHE_DIR"])
    assert call(run, verified, "verify", "--source", "--offline")[0] == 4
    shutil.move(tmp_path / "repo.git", tmp_path / "gone.git")
    code, values = call(run, verified, "verify", "--source")
    assert (code, values["problems"][0]["kind"]) == (4, "fetch")


def test_a_missing_commit_may_mean_a_rewritten_history(
    run: Run, tmp_path: Path, verified: Path, tagged: Repository
) -> None:
    shutil.rmtree(tagged.path)
    shutil.rmtree(os.environ["SKILLBAG_CACHE_DIR"])
    make_repository(tagged.path, files() | {HELPER: "def greet():\n    print('new')\n"})
    values = values_of(run, verified, "verify", "--source", code=4)
    assert "rewritten" in values["problems"][0]["message"]


def test_a_zip_over_http_and_a_folder_are_compared_as_well(run: Run, tmp_path: Path, tagged: Repository) -> None:
    packed = tmp_path / "source.zip"
    tagged.git("archive", "--format=zip", "-o", str(packed), "main")
    folder = make_source(tmp_path / "folder", ["own"])
    with serve({"/source.zip": content(packed.read_bytes()), "/": git_backend(tmp_path)}) as server:
        verified = make_workspace(tmp_path / "mixed")
        assert call(run, verified, "install", "tidy", "--source", f"{server.url}/source.zip")[0] == 0
        assert call(run, verified, "install", "own", "--source", folder)[0] == 0
        assert call(run, verified, "verify", "--source")[0] == 0
        for name in ("tidy", "own"):
            with (verified / f".skills/{name}/SKILL.md").open("a") as file:
                file.write("\nMore.\n")
            relock(verified, name)
        assert call(run, verified, "verify")[0] == 0
        code, values = call(run, verified, "verify", "--source")
    assert code == 1
    assert sorted(problem["message"].partition(":")[0] for problem in values["problems"]) == ["own", "tidy"]
