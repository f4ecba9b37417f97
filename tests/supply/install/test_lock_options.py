"""What the options of an installation change in the lock; and locks that can't be trusted."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.supply.install.declared import body_of, commit, declare, need, works
from tests.supply.install.outcomes import checks, lock_of, statuses, values_of
from tests.supply.install.worlds import STEPS, call, contents, make_source, make_workspace, skill_text, unchanged, write
from tests.supply.sources.repositories import make_repository
from tests.support import Run


def test_a_version_on_the_command_line_changes_what_is_installed(run: Run, tmp_path: Path, workspace: Path) -> None:
    source = make_repository(tmp_path / "source.git")
    for number in ("1", "2"):
        source.git("tag", f"v{number}", commit(source, {"a": skill_text("a", body=f"Version {number}.")}))
    works(run, workspace, "install", "a", "--source", source.url, "--version", "v1")
    assert works(run, workspace, "install", "a", "--version", "v2", "--yes") == {"a": "upgraded"}
    assert (body_of(workspace, "a"), lock_of(workspace)["a"]["requested"]) == ("Version 2.", "v2")
    assert works(run, workspace, "update", "a", "--version", "v1", "--yes") == {"a": "upgraded"}
    assert body_of(workspace, "a") == "Version 1."


def test_a_changed_declaration_waits_for_an_update_and_is_drift_until_then(run: Run, tmp_path: Path) -> None:
    make_source(tmp_path / "one", {"a": skill_text("a", body="Of one.")})
    make_source(tmp_path / "two", {"a": skill_text("a", body="Of two.")})
    workspace = make_workspace(tmp_path / "work", [need("a", "../one", "m")])
    works(run, workspace, "install")
    for declared, reason in ((need("a", "../two", "m"), "../two m"), (need("a", "../one", "n"), "n is declared")):
        declare(workspace, declared)
        code, values = call(run, workspace, "install")
        assert (code, statuses(values)) == (0, {"a": "skipped"})
        assert reason in values["skills"][0]["why"]
        assert call(run, workspace, "install", "--frozen")[0] == 1
    declare(workspace, need("a", "../two", "m"))
    assert works(run, workspace, "update", "--yes") == {"a": "upgraded"}
    assert works(run, workspace, "install", "--frozen") == {"a": "current"}
    declare(workspace)
    code, values = call(run, workspace, "install", "--frozen")
    assert (code, values["problems"][0]["kind"]) == (1, "drift")


def test_a_frozen_run_never_touches_the_lock(run: Run, tmp_path: Path) -> None:
    make_source(tmp_path / "one", ["a"])
    workspace = make_workspace(tmp_path / "work", [need("a", "../one", "m")])
    works(run, workspace, "install")
    lock = (workspace / "skillbag.lock").read_bytes().replace(b"\n", b"\r\n")
    (workspace / "skillbag.lock").write_bytes(lock)
    shutil.rmtree(workspace / ".skills")
    assert works(run, workspace, "install", "--frozen") == {"a": "installed"}
    assert (workspace / "skillbag.lock").read_bytes() == lock


def test_an_optional_dependency_stays_wanted_once_it_was_asked_for(run: Run, tmp_path: Path) -> None:
    skills = {"a": skill_text("a", [need("b", required="false"), need("c", required="false")])}
    make_source(tmp_path / "one", {**skills, "b": skill_text("b"), "c": skill_text("c")})
    workspace = make_workspace(tmp_path / "work", [need("a", "../one", "m")])
    works(run, workspace, "install", "--accept=optional")
    with unchanged(workspace):
        assert works(run, workspace, "install") == {"a": "current", "b": "current", "c": "current"}
    assert run("why", "b", cwd=workspace).out == "CONTEXT.md:5 -> a -> b\n"
    assert "required by nothing" not in run("tree", cwd=workspace).out
    shutil.rmtree(workspace / ".skills/c")
    assert works(run, workspace, "install")["c"] == "installed"
    # It is not needed, so it may go, and stays away.
    works(run, workspace, "remove", "b")
    assert works(run, workspace, "install")["b"] == "left-out"


def test_an_orphan_can_be_overwritten(run: Run, tmp_path: Path) -> None:
    make_source(tmp_path / "one", ["a", "b"])
    workspace = make_workspace(tmp_path / "work", [need("a", "../one", "m"), need("b", "../one", "m")])
    works(run, workspace, "install")
    declare(workspace, need("a", "../one", "m"))
    write(workspace, {".skills/b/SKILL.md": skill_text("b", body="Edited.")})
    assert works(run, workspace, "install", "--overwrite", "b") == {"a": "current", "b": "overwritten"}


@pytest.mark.parametrize(
    "arguments",
    [("--overwrite", "own"), ("--merge", "own"), ("own", "--overwrite", "own"), ("--overwrite", "a", "--merge", "a")],
)
def test_impossible_overwriting_and_merging_is_refused(run: Run, tmp_path: Path, arguments: Iterable[str]) -> None:
    make_source(tmp_path / "one", ["a"])
    workspace = make_workspace(tmp_path / "work", [need("a", "../one", "m")])
    works(run, workspace, "install")
    write(workspace, {".skills/own/SKILL.md": skill_text("own")})
    with unchanged(workspace):
        assert run("install", *arguments, cwd=workspace).code == 2
        assert run("install", "--frozen", *arguments, cwd=workspace).code == 2


def test_all_of_a_source_looks_for_newer_versions_of_these_alone(run: Run, tmp_path: Path, workspace: Path) -> None:
    make_source(tmp_path / "one", ["a"])
    make_source(tmp_path / "two", ["b"])
    works(run, workspace, "install", "--all", "--source", "../one")
    works(run, workspace, "install", "--all", "--source", "../two")
    make_source(tmp_path / "one", {"a": skill_text("a", body="Two.")})
    make_source(tmp_path / "two", {"b": skill_text("b", body="Two.")})
    found = works(run, workspace, "install", "--all", "--source", "../two", "--accept=newer", "--yes")
    assert found == {"a": "current", "b": "upgraded"}


def test_all_of_a_source_that_offers_nothing_is_no_plain_install(run: Run, tmp_path: Path) -> None:
    make_source(tmp_path / "one", ["a"])
    make_source(tmp_path / "none", [])
    (tmp_path / "none/.skills").mkdir(exist_ok=True)
    workspace = make_workspace(tmp_path / "work", [need("a", "../one", "m")])
    outcome = run("install", "--all", "--source", "../none", cwd=workspace)
    assert (outcome.code, "offers no skill" in outcome.err) == (2, True)


def test_all_of_a_source_replaces_other_skills_only_after_agreement(run: Run, tmp_path: Path, workspace: Path) -> None:
    make_source(tmp_path / "one", {"a": skill_text("a", body="Of one.")})
    make_source(tmp_path / "two", {"a": skill_text("a", body="Of two."), "b": skill_text("b")})
    write(tmp_path / "two", {".skills/.hidden/SKILL.md": "no skill\n"})
    works(run, workspace, "install", "a", "--source", "../one")
    with unchanged(workspace):
        code, values = call(run, workspace, "install", "--all", "--source", "../two")
        assert (code, values["problems"][0]["clause"]) == (3, "install.place")
    assert works(run, workspace, "install", "--all", "--source", "../two", "--yes") == {
        "a": "upgraded",
        "b": "installed",
    }


def test_steps_of_two_sources_with_one_text_are_asked_about_once(run: Run, tmp_path: Path) -> None:
    make_source(tmp_path / "one", ["a"], agents=STEPS)
    make_source(tmp_path / "two", ["b"], agents=STEPS)
    workspace = make_workspace(tmp_path / "work", [need("a", "../one", "m"), need("b", "../two", "m")])
    code, values = call(run, workspace, "install")
    assert (code, len(values["problems"])) == (3, 1)


MERGE = '{\n<<<<<<< HEAD\n  "version": 1,\n=======\n  "version": 1,\n>>>>>>> other\n  "skills": {}\n}\n'


@pytest.fixture
def locked(run: Run, tmp_path: Path) -> Path:
    """A workspace with one installed skill."""
    source = make_source(tmp_path / "source", ["tidy"])
    folder = make_workspace(tmp_path / "work", [need("tidy", str(source), "latest")])
    assert call(run, folder, "install")[0] == 0
    assert checks(run, folder).code == 0
    return folder


def test_a_lock_with_both_sides_of_a_merge_fails_the_check(run: Run, locked: Path) -> None:
    (locked / "skillbag.lock").write_text(MERGE)
    outcome = checks(run, locked)
    assert outcome.code == 1
    assert "both sides of a merge" in outcome.out
    assert "2:1 error lock-unreadable" in outcome.out


def test_a_lock_that_is_no_file_fails_the_check_and_stops_nothing_for_ever(run: Run, locked: Path) -> None:
    (locked / "skillbag.lock").unlink()
    os.mkfifo(locked / "skillbag.lock")
    assert checks(run, locked).code == 1
    for command in (["verify"], ["install", "--frozen"], ["install"], ["list"], ["outdated"], ["update"]):
        code, values = call(run, locked, *command)
        assert code == 2, command
        assert "skillbag.lock" in values["problems"][0]["message"]


@pytest.mark.parametrize("kind", ["folder", "dangling", "binary", "empty", "version"])
def test_every_lock_that_no_command_can_use_fails_the_check(run: Run, locked: Path, kind: str) -> None:
    path = locked / "skillbag.lock"
    path.unlink()
    if kind == "folder":
        path.mkdir()
    elif kind == "dangling":
        path.symlink_to("gone")
    else:
        path.write_bytes({"binary": b"\xff\0", "empty": b"", "version": b'{"version": 2, "skills": {}}'}[kind])
    assert checks(run, locked).code == 1


def test_a_frozen_install_writes_nothing_for_what_is_not_locked_and_names_it(run: Run, locked: Path) -> None:
    write(locked / ".skills/evil", {"SKILL.md": skill_text("evil")})
    write(locked / ".skills/node_modules/helper", {"index.js": "run()\n"})
    with unchanged(locked):
        code, values = call(run, locked, "install", "--frozen")
        assert (code, values["changed"]) == (0, [])
    assert "evil" not in (locked / ".skills/SKILLS.md").read_text()
    (note,) = values["notes"]
    assert ".skills/evil" in note
    assert ".skills/node_modules" in note
    code, values = call(run, locked, "verify")
    assert (code, values["notes"]) == (0, [note])


def test_a_frozen_install_lists_what_it_brings_and_nothing_else(run: Run, locked: Path) -> None:
    complete = contents(locked)
    shutil.rmtree(locked / ".skills/tidy")
    (locked / ".skills/SKILLS.md").write_text("own: Do as I like.\n")
    write(locked / ".skills/own", {"SKILL.md": skill_text("own").replace("Tidy a folder.", "Do as I like.")})
    write(locked / ".skills/evil", {"SKILL.md": skill_text("evil")})
    values = values_of(run, locked, "install", "--frozen", code=0)
    assert "`.skills/evil`, `.skills/own`" in values["notes"][0]
    lines = (locked / ".skills/SKILLS.md").read_text().splitlines()
    assert [line.partition(":")[0] for line in lines] == ["own", "tidy"]
    # A clone without the folder gets all that the lock knows.
    shutil.rmtree(locked / ".skills")
    assert call(run, locked, "install", "--frozen")[0] == 0
    assert contents(locked) == complete
