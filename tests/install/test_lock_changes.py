"""What becomes of a workspace over time: who asked for what, what newer versions bring and drop, and declarations."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.install.declared import body_of, need, overrides
from tests.install.worlds import (
    STEPS,
    call,
    checks,
    installed,
    lock_of,
    make_source,
    make_workspace,
    skill_text,
    snapshot,
    source_files,
    statuses,
    write,
)
from tests.sources.repositories import Repository, make_repository, use_own_git_settings
from tests.sources.servers import authenticated, git_backend, serve
from tests.support import Run


def declare(workspace: Path, *dependencies: dict[str, str]) -> None:
    """Write `CONTEXT.md` anew."""
    template = make_workspace(workspace.parent / "template", dependencies)
    (workspace / "CONTEXT.md").write_bytes((template / "CONTEXT.md").read_bytes() if dependencies else b"# Context\n")


def asked_by(workspace: Path) -> dict[str, list[str]]:
    """Who asked for each skill of the lock."""
    return {name: locked["asked_by"] for name, locked in lock_of(workspace).items()}


def works(run: Run, workspace: Path, *arguments: object) -> dict[str, str]:
    """Run a command that must succeed; the status of each skill. A dry run before it must have said the same."""
    dry = call(run, workspace, *arguments, "--dry-run") if "remove" in arguments or "install" in arguments else None
    code, values = call(run, workspace, *arguments)
    assert code == 0, values["problems"]
    assert dry is None or dry[1]["changed"] == values["changed"]
    return statuses(values)


def commit(repository: Repository, skills: dict[str, str]) -> str:
    """A commit of a source with these skills on `main`."""
    return repository.commit(source_files(skills))


@pytest.fixture
def moving(tmp_path: Path) -> Repository:
    """A git source with `a`, which needs its sibling `b`."""
    made = make_repository(tmp_path / "source.git")
    commit(made, {"a": skill_text("a", ["b"]), "b": skill_text("b", body="One.")})
    return made


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
    assert "Nothing asks for a, b, c any more: skillbag remove a b c takes them out." in values["notes"]
    before = snapshot(workspace)
    works(run, workspace, "install")
    assert snapshot(workspace) == before


def test_what_nobody_asks_for_and_is_not_there_leaves_the_lock(run: Run, tmp_path: Path) -> None:
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


def test_an_update_of_one_skill_is_no_wish_for_it_and_leaves_the_others(
    run: Run, tmp_path: Path, moving: Repository
) -> None:
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


def test_what_nobody_asks_for_can_be_asked_for_again_at_another_version(
    run: Run, tmp_path: Path, moving: Repository
) -> None:
    moving.git("tag", "v1")
    commit(moving, {"b": skill_text("b", body="Two.")})
    workspace = make_workspace(tmp_path / "work", [need("b", moving.url, "main")])
    works(run, workspace, "install")
    declare(workspace)
    works(run, workspace, "install")
    assert asked_by(workspace) == {"b": []}
    assert works(run, workspace, "install", "b", "--version", "v1", "--yes") == {"b": "upgraded"}
    assert (body_of(workspace, "b"), asked_by(workspace)) == ("One.", {"b": ["command line"]})


def test_an_update_of_one_skill_installs_what_it_newly_needs_and_keeps_what_is_there(
    run: Run, tmp_path: Path, moving: Repository
) -> None:
    workspace = make_workspace(tmp_path / "work", [need("a", moving.url, "main")])
    works(run, workspace, "install")
    skills = {"a": skill_text("a", ["b", "c"], body="Two."), "b": skill_text("b", body="Two."), "c": skill_text("c")}
    newest = commit(moving, skills)
    found = works(run, workspace, "update", "a", "--yes")
    assert found == {"a": "upgraded", "b": "current", "c": "installed"}
    assert body_of(workspace, "b") == "One."
    assert lock_of(workspace)["c"]["resolved"] == newest


def test_an_update_that_drops_a_need_says_so_and_keeps_looking_after_it(
    run: Run, tmp_path: Path, moving: Repository
) -> None:
    workspace = make_workspace(tmp_path / "work", [need("a", moving.url, "main")])
    works(run, workspace, "install")
    commit(moving, {"a": skill_text("a"), "b": skill_text("b", body="Two.")})
    code, values = call(run, workspace, "update", "--yes")
    assert (code, statuses(values)) == (0, {"a": "upgraded", "b": "upgraded"})
    assert asked_by(workspace) == {"a": ["CONTEXT.md"], "b": []}
    assert values["notes"] == ["Nothing asks for b any more: skillbag remove b takes it out."]
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
    code, values = call(run, workspace, "update", "--yes")
    assert code == 1
    assert "`tidy-texts`" in values["problems"][0]["fix"]
    assert installed(workspace) == ["tidy-text"]


def test_an_update_counts_on_what_stays_not_on_what_was_fetched_for_it(
    run: Run, tmp_path: Path, moving: Repository
) -> None:
    workspace = make_workspace(tmp_path / "work", [need("a", moving.url, "main")])
    works(run, workspace, "install")
    write(workspace, {".skills/a/SKILL.md": skill_text("a", ["b"], body="Edited.")})
    commit(moving, {"a": skill_text("a", ["c"]), "b": skill_text("b"), "c": skill_text("c")})
    assert works(run, workspace, "update", "--yes") == {"a": "edited", "b": "upgraded"}
    assert asked_by(workspace) == {"a": ["CONTEXT.md"], "b": ["a"]}
    assert works(run, workspace, "update", "--overwrite", "a")["c"] == "installed"


def test_a_merge_looks_for_the_newest_and_keeps_what_both_sides_need(
    run: Run, tmp_path: Path, moving: Repository
) -> None:
    make_source(tmp_path / "mine", ["m"])
    workspace = make_workspace(tmp_path / "work", [need("a", moving.url, "main")])
    works(run, workspace, "install")
    mine = skill_text("a", [need("m", "../mine"), "b"])
    write(workspace, {".skills/a/SKILL.md": mine})
    skills = {"a": skill_text("a", ["b"]) + "\nMore.\n", "b": skill_text("b", body="Two.")}
    commit(moving, skills)
    found = works(run, workspace, "install", "--merge", "a")
    # Only what is named is looked for anew.
    assert found == {"a": "merged", "b": "current", "m": "installed"}
    assert "More." in body_of(workspace, "a")
    assert asked_by(workspace)["m"] == ["a"]


@pytest.mark.parametrize("form", ["branch", "tag", "zip", "folder"])
def test_what_was_asked_for_by_hand_is_updated_from_where_it_came(run: Run, tmp_path: Path, form: str) -> None:
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
    workspace = make_workspace(tmp_path / "work")
    works(run, workspace, "install", "a", "--source", *arguments)
    before = lock_of(workspace)["a"]
    publish("Two.")
    assert works(run, workspace, "install") == {"a": "current"}
    assert works(run, workspace, "outdated") == {"a": "outdated"}
    # That a tag was moved is a question of its own.
    moved = ["--accept-moved"] if form == "tag" else []
    assert works(run, workspace, "update", "--yes", *moved) == {"a": "upgraded"}
    after = lock_of(workspace)["a"]
    assert body_of(workspace, "a") == "Two."
    assert (after["source"], after["requested"], after["asked_by"]) == (
        before["source"],
        before["requested"],
        ["command line"],
    )
    assert works(run, workspace, "outdated") == {"a": "current"}


def test_another_commit_with_the_same_skill_makes_nothing_outdated(run: Run, tmp_path: Path) -> None:
    source = make_repository(tmp_path / "source.git")
    commit(source, {"a": skill_text("a"), "b": skill_text("b")})
    workspace = make_workspace(tmp_path / "work", [need("a", source.url, "main"), need("b", source.url, "main")])
    works(run, workspace, "install")
    commit(source, {"a": skill_text("a"), "b": skill_text("b", body="Two.")})
    assert works(run, workspace, "outdated") == {"a": "current", "b": "outdated"}


def test_outdated_tells_every_source_that_can_t_be_looked_at(run: Run, tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        make_source(tmp_path / name, [name])
    workspace = make_workspace(tmp_path / "work", [need(name, f"../{name}", "m") for name in ("a", "b", "c")])
    works(run, workspace, "install")
    shutil.rmtree(tmp_path / "a")
    (tmp_path / "b/.skills/b/link").symlink_to("/etc/hostname")
    code, values = call(run, workspace, "outdated")
    assert (code, statuses(values)["c"]) == (4, "current")
    assert {problem["source"]: problem["kind"] for problem in values["problems"]} == {
        "../a": "fetch",
        "../b": "invalid-source",
    }


def test_a_version_on_the_command_line_changes_what_is_installed(run: Run, tmp_path: Path) -> None:
    source = make_repository(tmp_path / "source.git")
    for number in ("1", "2"):
        source.git("tag", f"v{number}", commit(source, {"a": skill_text("a", body=f"Version {number}.")}))
    workspace = make_workspace(tmp_path / "work")
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
    for declared, said in ((need("a", "../two", "m"), "../two m"), (need("a", "../one", "n"), "n is declared")):
        declare(workspace, declared)
        code, values = call(run, workspace, "install")
        assert (code, statuses(values)) == (0, {"a": "skipped"})
        assert said in values["skills"][0]["why"]
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
    works(run, workspace, "install", "--optional")
    before = snapshot(workspace)
    assert works(run, workspace, "install") == {"a": "current", "b": "current", "c": "current"}
    assert snapshot(workspace) == before
    assert run("why", "b", cwd=workspace).out == "CONTEXT.md:5 -> a -> b\n"
    assert "asked for by nobody" not in run("tree", cwd=workspace).out
    shutil.rmtree(workspace / ".skills/c")
    assert works(run, workspace, "install")["c"] == "installed"
    # It is not needed, so it may go, and stays away.
    works(run, workspace, "remove", "b")
    assert works(run, workspace, "install")["b"] == "left-out"


def test_overwriting_what_nobody_asks_for_any_more(run: Run, tmp_path: Path) -> None:
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
def test_what_can_t_be_overwritten_or_merged_is_not_passed_over_in_silence(
    run: Run, tmp_path: Path, arguments: Iterable[str]
) -> None:
    make_source(tmp_path / "one", ["a"])
    workspace = make_workspace(tmp_path / "work", [need("a", "../one", "m")])
    works(run, workspace, "install")
    write(workspace, {".skills/own/SKILL.md": skill_text("own")})
    before = snapshot(workspace)
    assert run("install", *arguments, cwd=workspace).code == 2
    assert run("install", "--frozen", *arguments, cwd=workspace).code == 2
    assert snapshot(workspace) == before


def test_all_of_a_source_looks_for_newer_versions_of_these_alone(run: Run, tmp_path: Path) -> None:
    make_source(tmp_path / "one", ["a"])
    make_source(tmp_path / "two", ["b"])
    workspace = make_workspace(tmp_path / "work")
    works(run, workspace, "install", "--all", "--source", "../one")
    works(run, workspace, "install", "--all", "--source", "../two")
    make_source(tmp_path / "one", {"a": skill_text("a", body="Two.")})
    make_source(tmp_path / "two", {"b": skill_text("b", body="Two.")})
    found = works(run, workspace, "install", "--all", "--source", "../two", "--upgrade", "--yes")
    assert found == {"a": "current", "b": "upgraded"}


def test_all_of_a_source_that_offers_nothing_is_no_plain_install(run: Run, tmp_path: Path) -> None:
    make_source(tmp_path / "one", ["a"])
    make_source(tmp_path / "none", [])
    (tmp_path / "none/.skills").mkdir(exist_ok=True)
    workspace = make_workspace(tmp_path / "work", [need("a", "../one", "m")])
    outcome = run("install", "--all", "--source", "../none", cwd=workspace)
    assert (outcome.code, "offers no skill" in outcome.err) == (2, True)


def test_all_of_a_source_replaces_what_came_from_elsewhere_only_if_that_is_agreed_to(run: Run, tmp_path: Path) -> None:
    make_source(tmp_path / "one", {"a": skill_text("a", body="Of one.")})
    make_source(tmp_path / "two", {"a": skill_text("a", body="Of two."), "b": skill_text("b")})
    write(tmp_path / "two", {".skills/.hidden/SKILL.md": "no skill\n"})
    workspace = make_workspace(tmp_path / "work")
    works(run, workspace, "install", "a", "--source", "../one")
    before = snapshot(workspace)
    code, values = call(run, workspace, "install", "--all", "--source", "../two")
    assert (code, values["problems"][0]["clause"]) == (3, "install.place")
    assert snapshot(workspace) == before
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


def test_add_changes_a_declaration_and_installs_what_it_says_now(run: Run, tmp_path: Path) -> None:
    make_source(tmp_path / "one", {"a": skill_text("a", body="Of one.")})
    make_source(tmp_path / "two", {"a": skill_text("a", body="Of two.")})
    workspace = make_workspace(tmp_path / "work", [need("a", "../one", "v1")])
    works(run, workspace, "install")
    assert works(run, workspace, "add", "a", "--source", "../two", "--yes") == {"a": "upgraded"}
    assert body_of(workspace, "a") == "Of two."
    context = (workspace / "CONTEXT.md").read_text()
    assert "../one" not in context
    assert "v1" not in context
    assert works(run, workspace, "install", "--frozen") == {"a": "current"}
    # The version alone leaves the source, and nothing at all leaves both.
    works(run, workspace, "add", "a", "--version", "v2")
    assert lock_of(workspace)["a"]["requested"] == "v2"
    before = snapshot(workspace)
    works(run, workspace, "add", "a")
    works(run, workspace, "add", "a", "--source", "../two")
    assert snapshot(workspace) == before
    # What was declared by hand meanwhile counts more than what is locked.
    declare(workspace, need("a", "../one", "v3"))
    assert works(run, workspace, "add", "a", "--yes") == {"a": "upgraded"}
    assert (body_of(workspace, "a"), lock_of(workspace)["a"]["requested"]) == ("Of one.", "v3")


def test_add_uses_credentials_and_writes_them_nowhere(
    run: Run, tmp_path: Path, moving: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_own_git_settings(monkeypatch, tmp_path)
    with serve({"/": authenticated(git_backend(tmp_path), "me", "hunter2")}) as server:
        plain = f"{server.url}/{moving.path.name}"
        workspace = make_workspace(tmp_path / "work")
        assert works(run, workspace, "add", "b", "--source", plain.replace("//", "//me:hunter2@")) == {"b": "installed"}
    assert lock_of(workspace)["b"]["source"] == plain
    assert plain in (workspace / "CONTEXT.md").read_text()
    assert not [path for path in workspace.rglob("*") if path.is_file() and b"hunter2" in path.read_bytes()]


@pytest.mark.parametrize("form", ["git", "folder"])
def test_add_of_what_is_installed_declares_it_and_takes_nothing_newer(run: Run, tmp_path: Path, form: str) -> None:
    source = make_repository(tmp_path / "source.git")
    skills = {"a": skill_text("a", ["b"]), "b": skill_text("b")}
    commit(source, skills)
    folder = make_source(tmp_path / "folder", skills)
    address = source.url if form == "git" else "../folder"
    workspace = make_workspace(tmp_path / "work")
    works(run, workspace, "install", "a", "--source", address)
    newer = {name: text + "\nTwo.\n" for name, text in skills.items()}
    commit(source, newer)
    make_source(folder, newer)
    assert works(run, workspace, "add", "a", "b") == {"a": "current", "b": "current"}
    assert asked_by(workspace) == {"a": ["CONTEXT.md"], "b": ["CONTEXT.md", "a"]}
    version = "main" if form == "git" else "latest"
    assert {locked["requested"] for locked in lock_of(workspace).values()} == {version}
    assert works(run, workspace, "install", "--frozen") == {"a": "current", "b": "current"}
    assert works(run, workspace, "update", "--yes") == {"a": "upgraded", "b": "upgraded"}


def test_add_without_a_version_declares_the_default_branch(run: Run, tmp_path: Path) -> None:
    source = make_repository(tmp_path / "source.git")
    commit(source, {"a": skill_text("a"), "b": skill_text("b")})
    workspace = make_workspace(tmp_path / "work")
    works(run, workspace, "add", "a", "b", "--source", source.url)
    assert (workspace / "CONTEXT.md").read_text().count("version: main") == 2
    assert works(run, workspace, "install", "--frozen") == {"a": "current", "b": "current"}


def test_add_that_would_conflict_with_what_skills_declare_stops(run: Run, tmp_path: Path) -> None:
    make_source(tmp_path / "one", ["x"])
    make_source(tmp_path / "two", ["x"])
    make_source(tmp_path / "asks", {"a": skill_text("a", [need("x", "../one")])})
    workspace = make_workspace(tmp_path / "work")
    works(run, workspace, "install", "a", "--source", "../asks")
    before = snapshot(workspace)
    code, values = call(run, workspace, "add", "x", "--source", "../two")
    assert (code, values["problems"][0]["kind"]) == (3, "conflict")
    assert any(chain[0].startswith("CONTEXT.md:") for chain in values["problems"][0]["chains"])
    assert snapshot(workspace) == before


@pytest.mark.proves("install", "resolution.local-edits")
def test_add_declares_nothing_that_it_can_t_bring(run: Run, tmp_path: Path) -> None:
    make_source(tmp_path / "one", ["a", "own"])
    make_source(tmp_path / "two", {"a": skill_text("a", body="Of two.")})
    workspace = make_workspace(tmp_path / "work", [need("a", "../one", "m")])
    works(run, workspace, "install")
    edited = skill_text("a", body="Edited.")
    write(workspace, {".skills/a/SKILL.md": edited, ".skills/own/SKILL.md": skill_text("own", body="Mine.")})
    before = snapshot(workspace)
    for name, source in (("a", "../two"), ("own", "../one")):
        code, values = call(run, workspace, "add", name, "--source", source)
        assert (code, values["problems"][0]["clause"]) == (3, "resolution.local-edits")
        assert f"--overwrite {name}" in values["problems"][0]["message"]
    assert run("add", "own", cwd=workspace).code == 2
    assert run("add", "nowhere", cwd=workspace).code == 2
    assert snapshot(workspace) == before
    found = works(run, workspace, "add", "own", "--source", "../one", "--overwrite", "own")
    assert found == {"a": "edited", "own": "overwritten"}


def test_add_obeys_an_override_and_declares_what_was_asked(run: Run, tmp_path: Path) -> None:
    make_source(tmp_path / "one", {"a": skill_text("a", body="Of one.")})
    make_source(tmp_path / "mine", {"a": skill_text("a", body="Of mine.")})
    workspace = make_workspace(tmp_path / "work", (), overrides("a: {source: ../mine}"))
    works(run, workspace, "add", "a", "--source", "../one")
    assert body_of(workspace, "a") == "Of mine."
    assert 'source: "../one"' in (workspace / "CONTEXT.md").read_text()
    assert works(run, workspace, "install", "--frozen") == {"a": "current"}


@pytest.mark.proves("install", "precedence.prohibition")
def test_add_declares_nothing_that_the_user_prohibits(run: Run, tmp_path: Path) -> None:
    make_source(tmp_path / "one", ["a"])
    workspace = make_workspace(tmp_path / "work", (), "```yaml\nprohibit: {skills: [a]}\n```\n")
    before = snapshot(workspace)
    outcome = run("add", "a", "--source", "../one", cwd=workspace)
    assert (outcome.code, "USER_CONTEXT.md:2" in outcome.err) == (2, True)
    assert snapshot(workspace) == before


def test_add_works_offline_from_what_was_fetched_before(run: Run, tmp_path: Path) -> None:
    source = make_repository(tmp_path / "source.git")
    commit(source, {"a": skill_text("a")})
    first = make_workspace(tmp_path / "first")
    works(run, first, "install", "a", "--source", source.url, "--version", "main")
    source.path.rename(tmp_path / "away.git")
    workspace = make_workspace(tmp_path / "work")
    code, values = call(run, workspace, "add", "a", "--source", source.url, "--offline")
    # The name of the default branch is the server's to say.
    assert (code, values["problems"][0]["kind"]) == (4, "fetch")
    assert works(run, workspace, "add", "a", "--source", source.url, "--version", "main", "--offline") == {
        "a": "installed"
    }


def test_remove_of_what_is_only_declared_or_only_locked(run: Run, tmp_path: Path) -> None:
    make_source(tmp_path / "one", ["a", "b"])
    workspace = make_workspace(tmp_path / "work", [need("a", "../one", "m")])
    assert works(run, workspace, "remove", "a") == {"a": "removed"}
    assert "name: a" not in (workspace / "CONTEXT.md").read_text()
    works(run, workspace, "install", "b", "--source", "../one")
    shutil.rmtree(workspace / ".skills/b")
    assert works(run, workspace, "remove", "b") == {"b": "removed"}
    assert lock_of(workspace) == {}


def test_remove_of_skills_that_need_each_other_and_of_names_that_are_not_among_them(run: Run, tmp_path: Path) -> None:
    make_source(tmp_path / "one", {"a": skill_text("a", ["b"]), "b": skill_text("b", ["c"]), "c": skill_text("c")})
    workspace = make_workspace(tmp_path / "work", [need("a", "../one", "m")])
    works(run, workspace, "install")
    assert run("remove", "a", "--overwrite", "b", cwd=workspace).code == 2
    code, values = call(run, workspace, "remove", "c", "b")
    assert (code, values["problems"][0]["message"]) == (3, "b: a needs it")
    assert works(run, workspace, "remove", "c", "b", "a", "a") == {"a": "removed", "b": "removed", "c": "removed"}
    assert installed(workspace) == []
