"""What nobody edited is not called edited: another lock comes with git, the folders in `.skills/` do not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from skillbag.kernel.transaction.trees import state_of
from tests.supply.install.declared import body_of, commit, need
from tests.supply.install.outcomes import lock_of, statuses, values_of
from tests.supply.install.plain_sources import skills
from tests.supply.install.worlds import call, contents, make_workspace, skill_text, unchanged, write
from tests.supply.sources.repositories import Repository, git
from tests.support import Run

pytestmark = pytest.mark.usefixtures("git_config")


@pytest.fixture
def pulled(run: Run, tmp_path: Path, moving: Repository) -> Iterator[Path]:
    """A workspace with `a` and `b`, and the lock of a colleague who has updated `b`; `.skills/` is not in git."""
    declared = [need("a", moving.url, "main")]
    here, there = (make_workspace(tmp_path / name, declared) for name in ("work", "colleague"))
    values_of(run, here, "install")
    commit(moving, {"a": skill_text("a", ["b"]), "b": skill_text("b", body="Two.")})
    values_of(run, there, "install")
    write(here, {"skillbag.lock": (there / "skillbag.lock").read_bytes()})
    yield here
    assert body_of(there, "b") == "Two."


def test_frozen_installs_what_a_pulled_lock_records(run: Run, pulled: Path) -> None:
    lock = (pulled / "skillbag.lock").read_bytes()
    assert statuses(values_of(run, pulled, "install", "--frozen")) == {"a": "current", "b": "upgraded"}
    assert body_of(pulled, "b") == "Two."
    assert (pulled / "skillbag.lock").read_bytes() == lock
    assert statuses(values_of(run, pulled, "verify")) == {"a": "current", "b": "current"}


def test_install_takes_what_a_pulled_lock_records_and_update_moves_on(
    run: Run, pulled: Path, moving: Repository
) -> None:
    lock = lock_of(pulled)
    commit(moving, {"a": skill_text("a", ["b"]), "b": skill_text("b", body="Three.")})
    with unchanged(pulled):
        (question,) = values_of(run, pulled, "update", code=3)["problems"]
    assert question["message"] == "this replaces b; go ahead?"
    # A colleague has agreed to what the lock records.
    assert statuses(values_of(run, pulled, "install"))["b"] == "upgraded"
    assert (body_of(pulled, "b"), lock_of(pulled)) == ("Two.", lock)
    assert statuses(values_of(run, pulled, "update", "--yes"))["b"] == "upgraded"
    assert body_of(pulled, "b") == "Three."


def test_an_update_replaces_the_older_version_at_once(run: Run, pulled: Path) -> None:
    assert statuses(values_of(run, pulled, "update", "--yes"))["b"] == "upgraded"
    assert body_of(pulled, "b") == "Two."


def test_queries_call_it_outdated(run: Run, pulled: Path) -> None:
    for command, code in (("list", 0), ("outdated", 0), ("verify", 1), ("diff", 0)):
        values = values_of(run, pulled, command, *(["b"] if command == "diff" else []), code=code)
        assert statuses(values)["b"] == "outdated", command
    (problem,) = values_of(run, pulled, "verify", code=1)["problems"]
    assert problem["message"] == "b: another version than skillbag.lock records is installed here"
    assert problem["fix"] == "skillbag install takes the recorded one."
    (problem,) = values_of(run, pulled, "outdated", "--strict", code=1)["problems"]
    assert problem["fix"] == "skillbag install takes the recorded one."
    (row,) = (row for row in values_of(run, pulled, "install", "--except", "b")["skills"] if row["name"] == "b")
    assert row["status"] == "outdated"


def test_it_is_removed_without_a_question(run: Run, pulled: Path) -> None:
    assert statuses(values_of(run, pulled, "remove", "b", "--force")) == {"b": "removed"}


@pytest.mark.parametrize("command", [("install", "--frozen"), ("install", "--yes"), ("update", "--yes")])
def test_edits_of_the_older_version_stay(run: Run, pulled: Path, command: tuple[str, ...]) -> None:
    write(pulled, {".skills/b/more.md": "Mine.\n"})
    values = call(run, pulled, *command)[1]
    assert (pulled / ".skills/b/more.md").read_text() == "Mine.\n"
    assert values["exit"] == (1 if "--frozen" in command else 0)
    assert statuses(values_of(run, pulled, "list"))["b"] == "edited"


DAMAGED: list[Any] = ["", "{", "[]", '{"version": 2, "trees": {}}', '{"version": 1, "trees": []}', "[" * 100_000]


@pytest.mark.parametrize("text", [*DAMAGED, '{"version": 1, "trees": {".skills/b": "sha256:"}}'])
def test_without_its_record_the_older_version_counts_as_edited(
    run: Run, pulled: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str
) -> None:
    state = tmp_path / "state"
    monkeypatch.setenv("SKILLBAG_STATE_DIR", str(state))
    values_of(run, pulled, "install", "--except", "b")
    (record,) = (state / "placed").iterdir()
    record.write_text(text)
    why = "it differs from skillbag.lock: it was edited, or is another version that something else put here"
    (row,) = (row for row in values_of(run, pulled, "list")["skills"] if row["name"] == "b")
    assert (row["status"], row["why"]) == ("edited", why)
    (row,) = (row for row in values_of(run, pulled, "install")["skills"] if row["name"] == "b")
    assert row["why"] == f"{why}, so it stays; --overwrite b takes the recorded version and keeps a copy"
    assert statuses(values_of(run, pulled, "update", "--yes"))["b"] == "edited"
    assert json.loads(record.read_text())["version"] == 1


@pytest.fixture
def elsewhere(pulled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moving: Repository) -> Path:
    """The workspace with two versions of the lock in git, and without a record of what was installed."""
    theirs = (pulled / "skillbag.lock").read_bytes()
    older = {**lock_of(pulled)["b"], "tree": state_of(str(pulled / ".skills/b"))}
    mine = json.dumps({"version": 1, "skills": {**lock_of(pulled), "b": older}})
    git(pulled, "init", "-q")
    for lock in (mine.encode(), b"<<<<<<< ours", b'{"skills": []}', theirs):
        write(pulled, {"skillbag.lock": lock})
        git(pulled, "add", "skillbag.lock")
        git(pulled, "commit", "-qm", "lock")
    monkeypatch.setenv("SKILLBAG_STATE_DIR", str(tmp_path / "state"))
    return pulled.rename(tmp_path / "moved")


def test_what_the_lock_recorded_in_an_earlier_commit_was_not_edited(run: Run, elsewhere: Path) -> None:
    assert statuses(values_of(run, elsewhere, "list"))["b"] == "outdated"
    assert statuses(values_of(run, elsewhere, "install", "--frozen"))["b"] == "upgraded"


def test_an_edit_of_what_an_earlier_lock_recorded_stays(run: Run, elsewhere: Path) -> None:
    write(elsewhere, {".skills/b/more.md": "Mine.\n"})
    assert statuses(values_of(run, elsewhere, "install", "--yes"))["b"] == "edited"
    assert (elsewhere / ".skills/b/more.md").read_text() == "Mine.\n"


def test_a_declared_skill_that_the_lock_lost_in_a_merge_is_locked_again(
    run: Run, tmp_path: Path, moving: Repository
) -> None:
    workspace = make_workspace(tmp_path / "work", [need("a", moving.url, "main")])
    write(workspace, {".skills/own/SKILL.md": skill_text("own")})
    values_of(run, workspace, "install")
    lock, catalog = lock_of(workspace), (workspace / ".skills/SKILLS.md").read_text()
    for lost in (["a"], ["b"], ["a", "b"]):
        kept = {name: locked for name, locked in lock.items() if name not in lost}
        lines = "".join(line for line in catalog.splitlines(keepends=True) if line.split(":")[0] not in lost)
        write(workspace, {"skillbag.lock": json.dumps({"version": 1, "skills": kept}), ".skills/SKILLS.md": lines})
        assert statuses(values_of(run, workspace, "install")) == {"a": "current", "b": "current"}
        assert (lock_of(workspace), (workspace / ".skills/SKILLS.md").read_text()) == (lock, catalog)
    write(workspace, {"skillbag.lock": json.dumps({"version": 1, "skills": {}}), ".skills/a/more.md": "Mine.\n"})
    assert statuses(values_of(run, workspace, "install"))["a"] == "skipped"
    assert "a" not in lock_of(workspace)


def test_copies_for_agents_that_nobody_edited_are_renewed(run: Run, tmp_path: Path) -> None:
    here, there = (write(make_workspace(tmp_path / name), {".skills/a/SKILL.md": skill_text("a")}) for name in "ht")
    assert run("link", "--agents", "claude", "--copy", cwd=here).code == 0
    for folder in (here, there):
        write(folder, {".skills/a/SKILL.md": skill_text("a", body="Two.")})
    assert run("link", "--agents", "claude", "--copy", cwd=there).code == 0
    write(here, {"skillbag.lock": (there / "skillbag.lock").read_bytes()})
    assert run("link", cwd=here).code == 0
    assert contents(here / ".claude") == contents(there / ".claude")
    moved = here.rename(tmp_path / "moved")
    git(moved, "init", "-q")
    for body in ("Two.", "Three."):
        write(there, {".skills/a/SKILL.md": skill_text("a", body=body)})
        assert run("link", cwd=there).code == 0
        write(moved, {"skillbag.lock": (there / "skillbag.lock").read_bytes()})
        git(moved, "add", "skillbag.lock")
        git(moved, "commit", "-qm", body)
    write(moved, {".skills/a/SKILL.md": skill_text("a", body="Three.")})
    assert run("link", cwd=moved).code == 0
    assert contents(moved / ".claude") == contents(there / ".claude")
    here = moved
    write(here, {".claude/skills/a/SKILL.md": "Mine.\n", ".skills/a/SKILL.md": skill_text("a", body="Three.")})
    run("link", cwd=here)
    assert (here / ".claude/skills/a/SKILL.md").read_text() == "Mine.\n"


def test_frozen_restores_the_folder_of_an_agent_that_git_does_not_carry(run: Run, tmp_path: Path) -> None:
    write(tmp_path / "one", skills("tidy"))
    here = write(tmp_path / "work", skills("own", root=".claude/skills"))
    assert run("add", "../one", "tidy", cwd=here).code == 0
    clone = write(tmp_path / "clone", {"skillbag.lock": (here / "skillbag.lock").read_bytes()})
    (tmp_path / "one").rename(tmp_path / "away")
    with unchanged(clone):
        assert call(run, clone, "install", "--frozen")[0] == 4
    (tmp_path / "away").rename(tmp_path / "one")
    assert statuses(values_of(run, clone, "install", "--frozen")) == {"tidy": "installed"}
    assert contents(clone / ".claude/skills/tidy") == contents(here / ".claude/skills/tidy")
    assert not (clone / ".skills").exists()
    assert statuses(values_of(run, clone, "verify")) == {"tidy": "current"}
