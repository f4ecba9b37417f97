"""What a colleague removed and is still here is left over: it is named, and no command lists it again."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.supply.install.declared import commit, need
from tests.supply.install.outcomes import statuses, values_of
from tests.supply.install.worlds import contents, make_workspace, skill_text, write
from tests.supply.sources.repositories import Repository, git
from tests.support import Run

pytestmark = pytest.mark.usefixtures("git_config")


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
    for command in (
        ["install"],
        ["install", "--frozen"],
        ["update"],
        ["self", "sync"],
        ["check", "--fix"],
        ["new", "c"],
    ):
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
    monkeypatch.setattr("skillbag.lint.cache.entry.SETTLED", 0)  # as if nothing had changed for two seconds
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
        run("self", "sync", cwd=removed)
        assert (removed / ".skills/SKILLS.md").read_bytes() == catalog
        assert "skillbag remove b" not in run("check", cwd=removed).out + run("list", cwd=removed).out
    write(removed, {"skillbag.lock": text})
    assert run("self", "sync", cwd=removed).code == 0


def test_a_fresh_clone_keeps_the_lines_of_what_is_not_installed_yet(run: Run, removed: Path) -> None:
    catalog = (removed / ".skills/SKILLS.md").read_bytes()
    for path in (removed / ".skills").iterdir():
        if path.is_dir():
            shutil.rmtree(path)
    report = run("check", "--fix", cwd=removed).out
    assert "fix: Install the skill (`skillbag install` brings what `skillbag.lock` has), or remove the line." in report
    (note,) = values_of(run, removed, "self", "sync")["notes"]
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
    for command in (["install"], ["update"], ["self", "sync"]):
        assert "skillbag remove a b deletes them" in values_of(run, removed, *command)["notes"][-1]


def test_what_an_own_skill_or_a_declaration_needs_is_not_left_over(run: Run, removed: Path) -> None:
    write(removed, {".skills/own/SKILL.md": skill_text("own", ["b"])})
    run("self", "sync", cwd=removed)
    assert "\nb: " in (removed / ".skills/SKILLS.md").read_text()


def test_edits_of_what_a_colleague_removed_are_the_users_own(run: Run, removed: Path) -> None:
    write(removed, {".skills/b/more.md": "Mine.\n"})
    (problem,) = values_of(run, removed, "remove", "b", code=3)["problems"]
    assert problem["clause"] == "resolution.local-edits"
    values_of(run, removed, "install")
    assert b"\nb: " in b"\n" + (removed / ".skills/SKILLS.md").read_bytes()
