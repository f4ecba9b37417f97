"""What becomes of a workspace over time: who asked for what, what newer versions bring and drop, and declarations."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.supply.install.declared import asked_by, body_of, commit, declare, need, works
from tests.supply.install.outcomes import checks, installed, lock_of, statuses, values_of
from tests.supply.install.worlds import call, make_source, make_workspace, skill_text, unchanged, write
from tests.supply.sources.repositories import Repository, make_repository
from tests.support import Run


def test_who_asked_is_known_of_every_requester_and_forgotten_with_the_last(run: Run, tmp_path: Path) -> None:
    # `x` is asked for by the first that is chosen, by the last, and by one in between.
    skills = {"a": skill_text("a", ["x", "b"]), "b": skill_text("b", ["c"]), "c": skill_text("c", ["x"])}
    make_source(tmp_path / "one", {**skills, "x": skill_text("x")})
    declared = [need(name, "../one", "m") for name in ("a", "x")]
    workspace = make_workspace(tmp_path / "work", declared)
    works(run, workspace, "install")
    assert asked_by(workspace)["x"] == ["CONTEXT.md", "a", "c"]
    works(run, workspace, "install", "x")
    assert asked_by(workspace)["x"] == ["CONTEXT.md", "a", "c", "command line"]
    declare(workspace, need("a", "../one", "m"))
    works(run, workspace, "install")
    assert asked_by(workspace)["x"] == ["a", "c", "command line"]
    works(run, workspace, "remove", "x", "--force")
    declare(workspace)
    _, values = call(run, workspace, "install")
    assert asked_by(workspace) == {"a": [], "b": [], "c": []}
    assert "Nothing requires a, b, c any more: skillbag remove a b c takes them out." in values["notes"]
    with unchanged(workspace):
        works(run, workspace, "install")


def test_a_missing_orphan_leaves_the_lock(run: Run, tmp_path: Path) -> None:
    make_source(tmp_path / "one", ["a", "b"])
    workspace = make_workspace(tmp_path / "work", [need("a", "../one", "m"), need("b", "../one", "m")])
    works(run, workspace, "install")
    lock = (workspace / "skillbag.lock").read_bytes()
    declare(workspace, need("b", "../one", "m"))
    shutil.rmtree(workspace / ".skills/a")
    for command in ("install", "update"):
        write(workspace, {"skillbag.lock": lock})
        assert works(run, workspace, command) == {"b": "current"}
        assert set(lock_of(workspace)) == {"b"}
    assert call(run, workspace, "verify")[0] == 0


def test_an_update_of_one_skill_leaves_the_others(run: Run, tmp_path: Path, moving: Repository) -> None:
    workspace = make_workspace(tmp_path / "work", [need("a", moving.url, "main")])
    works(run, workspace, "install")
    newest = commit(moving, {"a": skill_text("a", ["b"], body="Two."), "b": skill_text("b", body="Two.")})
    assert works(run, workspace, "update", "b", "--yes") == {"a": "current", "b": "upgraded"}
    assert (body_of(workspace, "a"), body_of(workspace, "b")) == ("Read the file.", "Two.")
    assert asked_by(workspace) == {"a": ["CONTEXT.md"], "b": ["a"]}
    assert lock_of(workspace)["b"]["resolved"] == newest
    # A checkout of the lock gives just that again.
    lock = (workspace / "skillbag.lock").read_bytes()
    shutil.rmtree(workspace / ".skills")
    works(run, workspace, "install")
    assert (body_of(workspace, "a"), body_of(workspace, "b")) == ("Read the file.", "Two.")
    assert (workspace / "skillbag.lock").read_bytes() == lock


def test_a_version_for_a_dependency_is_a_wish_that_lasts(run: Run, tmp_path: Path, moving: Repository) -> None:
    moving.git("tag", "v1")
    commit(moving, {"a": skill_text("a", ["b"]), "b": skill_text("b", body="Two.")})
    workspace = make_workspace(tmp_path / "work", [need("a", moving.url, "main")])
    works(run, workspace, "install")
    works(run, workspace, "update", "b", "--version", "v1", "--yes")
    assert body_of(workspace, "b") == "One."
    assert asked_by(workspace)["b"] == ["a", "command line"]
    works(run, workspace, "update", "--yes")
    assert body_of(workspace, "b") == "One."


def test_an_orphan_can_be_requested_at_another_version(run: Run, tmp_path: Path, moving: Repository) -> None:
    moving.git("tag", "v1")
    commit(moving, {"b": skill_text("b", body="Two.")})
    workspace = make_workspace(tmp_path / "work", [need("b", moving.url, "main")])
    works(run, workspace, "install")
    declare(workspace)
    works(run, workspace, "install")
    assert asked_by(workspace) == {"b": []}
    assert works(run, workspace, "install", "b", "--version", "v1", "--yes") == {"b": "upgraded"}
    assert (body_of(workspace, "b"), asked_by(workspace)) == ("One.", {"b": ["command line"]})


def test_an_update_of_one_skill_installs_its_new_dependencies(run: Run, tmp_path: Path, moving: Repository) -> None:
    workspace = make_workspace(tmp_path / "work", [need("a", moving.url, "main")])
    works(run, workspace, "install")
    skills = {"a": skill_text("a", ["b", "c"], body="Two."), "b": skill_text("b", body="Two."), "c": skill_text("c")}
    newest = commit(moving, skills)
    found = works(run, workspace, "update", "a", "--yes")
    assert found == {"a": "upgraded", "b": "current", "c": "installed"}
    assert body_of(workspace, "b") == "One."
    assert lock_of(workspace)["c"]["resolved"] == newest


def test_an_update_reports_and_still_updates_orphans(run: Run, tmp_path: Path, moving: Repository) -> None:
    workspace = make_workspace(tmp_path / "work", [need("a", moving.url, "main")])
    works(run, workspace, "install")
    commit(moving, {"a": skill_text("a"), "b": skill_text("b", body="Two.")})
    code, values = call(run, workspace, "update", "--yes")
    assert (code, statuses(values)) == (0, {"a": "upgraded", "b": "upgraded"})
    assert asked_by(workspace) == {"a": ["CONTEXT.md"], "b": []}
    assert values["notes"] == ["Nothing requires b any more: skillbag remove b takes it out."]
    # Even that its source has given it up stops no update.
    commit(moving, {"a": skill_text("a", body="Three.")})
    assert works(run, workspace, "update", "--yes") == {"a": "upgraded", "b": "current"}
    assert checks(run, workspace).code == 0


def test_a_sibling_that_its_source_has_given_up_stays(run: Run, tmp_path: Path, moving: Repository) -> None:
    workspace = make_workspace(tmp_path / "work", [need("a", moving.url, "main")])
    works(run, workspace, "install")
    commit(moving, {"a": skill_text("a", ["b"], body="Two.")})
    assert works(run, workspace, "update", "--yes") == {"a": "upgraded", "b": "current"}
    assert works(run, workspace, "outdated") == {"a": "current", "b": "outdated"}


def test_a_renamed_skill_stops_the_update_with_its_new_name(run: Run, tmp_path: Path) -> None:
    source = make_repository(tmp_path / "source.git")
    commit(source, {"tidy-text": skill_text("tidy-text")})
    workspace = make_workspace(tmp_path / "work", [need("tidy-text", source.url, "main")])
    works(run, workspace, "install")
    commit(source, {"tidy-texts": skill_text("tidy-texts")})
    values = values_of(run, workspace, "update", "--yes", code=1)
    assert "`tidy-texts`" in values["problems"][0]["fix"]
    assert installed(workspace) == ["tidy-text"]


def test_an_edited_skill_keeps_its_own_dependencies(run: Run, tmp_path: Path, moving: Repository) -> None:
    workspace = make_workspace(tmp_path / "work", [need("a", moving.url, "main")])
    works(run, workspace, "install")
    write(workspace, {".skills/a/SKILL.md": skill_text("a", ["b"], body="Edited.")})
    commit(moving, {"a": skill_text("a", ["c"]), "b": skill_text("b"), "c": skill_text("c")})
    assert works(run, workspace, "update", "--yes") == {"a": "edited", "b": "upgraded"}
    assert asked_by(workspace) == {"a": ["CONTEXT.md"], "b": ["a"]}
    assert works(run, workspace, "update", "--overwrite", "a")["c"] == "installed"


def test_a_merge_has_the_dependencies_of_both_sides(run: Run, tmp_path: Path, moving: Repository) -> None:
    make_source(tmp_path / "mine", ["m"])
    workspace = make_workspace(tmp_path / "work", [need("a", moving.url, "main")])
    works(run, workspace, "install")
    mine = skill_text("a", [need("m", "../mine"), "b"])
    write(workspace, {".skills/a/SKILL.md": mine})
    skills = {"a": skill_text("a", ["b"]) + "\nMore.\n", "b": skill_text("b", body="Two.")}
    commit(moving, skills)
    found = works(run, workspace, "install", "--merge", "a")
    # Only what is named is upgraded.
    assert found == {"a": "merged", "b": "current", "m": "installed"}
    assert "More." in body_of(workspace, "a")
    assert asked_by(workspace)["m"] == ["a"]


@pytest.mark.parametrize("form", ["branch", "tag", "zip", "folder"])
def test_a_requested_skill_is_updated_from_its_source(run: Run, tmp_path: Path, workspace: Path, form: str) -> None:
    source = make_repository(tmp_path / "source.git")
    folder = tmp_path / "folder"

    def publish(body: str) -> None:
        skills = {"a": skill_text("a", body=body)}
        source.git("tag", "--force", "v1", commit(source, skills))
        make_source(folder, skills)
        source.git("archive", "--format=zip", f"--output={tmp_path / 'source.zip'}", "v1")

    publish("One.")
    arguments = {
        "branch": (source.url, "--version", "main"),
        "tag": (source.url, "--version", "v1"),
        "zip": ("../source.zip",),
        "folder": ("../folder",),
    }[form]
    works(run, workspace, "install", "a", "--source", *arguments)
    before = lock_of(workspace)["a"]
    publish("Two.")
    assert works(run, workspace, "install") == {"a": "current"}
    # That a tag was moved is a question of its own.
    assert statuses(call(run, workspace, "outdated")[1]) == {"a": "outdated"}
    moved = ["--accept=moved"] if form == "tag" else []
    assert works(run, workspace, "update", "--yes", *moved) == {"a": "upgraded"}
    after = lock_of(workspace)["a"]
    assert body_of(workspace, "a") == "Two."
    assert (after["source"], after["requested"], after["asked_by"]) == (
        before["source"],
        before["requested"],
        ["command line"],
    )
    assert works(run, workspace, "outdated") == {"a": "current"}


def test_outdated_reports_every_source_that_can_t_be_read(run: Run, tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        make_source(tmp_path / name, [name])
    workspace = make_workspace(tmp_path / "work", [need(name, f"../{name}", "m") for name in ("a", "b", "c")])
    works(run, workspace, "install")
    shutil.rmtree(tmp_path / "a")
    (tmp_path / "b/.skills/b/link").symlink_to("/etc/hostname")
    code, values = call(run, workspace, "outdated")
    assert (code, statuses(values)) == (4, {"a": "unknown", "b": "unknown", "c": "current"})
    assert {problem["source"]: problem["kind"] for problem in values["problems"]} == {
        "../a": "fetch",
        "../b": "invalid-source",
    }
