"""What nobody edited is not called edited: another lock comes with git, the folders in `.skills/` do not."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from skillbag.transaction.state import state_of
from tests.install.declared import body_of, commit, need
from tests.install.outcomes import lock_of, statuses, values_of
from tests.install.worlds import call, contents, make_workspace, skill_text, unchanged, write
from tests.sources.repositories import Repository, git
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
    with unchanged(pulled):
        (question,) = values_of(run, pulled, "install", code=3)["problems"]
    assert question["message"] == "this replaces b; go ahead?"
    commit(moving, {"a": skill_text("a", ["b"]), "b": skill_text("b", body="Three.")})
    assert statuses(values_of(run, pulled, "install", "--yes"))["b"] == "upgraded"
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
    why = "it differs from skillbag.lock, and whether it was edited is not known"
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


@pytest.mark.parametrize("options", [(), ("--copy",)])
def test_links_and_copies_of_what_a_colleague_removed_go(
    run: Run, tmp_path: Path, moving: Repository, options: tuple[str, ...]
) -> None:
    commit(moving, {"a": skill_text("a"), "b": skill_text("b")})
    declared = [need("a", moving.url, "main"), need("b", moving.url, "main")]
    here, there = (make_workspace(tmp_path / name, declared) for name in ("work", "colleague"))
    for root in (here, there):
        values_of(run, root, "install")
        assert run("link", "--agents", "claude", *options, cwd=root).code == 0
    write(here, {".claude/skills/mine/SKILL.md": skill_text("mine")})
    values_of(run, there, "remove", "b")
    for name in ("skillbag.lock", "CONTEXT.md", ".skills/SKILLS.md"):
        write(here, {name: (there / name).read_bytes()})
    assert "left" not in run("link", cwd=here).out
    values_of(run, here, "remove", "b")
    assert not os.path.lexists(here / ".claude/skills/b")
    assert (here / "skillbag.lock").read_bytes() == (there / "skillbag.lock").read_bytes()
    assert (here / ".claude/skills/mine").exists()


@pytest.fixture
def removed(run: Run, tmp_path: Path, moving: Repository) -> Path:
    """A workspace with `a` and `b`, and the files of a colleague who has removed `b`; `.skills/b` is not in git."""
    declared = [need("a", moving.url, "main"), need("b", moving.url, "main")]
    commit(moving, {"a": skill_text("a"), "b": skill_text("b")})
    here, there = (make_workspace(tmp_path / name, declared) for name in ("work", "colleague"))
    for root in (here, there):
        values_of(run, root, "install")
    values_of(run, there, "remove", "b")
    git(here, "init", "-q")
    git(here, "add", "skillbag.lock")
    git(here, "commit", "-qm", "lock")
    write(here, {name: (there / name).read_bytes() for name in ("skillbag.lock", "CONTEXT.md", ".skills/SKILLS.md")})
    return here


def test_what_a_colleague_removed_gets_no_line_again_and_goes_without_a_question(run: Run, removed: Path) -> None:
    (note,) = values_of(run, removed, "install")["notes"]
    assert note == "Installed here, and no longer in skillbag.lock: b. skillbag remove b deletes it."
    (row,) = (row for row in values_of(run, removed, "list")["skills"] if row["name"] == "b")
    assert row["why"] == "it was installed here and is no longer in skillbag.lock; skillbag remove b deletes it"
    assert statuses(values_of(run, removed, "remove", "b")) == {"b": "removed"}


@pytest.mark.parametrize("has_record", [True, False])
def test_no_command_writes_a_line_for_what_a_colleague_removed(
    run: Run, removed: Path, has_record: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not has_record:
        monkeypatch.setenv("SKILLBAG_STATE_DIR", str(removed.parent / "state"))
    catalog = (removed / ".skills/SKILLS.md").read_bytes()
    for command in (["install"], ["install", "--frozen"], ["update"], ["sync"], ["check", "--fix"], ["new", "c"]):
        outcome = run(*command, cwd=removed)
        assert "skillbag remove b" in outcome.out or command == ["new", "c"], command
        assert b"\nb: " not in (removed / ".skills/SKILLS.md").read_bytes(), command
    shutil.rmtree(removed / ".skills/c")
    (removed / ".skills/SKILLS.md").unlink()
    run("check", "--fix", cwd=removed)
    assert (removed / ".skills/SKILLS.md").read_bytes() == catalog
    assert "missing from the catalog, and from `skillbag.lock`" in run("check", cwd=removed).out


def test_what_an_older_version_on_the_disk_needs_gets_no_line(run: Run, tmp_path: Path, moving: Repository) -> None:
    declared = [need("a", moving.url, "main")]
    here, there = (make_workspace(tmp_path / name, declared) for name in ("work", "colleague"))
    for root in (here, there):
        values_of(run, root, "install")
    commit(moving, {"a": skill_text("a", body="Alone."), "b": skill_text("b")})
    values_of(run, there, "update", "--yes")
    values_of(run, there, "remove", "b")
    write(here, {name: (there / name).read_bytes() for name in ("skillbag.lock", ".skills/SKILLS.md")})
    values_of(run, here, "install", "--yes")
    assert contents(here / ".skills")["SKILLS.md"] == contents(there / ".skills")["SKILLS.md"]
    (row,) = (row for row in values_of(run, here, "update", "b")["skills"] if row["name"] == "b")
    assert row["why"] == "it was installed here and is no longer in skillbag.lock; skillbag remove b deletes it"


def test_what_is_left_over_is_asked_again_at_each_check(
    run: Run, removed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.rmtree(removed / ".git")
    git(removed, "init", "-q")
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)  # what git says under these is never remembered
    monkeypatch.setattr("skillbag.cache.entry.SETTLED", 0)  # as if nothing had changed for two seconds
    record = Path(os.environ["SKILLBAG_STATE_DIR"], "placed")
    record.rename(record.with_name("away"))
    assert "`skillbag remove b`" not in run("check", cwd=removed).out
    record.with_name("away").rename(record)
    assert "`skillbag remove b`" in run("check", cwd=removed).out


def test_a_merge_conflict_brings_no_line_back(run: Run, removed: Path) -> None:
    catalog = (removed / ".skills/SKILLS.md").read_bytes()
    for name in ("CONTEXT.md", "skillbag.lock"):
        text = (removed / name).read_text()
        write(
            removed,
            {name: text.replace("dependencies:", "dependencies:\n<<<<<<< ours").replace("{", "<<<<<<< ours", 1)},
        )
        run("check", "--fix", cwd=removed)
        run("sync", cwd=removed)
        assert (removed / ".skills/SKILLS.md").read_bytes() == catalog
        assert "skillbag remove b" not in run("check", cwd=removed).out + run("list", cwd=removed).out
    write(removed, {"skillbag.lock": text})
    assert run("sync", cwd=removed).code == 0


def test_a_fresh_clone_keeps_the_lines_of_what_is_not_installed_yet(run: Run, removed: Path) -> None:
    catalog = (removed / ".skills/SKILLS.md").read_bytes()
    for path in (removed / ".skills").iterdir():
        if path.is_dir():
            shutil.rmtree(path)
    report = run("check", "--fix", cwd=removed).out
    assert "fix: Run `skillbag install`, which brings what `skillbag.lock` has." in report
    (note,) = values_of(run, removed, "sync")["notes"]
    assert note == "The catalog is in sync. Not installed: `a`; skillbag install brings what skillbag.lock has."
    assert (removed / ".skills/SKILLS.md").read_bytes() == catalog
    write(removed, {"skillbag.lock": '{"skills": {}, "version": 1}\n'})
    run("check", "--fix", cwd=removed)
    assert b"\na: " not in b"\n" + (removed / ".skills/SKILLS.md").read_bytes()


def test_the_last_skill_that_a_colleague_removed_is_named(run: Run, removed: Path) -> None:
    write(
        removed,
        {"CONTEXT.md": "# Context\n", "skillbag.lock": '{"skills": {}, "version": 1}\n', ".skills/SKILLS.md": ""},
    )
    for command in ("install", "update", "sync"):
        assert "skillbag remove a b deletes them" in values_of(run, removed, command)["notes"][-1]


def test_what_an_own_skill_or_a_declaration_needs_is_not_left_over(run: Run, removed: Path) -> None:
    write(removed, {".skills/own/SKILL.md": skill_text("own", ["b"])})
    run("sync", cwd=removed)
    assert "\nb: " in (removed / ".skills/SKILLS.md").read_text()


def test_edits_of_what_a_colleague_removed_are_the_users_own(run: Run, removed: Path) -> None:
    write(removed, {".skills/b/more.md": "Mine.\n"})
    (problem,) = values_of(run, removed, "remove", "b", code=3)["problems"]
    assert problem["clause"] == "resolution.local-edits"
    values_of(run, removed, "install")
    assert b"\nb: " in b"\n" + (removed / ".skills/SKILLS.md").read_bytes()
