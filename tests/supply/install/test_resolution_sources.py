"""Which sources a requirement may lead to: remote and local ones, overrides, installed and own skills."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable
from pathlib import Path

import pytest

from skillbag.supply.install.request import InstallRequest, SkillRequest
from skillbag.supply.install.requirements import first_requirements
from skillbag.supply.install.source_selection import SourceSelector
from skillbag.supply.install.state import InstalledState
from tests.supply.install.declared import body_of, fresh, need, overrides, repository
from tests.supply.install.outcomes import statuses, values_of
from tests.supply.install.worlds import call, make_source, skill_text, source_files, write
from tests.support import Run

LOCAL = ["../x", "../x.zip", "/srv/x", "~/x", "file:///srv/x.git", "x.git"]


@pytest.mark.parametrize("address", LOCAL)
def test_a_remote_skill_may_not_name_a_local_path(run: Run, tmp_path: Path, workspace: Path, address: str) -> None:
    # Locked from a server and installed already: its declarations count as that server's.
    write(
        workspace,
        {".skills/a/SKILL.md": skill_text("a", [need("x", address)]), "skillbag.lock": remote_lock(["a"])},
    )
    code, values = call(run, workspace, "install")
    (problem,) = values["problems"]
    assert (code, problem["kind"], problem["clause"]) == (1, "invalid-source", "source.kinds")
    assert problem["source"] == "https://example.com/Org/repo.git"
    assert problem["chains"][0][-1] == address
    # A version alone does not change where it would be taken from.
    write(workspace, {"USER_CONTEXT.md": overrides("x: {version: main}")})
    assert call(run, workspace, "install")[0] == 1
    make_source(tmp_path / "ours", ["x"])
    write(workspace, {"USER_CONTEXT.md": overrides("x: {source: ../ours}")})
    code, values = call(run, workspace, "install")
    assert (code, statuses(values)["x"]) == (0, "installed")


def remote_lock(names: Iterable[str]) -> str:
    """A lock that has the skills from a remote repository, edited since."""
    entry = {
        "source": "https://example.com/Org/repo.git",
        "kind": "git",
        "requested": "v1",
        "resolved": "0" * 40,
        "tree": "sha256:" + "0" * 64,
        "asked_by": ["command line"],
    }
    return json.dumps({"version": 1, "skills": dict.fromkeys(names, entry)})


def test_every_unusable_address_is_reported_with_its_place(run: Run, tmp_path: Path) -> None:
    make_source(tmp_path / "one", {"c": skill_text("c", [need("d", "ftp://example.com/x")])})
    workspace = fresh(tmp_path, 1, [need("a", "ext::sh", "m"), need("b", "data:x", "m"), need("c", "../one", "m")])
    values = values_of(run, workspace, "install", code=2)
    places = {(problem["kind"], problem["path"], problem["line"]) for problem in values["problems"]}
    assert places == {
        ("usage", "CONTEXT.md", 5),
        ("usage", "CONTEXT.md", 8),
        ("invalid-source", ".skills/c/SKILL.md", 5),
    }


@pytest.mark.parametrize("where", ["USER_CONTEXT.md", "skillbag.lock"])
def test_an_override_or_lock_with_a_bad_address_is_named(run: Run, tmp_path: Path, where: str) -> None:
    workspace = fresh(tmp_path, 1, [need("a", "../one", "m")])
    bad = remote_lock(["a"]).replace("https://example.com/Org/repo.git", "ext::sh")
    write(workspace, {where: overrides("a: {source: 'ext::sh'}") if where == "USER_CONTEXT.md" else bad})
    outcome = run("install", cwd=workspace)
    assert outcome.code == 2
    assert where in outcome.err
    assert "ext::" in outcome.err


def test_a_folder_and_the_repository_in_it_are_two_sources(run: Run, tmp_path: Path) -> None:
    from tests.supply.sources.repositories import git

    source = make_source(tmp_path / "one", {"x": skill_text("x", body="Committed.")})
    git(source, "init", "--quiet", "--initial-branch=main")
    git(source, "add", ".")
    git(source, "commit", "--quiet", "--message", "One")
    write(source, {".skills/x/SKILL.md": skill_text("x", body="Not committed.")})
    make_source(tmp_path / "asks", {"a": skill_text("a", [need("x", "../one")])})
    workspace = fresh(tmp_path, 1, [need("x", source.as_uri(), "main"), need("a", "../asks", "m")])
    assert call(run, workspace, "install")[0] == 3
    write(workspace, {"USER_CONTEXT.md": overrides(f"x: {{source: {source.as_uri()}}}")})
    assert call(run, workspace, "install")[0] == 0
    assert body_of(workspace, "x") == "Committed."
    # The override changes to the folder as it is: the lock, of the same path, does not speak of that.
    write(workspace, {"USER_CONTEXT.md": overrides("x: {source: ../one}")})
    code, values = call(run, workspace, "install", "--yes")
    assert (code, statuses(values)["x"]) == (0, "upgraded")
    assert body_of(workspace, "x") == "Not committed."


@pytest.mark.parametrize("override", [overrides("x: {source: ../two}"), None])
def test_an_override_never_replaces_edited_or_own_skills(run: Run, tmp_path: Path, override: str | None) -> None:
    make_source(tmp_path / "one", {"x": skill_text("x", body="Of one.")})
    make_source(tmp_path / "two", {"x": skill_text("x", body="Of two.")})
    arguments = ["x", "--source", "../two"] if override is None else []

    def attempt(workspace: Path) -> tuple[int, str]:
        if override:
            write(workspace, {"USER_CONTEXT.md": override})
        code, values = call(run, workspace, "install", *arguments, "--yes")
        return code, statuses(values)["x"]

    declared = [need("x", "../one", "m")]
    workspace = fresh(tmp_path, 1, declared)
    assert call(run, workspace, "install")[0] == 0
    assert attempt(workspace) == (0, "upgraded")
    assert body_of(workspace, "x") == "Of two."

    workspace = fresh(tmp_path, 2, declared)
    assert call(run, workspace, "install")[0] == 0
    write(workspace, {".skills/x/SKILL.md": skill_text("x", body="Edited.")})
    assert attempt(workspace) == (0, "edited")
    assert body_of(workspace, "x") == "Edited."

    workspace = fresh(tmp_path, 3, declared)
    write(workspace, {".skills/x/SKILL.md": skill_text("x", body="Own.")})
    assert attempt(workspace) == (0, "skipped")
    assert body_of(workspace, "x") == "Own."


def test_missing_dependencies_come_from_the_locked_commit(run: Run, tmp_path: Path, workspace: Path) -> None:
    skills = [{"a": skill_text("a", ["x"]), "x": skill_text("x", body=f"{number}.")} for number in ("One", "Two")]
    source = repository(tmp_path / "source.git", *skills[:1])
    assert call(run, workspace, "install", "a", "--source", source.url)[0] == 0
    source.commit(source_files(skills[1]))
    shutil.rmtree(workspace / ".skills/x")
    lock = (workspace / "skillbag.lock").read_bytes()
    # Not even the lock is needed for it.
    text = (workspace / "skillbag.lock").read_text()
    write(workspace, {"skillbag.lock": text.replace('"x": {', '"y": {')})
    assert call(run, workspace, "install")[0] == 0
    assert body_of(workspace, "x") == "One."
    assert (workspace / "skillbag.lock").read_bytes() == lock


def test_a_conflict_is_settled_by_naming_one_of_both_sides(run: Run, tmp_path: Path) -> None:
    make_source(tmp_path / "one", {"x": skill_text("x", body="Of one.")})
    make_source(tmp_path / "two", ["x"])
    make_source(tmp_path / "asks", {"a": skill_text("a", [need("x", "../two")])})
    workspace = fresh(tmp_path, 1, [need("x", "../one", "m"), need("a", "../asks", "m")])
    assert call(run, workspace, "install")[0] == 3
    assert call(run, workspace, "install", "x", "--source", "../one")[0] == 0
    assert body_of(workspace, "x") == "Of one."


@pytest.mark.proves("install", "resolution.dependency-conflict")
def test_an_earlier_command_line_is_no_side_of_a_conflict(run: Run, tmp_path: Path) -> None:
    make_source(tmp_path / "one", ["x"])
    make_source(tmp_path / "two", {"x": skill_text("x", body="Of two.")})
    workspace = fresh(tmp_path, 1, [])
    assert call(run, workspace, "install", "x", "--source", "../two")[0] == 0
    shutil.copy(fresh(tmp_path, 2, [need("x", "../one", "m")]) / "CONTEXT.md", workspace)
    code, values = call(run, workspace, "install")
    assert (code, statuses(values)) == (0, {"x": "skipped"})
    assert body_of(workspace, "x") == "Of two."


def test_versions_of_a_folder_or_zip_are_words_and_never_a_conflict(run: Run, tmp_path: Path) -> None:
    make_source(tmp_path / "one", ["x"])
    make_source(tmp_path / "asks", {"a": skill_text("a", [need("x", "../one", "v2")])})
    workspace = fresh(tmp_path, 1, [need("x", "../one", "v1"), need("a", "../asks", "m")])
    assert call(run, workspace, "install")[0] == 0


@pytest.mark.parametrize("source", ["../gone", "../bad", "../two"])
def test_no_source_stands_in_the_way_of_a_skill_of_ones_own(run: Run, tmp_path: Path, source: str) -> None:
    make_source(tmp_path / "bad", {"x": "no front matter\n"})
    make_source(tmp_path / "two", {"x": skill_text("x", ["y"])})
    workspace = fresh(tmp_path, 1, [need("x", source, "m")])
    write(workspace, {".skills/x/SKILL.md": skill_text("x", body="My own.")})
    for command in ("install", "update"):
        code, values = call(run, workspace, command)
        assert (code, statuses(values)) == (0, {"x": "skipped"})
        assert "--overwrite x" in values["skills"][0]["why"]


def test_dependencies_of_own_skills_need_a_source(run: Run, tmp_path: Path) -> None:
    make_source(tmp_path / "one", {"x": skill_text("x"), "y": skill_text("y"), "a": skill_text("a")})
    workspace = fresh(tmp_path, 1, [need("x", "../one", "m"), need("a", "../one", "m")])
    write(workspace, {".skills/x/SKILL.md": skill_text("x", ["y"])})
    for command in ("install", "update"):
        code, values = call(run, workspace, command)
        assert (code, [problem["kind"] for problem in values["problems"]]) == (1, ["unresolved"])


def test_credentials_of_the_command_line_serve_for_what_is_declared_without(tmp_path: Path) -> None:
    workspace = fresh(tmp_path, 1, [need("x", "https://example.com/Org/repo.git", "v1")])
    state = InstalledState(str(workspace))
    requested = InstallRequest(skills=(SkillRequest("x", "https://me:secret@example.com/Org/repo"),))
    (wish,) = SourceSelector(state, requested).select("x", list(first_requirements(state, requested))).specs
    assert wish.version == "v1"
    assert wish.source.credentials is not None
    assert "secret" not in wish.source.declared


def test_an_earlier_command_line_counts_more_than_the_source_of_a_requester(run: Run, tmp_path: Path) -> None:
    make_source(tmp_path / "one", {"a": skill_text("a", ["x"]), "x": skill_text("x", body="Of one.")})
    make_source(tmp_path / "two", {"x": skill_text("x", body="Of two.")})
    workspace = fresh(tmp_path, 1, [need("a", "../one", "m")])
    assert call(run, workspace, "install", "x", "--source", "../two")[0] == 0
    shutil.rmtree(workspace / ".skills")
    assert call(run, workspace, "install")[0] == 0
    assert body_of(workspace, "x") == "Of two."
