"""Plain repositories of Agent Skills after the installation: updates, local edits, frozen runs."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.install.plain_sources import addresses, messages, skills, take
from tests.install.worlds import (
    call,
    installed,
    lock_of,
    make_source,
    make_workspace,
    skill_text,
    snapshot,
    statuses,
    write,
)
from tests.sources.repositories import make_repository
from tests.support import Run

pytestmark = pytest.mark.usefixtures("git_config")


LINES = "".join(f"Line {number}.\n\n" for number in range(12))


def test_after_a_new_commit_update_takes_it_without_plain(tmp_path: Path, workspace: Path, run: Run) -> None:
    repo = make_repository(tmp_path / "repo.git", skills(tidy="One."))
    take(run, workspace, repo.url, "tidy")
    assert statuses(call(run, workspace, "outdated")[1]) == {"tidy": "current"}
    second = repo.commit(skills(tidy="Two."))
    assert statuses(call(run, workspace, "outdated")[1]) == {"tidy": "outdated"}
    _, values = call(run, workspace, "diff", "tidy", "--upstream")
    assert "+Two." in values["text"]
    code, values = call(run, workspace, "update", "--yes")
    assert (code, statuses(values)) == (0, {"tidy": "upgraded"})
    assert "Two." in (workspace / ".skills/tidy/SKILL.md").read_text("utf-8")
    assert lock_of(workspace)["tidy"]["resolved"] == second
    assert lock_of(workspace)["tidy"]["layout"] == "plain"
    assert call(run, workspace, "verify")[0] == 0


def test_what_has_gone_or_become_invalid_upstream_is_not_taken(tmp_path: Path, workspace: Path, run: Run) -> None:
    repo = make_repository(tmp_path / "repo.git", skills("tidy", "sweep"))
    take(run, workspace, repo.url, "tidy", "sweep")
    repo.commit({**skills("sweep"), "skills/tidy/SKILL.md": "---\nname: tidy\n---\n"})
    before = snapshot(workspace / ".skills")
    assert call(run, workspace, "update", "--yes")[0] == 1
    repo.commit(skills("sweep"))
    assert statuses(call(run, workspace, "outdated")[1]) == {"sweep": "current", "tidy": "outdated"}
    assert call(run, workspace, "update", "--yes")[0] == 1
    assert snapshot(workspace / ".skills") == before


def test_a_repository_may_become_a_skillbag_source(tmp_path: Path, workspace: Path, run: Run) -> None:
    repo = make_repository(tmp_path / "repo.git", skills(tidy="One."))
    take(run, workspace, repo.url, "tidy")
    folder = make_source(tmp_path / "source", {"tidy": skill_text("tidy", body="Two.")})
    repo.commit({str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()})
    assert call(run, workspace, "update", "--yes")[0] == 0
    assert "layout" not in lock_of(workspace)["tidy"]


def test_local_edits_are_kept_overwritten_or_merged(tmp_path: Path, workspace: Path, run: Run) -> None:
    repo = make_repository(tmp_path / "repo.git", skills(tidy=LINES))
    take(run, workspace, repo.url, "tidy")
    file = workspace / ".skills/tidy/SKILL.md"
    file.write_text(file.read_text("utf-8") + "\nMine.\n", "utf-8")
    repo.commit(skills(tidy=LINES.replace("Line 0.", "Line nought.")))
    assert statuses(call(run, workspace, "update", "--yes")[1]) == {"tidy": "edited"}
    assert file.read_text("utf-8").endswith("Mine.\n")
    code, values = call(run, workspace, "update", "--merge", "tidy", "--yes")
    assert (code, statuses(values)) == (0, {"tidy": "merged"})
    assert "Line nought." in file.read_text("utf-8")
    assert file.read_text("utf-8").endswith("Mine.\n")
    assert lock_of(workspace)["tidy"]["layout"] == "plain"
    code, values = call(run, workspace, "install", "--overwrite", "tidy")
    assert (code, statuses(values)) == (0, {"tidy": "overwritten"})
    assert "Mine." not in file.read_text("utf-8")
    assert values["backups"]


def test_a_frozen_install_restores_what_the_lock_says(tmp_path: Path, run: Run) -> None:
    repo = make_repository(tmp_path / "repo.git", skills(tidy="One."))
    for address in addresses(tmp_path, repo).values():
        workspace = make_workspace(tmp_path / "w")
        take(run, workspace, address, "tidy")
        before = (workspace / "skillbag.lock").read_bytes()
        shutil.rmtree(workspace / ".skills/tidy")
        assert call(run, workspace, "install", "--frozen")[0] == 0
        assert installed(workspace) == ["tidy"]
        shutil.rmtree(workspace / ".skills/tidy")
        assert call(run, workspace, "install")[0] == 0
        assert (workspace / "skillbag.lock").read_bytes() == before
        shutil.rmtree(workspace)


def test_a_folder_that_has_moved_on_is_drift_when_frozen(tmp_path: Path, workspace: Path, run: Run) -> None:
    folder = write(tmp_path / "plain", skills(tidy="One."))
    take(run, workspace, folder, "tidy")
    shutil.rmtree(workspace / ".skills/tidy")
    write(folder, skills(tidy="Two."))
    assert call(run, workspace, "install", "--frozen")[0] == 1
    assert installed(workspace) == []


def test_one_invalid_skill_stops_all_that_are_asked_for(tmp_path: Path, workspace: Path, run: Run) -> None:
    folder = write(
        tmp_path / "plain", {**skills("tidy", "sweep"), "skills/bad/SKILL.md": "---\nname: bad\n---\n\nX.\n"}
    )
    before = snapshot(workspace)
    for names in (["tidy", "bad"], ["--all"]):
        values = take(run, workspace, folder, *names, code=1)
        assert "skills/bad/SKILL.md" in messages(values)
        assert snapshot(workspace) == before
    take(run, workspace, folder, "tidy", "sweep")
    assert installed(workspace) == ["sweep", "tidy"]


def test_keys_of_vendors_are_no_fault(tmp_path: Path, run: Run) -> None:
    text = skill_text("tidy").replace(
        "---\n\n#", "model: opus\nallowed-tools: Read, Bash(git:*)\ncontext: fork\n---\n\n#"
    )
    assert "model" in text
    take(run, make_workspace(tmp_path / "w"), write(tmp_path / "plain", {"skills/tidy/SKILL.md": text}), "tidy")
