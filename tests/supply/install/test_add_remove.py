"""`add` and `remove`: the declaration, the skill and the lock change together."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.supply.install.declared import asked_by, body_of, commit, declare, need, overrides, works
from tests.supply.install.outcomes import installed, lock_of
from tests.supply.install.worlds import call, make_source, make_workspace, skill_text, unchanged, write
from tests.supply.sources.repositories import make_repository
from tests.support import Run


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
    with unchanged(workspace):
        works(run, workspace, "add", "a")
        works(run, workspace, "add", "a", "--source", "../two")
    # A changed declaration counts more than the lock.
    declare(workspace, need("a", "../one", "v3"))
    assert works(run, workspace, "add", "a", "--yes") == {"a": "upgraded"}
    assert (body_of(workspace, "a"), lock_of(workspace)["a"]["requested"]) == ("Of one.", "v3")


@pytest.mark.parametrize("form", ["git", "folder"])
def test_add_of_an_installed_skill_only_declares_it(run: Run, tmp_path: Path, workspace: Path, form: str) -> None:
    source = make_repository(tmp_path / "source.git")
    skills = {"a": skill_text("a", ["b"]), "b": skill_text("b")}
    commit(source, skills)
    folder = make_source(tmp_path / "folder", skills)
    address = source.url if form == "git" else "../folder"
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


def test_add_that_would_conflict_with_what_skills_declare_stops(run: Run, tmp_path: Path, workspace: Path) -> None:
    make_source(tmp_path / "one", ["x"])
    make_source(tmp_path / "two", ["x"])
    make_source(tmp_path / "asks", {"a": skill_text("a", [need("x", "../one")])})
    works(run, workspace, "install", "a", "--source", "../asks")
    with unchanged(workspace):
        code, values = call(run, workspace, "add", "x", "--source", "../two")
        assert (code, values["problems"][0]["kind"]) == (3, "conflict")
        assert any(chain[0].startswith("CONTEXT.md:") for chain in values["problems"][0]["chains"])


@pytest.mark.proves("install", "resolution.local-edits")
def test_add_declares_nothing_that_it_can_t_bring(run: Run, tmp_path: Path) -> None:
    make_source(tmp_path / "one", ["a", "own"])
    make_source(tmp_path / "two", {"a": skill_text("a", body="Of two.")})
    workspace = make_workspace(tmp_path / "work", [need("a", "../one", "m")])
    works(run, workspace, "install")
    edited = skill_text("a", body="Edited.")
    write(workspace, {".skills/a/SKILL.md": edited, ".skills/own/SKILL.md": skill_text("own", body="Mine.")})
    with unchanged(workspace):
        for name, source in (("a", "../two"), ("own", "../one")):
            code, values = call(run, workspace, "add", name, "--source", source)
            assert (code, values["problems"][0]["clause"]) == (3, "resolution.local-edits")
            assert f"--overwrite {name}" in values["problems"][0]["message"]
        assert run("add", "own", cwd=workspace).code == 2
        assert run("add", "nowhere", cwd=workspace).code == 2
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
    with unchanged(workspace):
        outcome = run("add", "a", "--source", "../one", cwd=workspace)
        assert (outcome.code, "USER_CONTEXT.md:2" in outcome.err) == (2, True)


def test_add_works_offline_from_what_was_fetched_before(run: Run, tmp_path: Path, workspace: Path) -> None:
    source = make_repository(tmp_path / "source.git")
    commit(source, {"a": skill_text("a")})
    first = make_workspace(tmp_path / "first")
    works(run, first, "install", "a", "--source", source.url, "--version", "main")
    source.path.rename(tmp_path / "away.git")
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
    assert not (workspace / ".skills").exists()
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


def test_list_says_the_same_before_the_first_skill_and_after_the_last(run: Run, tmp_path: Path) -> None:
    before = run("list", cwd=tmp_path)
    assert (before.code, before.out, before.err) == (0, "No skill is installed here.\n", "")
    assert not [*tmp_path.iterdir()]
    root = write(tmp_path / "work", {".claude/skills/own/SKILL.md": skill_text("own")})
    assert run("remove", "own", "--overwrite", "own", cwd=root).code == 0
    assert run("list", cwd=root) == before
