"""Which source and version each skill comes from, whoever asks for it and in whatever order."""

from __future__ import annotations

import itertools
import json
import random
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from skillbag.install.outcome import ProblemKind
from skillbag.install.requirements import RequestSet, SkillRequest, first_requirements
from skillbag.install.resolve import resolve
from skillbag.install.source_selection import SourceSelector
from skillbag.install.state import InstalledState
from skillbag.sources.fetch import Fetcher
from tests.install.declared import body_of, need, overrides
from tests.install.worlds import (
    call,
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
from tests.sources.repositories import Repository, make_repository
from tests.support import Run

Skills = Mapping[str, str]


def repository(folder: Path, *versions: Skills) -> Repository:
    """A git source with a tag v1, v2 … for each state of its skills."""
    made = make_repository(folder)
    for number, skills in enumerate(versions, 1):
        made.git("tag", f"v{number}", made.commit(source_files(skills)))
    return made


def orders(items: Iterable[dict[str, str]]) -> list[list[dict[str, str]]]:
    """The declarations in every order."""
    return [list(order) for order in itertools.permutations(items)]


def fresh(tmp_path: Path, number: int, dependencies: Iterable[Mapping[str, str]], user_context: str = "") -> Path:
    """A workspace of its own beside the others, so that sources are at `../`."""
    return make_workspace(tmp_path / f"work{number}", dependencies, user_context)


@pytest.mark.proves("install", "resolution.order", "dependencies.recurse")
def test_a_sibling_gives_way_to_an_explicit_declaration_that_comes_to_light_deeper_down(
    run: Run, tmp_path: Path
) -> None:
    # `x` is wanted by its name; only a sibling that is found at the same moment brings who says where it is from.
    make_source(
        tmp_path / "one",
        {"a": skill_text("a", ["x", "y"]), "x": skill_text("x", body="Of one."), "y": skill_text("y", ["z"])}
        | {"z": skill_text("z", [need("x", "../two")])},
    )
    make_source(tmp_path / "two", {"x": skill_text("x", body="Of two.")})
    make_source(tmp_path / "three", {"c": skill_text("c")})
    for number, order in enumerate(orders([need("a", "../one", "m"), need("c", "../three", "m")])):
        workspace = fresh(tmp_path, number, order)
        assert call(run, workspace, "install")[0] == 0
        assert body_of(workspace, "x") == "Of two."
        assert lock_of(workspace)["x"]["asked_by"] == ["a", "z"]


def test_what_comes_to_light_late_takes_along_what_it_needs_and_leaves_what_nobody_needs(
    run: Run, tmp_path: Path
) -> None:
    make_source(
        tmp_path / "one",
        {"a": skill_text("a", ["x", "y"]), "x": skill_text("x", ["old"]), "old": skill_text("old")}
        | {"y": skill_text("y", [need("x", "../two")])},
    )
    make_source(tmp_path / "two", {"x": skill_text("x", ["new"]), "new": skill_text("new")})
    workspace = make_workspace(tmp_path / "work")
    assert call(run, workspace, "install", "a", "--source", "../one")[0] == 0
    assert installed(workspace) == ["a", "new", "x", "y"]


def test_declarations_that_come_to_light_one_after_the_other(run: Run, tmp_path: Path) -> None:
    # Each level's explicit source is told by the sibling of the level above: as many walks as there are levels.
    levels = 6
    for level in range(levels):
        below = f"x{level + 1}"
        skills = {
            f"x{level}": skill_text(f"x{level}", [below, f"y{level}"], body=f"Of {level}."),
            below: skill_text(below, body="Too early."),
            f"y{level}": skill_text(f"y{level}", [need(below, f"../s{level + 1}")]),
        }
        make_source(tmp_path / f"s{level}", skills)
    make_source(tmp_path / f"s{levels}", {f"x{levels}": skill_text(f"x{levels}", body="At last.")})
    workspace = make_workspace(tmp_path / "work")
    assert call(run, workspace, "install", "x0", "--source", "../s0")[0] == 0
    assert body_of(workspace, f"x{levels}") == "At last."
    assert body_of(workspace, "x3") == "Of 3."


def test_what_is_declared_only_because_it_comes_from_elsewhere_is_told_and_not_chosen(run: Run, tmp_path: Path) -> None:
    # From its own source `x` needs `p`, which wants `y` from elsewhere, where it does not want `x` from elsewhere ….
    make_source(
        tmp_path / "one",
        {"a": skill_text("a", ["x", "y"]), "x": skill_text("x", ["p"]), "y": skill_text("y", ["q"])}
        | {"p": skill_text("p", [need("y", "../two")]), "q": skill_text("q", [need("x", "../two")])},
    )
    make_source(tmp_path / "two", ["x", "y"])
    workspace = make_workspace(tmp_path / "work")
    before = snapshot(workspace)
    code, values = call(run, workspace, "install", "a", "--source", "../one")
    assert code == 3
    conflicts = [problem for problem in values["problems"] if problem["kind"] == "conflict"]
    assert {problem["message"].partition(":")[0] for problem in conflicts} == {"x", "y"}
    ways = {tuple(way) for problem in conflicts for way in problem["chains"]}
    assert ("command line", "a", "x", "p", "y", "../two") in ways
    assert snapshot(workspace) == before


@pytest.mark.proves("install", "resolution.dependency-conflict")
def test_a_pin_counts_whenever_it_arrives(run: Run, tmp_path: Path) -> None:
    x = repository(tmp_path / "x.git", {"x": skill_text("x", body="One.")}, {"x": skill_text("x", body="Two.")})
    make_source(tmp_path / "open", {"a": skill_text("a", [need("x", x.url)])})
    make_source(tmp_path / "pins", {"b": skill_text("b", ["c"]), "c": skill_text("c", [need("x", x.url, "v1")])})
    for number, order in enumerate(orders([need("a", "../open", "m"), need("b", "../pins", "m")])):
        workspace = fresh(tmp_path, number, order)
        assert call(run, workspace, "install")[0] == 0
        assert body_of(workspace, "x") == "One."
        assert lock_of(workspace)["x"]["requested"] == "v1"


@pytest.mark.proves("install", "resolution.dependency-conflict")
def test_two_pins_are_a_conflict_unless_they_are_one_commit(run: Run, tmp_path: Path) -> None:
    x = repository(tmp_path / "x.git", {"x": skill_text("x", body="One.")}, {"x": skill_text("x", body="Two.")})
    commit = x.git("rev-parse", "v1")
    make_source(tmp_path / "same", {"a": skill_text("a", [need("x", x.url, commit)])})
    make_source(tmp_path / "other", {"a": skill_text("a", [need("x", x.url, "v2")])})
    x.git("tag", "v1.0", "v1")
    workspace = fresh(tmp_path, 1, [need("x", x.url, "v1"), need("x", x.url, "v1.0"), need("a", "../same", "m")])
    assert call(run, workspace, "install")[0] == 0
    code, values = call(run, workspace, "install")
    assert (code, values["changed"], statuses(values)) == (0, [], {"a": "current", "x": "current"})
    # The commit instead of the tag is the same declaration, to the lock as well.
    committed = fresh(tmp_path, 2, [need("x", x.url, commit), need("a", "../same", "m")])
    shutil.copy(committed / "CONTEXT.md", workspace)
    assert statuses(call(run, workspace, "install")[1]) == {"a": "current", "x": "current"}
    assert call(run, workspace, "install", "--frozen")[0] == 0
    for number, order in enumerate(orders([need("x", x.url, "v1"), need("a", "../other", "m")]), 3):
        workspace = fresh(tmp_path, number, order)
        code, values = call(run, workspace, "install")
        assert (code, len(values["problems"])) == (3, 1)
        assert {chain[-1] for chain in values["problems"][0]["chains"]} == {f"{x.url} v1", f"{x.url} v2"}
        assert not (workspace / ".skills").exists()


@pytest.mark.proves("install", "resolution.dependency-conflict")
def test_a_pin_without_a_source_binds_the_source_that_another_names(run: Run, tmp_path: Path) -> None:
    x = repository(tmp_path / "x.git", {"x": skill_text("x", body="One.")}, {"x": skill_text("x", body="Two.")})
    make_source(tmp_path / "one", {"a": skill_text("a", [need("x", version="v1")])})
    workspace = fresh(tmp_path, 1, [need("x", x.url, "v2"), need("a", "../one", "m")])
    assert call(run, workspace, "install")[0] == 3


@pytest.mark.proves("install", "resolution.dependency-conflict")
def test_an_override_of_the_version_alone_leaves_a_conflict_of_sources_and_the_other_way_round(
    run: Run, tmp_path: Path
) -> None:
    states = [{"x": skill_text("x", body=f"{number}.")} for number in ("One", "Two")]
    x, other = repository(tmp_path / "x.git", *states), repository(tmp_path / "other.git", *states)
    make_source(tmp_path / "pins", {"a": skill_text("a", [need("x", x.url, "v2")])})
    make_source(tmp_path / "elsewhere", {"a": skill_text("a", [need("x", other.url)])})
    sources = [need("x", x.url, "v1"), need("a", "../elsewhere", "m")]
    pins = [need("x", x.url, "v1"), need("a", "../pins", "m")]
    numbers = itertools.count()

    def outcome(dependencies: list[dict[str, str]], override: str) -> int:
        return call(run, fresh(tmp_path, next(numbers), dependencies, overrides(override)), "install")[0]

    assert outcome(sources, "x: {version: v2}") == 3
    assert outcome(sources, f"x: {{source: {other.url}}}") == 0
    assert outcome(pins, f"x: {{source: {other.url}}}") == 3
    assert outcome(pins, "x: {version: v2}") == 0


def test_an_override_gives_what_it_gives_and_leaves_the_rest_as_declared(run: Run, tmp_path: Path) -> None:
    states = [{"x": skill_text("x", body=f"{number}.")} for number in ("One", "Two")]
    x, fork = repository(tmp_path / "x.git", *states), repository(tmp_path / "fork.git", *states)
    for number, (override, source, version) in enumerate(
        ((f"{{source: {fork.url}}}", fork.url, "v1"), ("{version: v2}", x.url, "v2"))
    ):
        workspace = fresh(tmp_path, number, [need("x", x.url, "v1")], overrides(f"x: {override}"))
        assert call(run, workspace, "install")[0] == 0
        assert (lock_of(workspace)["x"]["source"], lock_of(workspace)["x"]["requested"]) == (source, version)
        assert call(run, workspace, "install", "--frozen")[0] == 0
        assert call(run, workspace, "install")[1]["changed"] == []


@pytest.mark.proves("install", "resolution.order", "bootstrap.default-head")
def test_a_source_on_the_command_line_brings_its_own_version_and_a_version_leaves_the_source(
    run: Run, tmp_path: Path
) -> None:
    states = [{"x": skill_text("x", body=f"{number}.")} for number in ("One", "Two")]
    x, fork = repository(tmp_path / "x.git", *states), repository(tmp_path / "fork.git", *states)
    declared = [need("x", x.url, "v1")]

    workspace = fresh(tmp_path, 1, declared)
    assert call(run, workspace, "install", "x", "--source", fork.url)[0] == 0
    assert (lock_of(workspace)["x"]["source"], body_of(workspace, "x")) == (fork.url, "Two.")

    # The same source: what is declared of it still holds.
    workspace = fresh(tmp_path, 2, declared)
    assert call(run, workspace, "install", "x", "--source", x.url)[0] == 0
    assert body_of(workspace, "x") == "One."

    # Over the user's override, of which the source stays.
    workspace = fresh(tmp_path, 3, declared, overrides(f"x: {{source: {fork.url}}}"))
    assert call(run, workspace, "install", "x", "--version", "v2")[0] == 0
    assert (lock_of(workspace)["x"]["source"], body_of(workspace, "x")) == (fork.url, "Two.")


@pytest.mark.proves("install", "resolution.order", "dependencies.local-name")
def test_a_sibling_can_be_overridden_by_its_version_alone(run: Run, tmp_path: Path) -> None:
    skills = [{"a": skill_text("a", ["x"]), "x": skill_text("x", body=f"{number}.")} for number in ("One", "Two")]
    source = repository(tmp_path / "source.git", *skills)
    workspace = fresh(tmp_path, 1, [need("a", source.url, "v1")], overrides("x: {version: v2}"))
    assert call(run, workspace, "install")[0] == 0
    assert body_of(workspace, "x") == "Two."


@pytest.mark.proves("install", "dependencies.local-name")
def test_a_name_alone_is_content_with_the_one_source_that_has_it_whoever_asks_first(run: Run, tmp_path: Path) -> None:
    make_source(tmp_path / "has", {"a": skill_text("a", ["x"]), "x": skill_text("x")})
    make_source(tmp_path / "lacks", {"c": skill_text("c", ["x"])})
    for number, order in enumerate(orders([need("a", "../has", "m"), need("c", "../lacks", "m")])):
        workspace = fresh(tmp_path, number, order)
        code, values = call(run, workspace, "install")
        assert code == 0, values["problems"]
        assert lock_of(workspace)["x"]["source"] == "../has"
        assert lock_of(workspace)["x"]["asked_by"] == ["a", "c"]


@pytest.mark.proves("install", "dependencies.local-name", "resolution.dependency-conflict")
def test_a_name_alone_that_two_sources_have_is_a_conflict_until_it_is_installed(run: Run, tmp_path: Path) -> None:
    make_source(tmp_path / "one", {"a": skill_text("a", ["x"]), "x": skill_text("x", body="Of one.")})
    make_source(tmp_path / "two", {"c": skill_text("c", ["x"]), "x": skill_text("x", body="Of two.")})
    workspace = fresh(tmp_path, 1, [need("a", "../one", "m"), need("c", "../two", "m")])
    code, values = call(run, workspace, "install")
    assert code == 3
    assert [chain[1:] for chain in values["problems"][0]["chains"]] == [["a", "x"], ["c", "x"]]
    write(workspace, {".skills/x/SKILL.md": skill_text("x", body="My own.")})
    assert call(run, workspace, "install")[0] == 0
    assert body_of(workspace, "x") == "My own."


def test_a_name_alone_at_two_versions_of_one_source_is_a_conflict_only_if_the_skills_differ(
    run: Run, tmp_path: Path
) -> None:
    def state(body: str) -> dict[str, str]:
        skills = {"a": skill_text("a", ["x"]), "b": skill_text("b", ["x"]), "x": skill_text("x", body=body)}
        return {**skills, "more": skill_text("more", body=f"{body} and more.")}

    same = repository(tmp_path / "same.git", state("One."), {**state("One."), "more": skill_text("more", body="…")})
    workspace = fresh(tmp_path, 1, [need("a", same.url, "v1"), need("b", same.url, "v2")])
    assert call(run, workspace, "install")[0] == 0
    other = repository(tmp_path / "other.git", state("One."), state("Two."))
    for number, order in enumerate(orders([need("a", other.url, "v1"), need("b", other.url, "v2")]), 2):
        code, values = call(run, fresh(tmp_path, number, order), "install")
        assert (code, values["problems"][0]["kind"]) == (3, "conflict")


@pytest.mark.proves("install", "dependencies.local-name")
def test_a_needed_name_that_is_nowhere_is_told_with_who_needs_it(run: Run, tmp_path: Path) -> None:
    make_source(tmp_path / "one", {"a": skill_text("a", ["b"]), "b": skill_text("b", ["nowhere"])})
    workspace = fresh(tmp_path, 1, [need("a", "../one", "m")])
    code, values = call(run, workspace, "install")
    (problem,) = values["problems"]
    assert (code, problem["kind"], problem["clause"]) == (1, "unresolved", "dependencies.local-name")
    assert problem["chains"] == [["CONTEXT.md:5", "a", "b", "nowhere"]]
    assert "--source" in problem["fix"]


def test_the_reserved_skill_satisfies_who_needs_it_by_name_and_is_no_part_of_all(run: Run, tmp_path: Path) -> None:
    make_source(tmp_path / "one", {"a": skill_text("a", ["skillbag-get-skills"])})
    workspace = make_workspace(tmp_path / "work")
    assert call(run, workspace, "install", "a", "--source", "../one")[0] == 0
    reserved = (workspace / ".skills/skillbag-get-skills/SKILL.md").read_text()
    theirs = reserved.replace("Install each skill", "Carefully install each skill")
    line = "skillbag-get-skills: Install one or more skills into .skills/.\n"
    source = make_source(tmp_path / "two", {"b": skill_text("b"), "skillbag-get-skills": theirs})
    catalog = (source / ".skills/SKILLS.md").read_text().splitlines(keepends=True)
    write(source, {".skills/SKILLS.md": catalog[0] + line})
    second = make_workspace(tmp_path / "second")
    assert call(run, second, "install", "--all", "--source", "../two")[0] == 0
    assert installed(second) == ["b"]
    assert set(lock_of(second)) == {"b"}
    assert (second / ".skills/skillbag-get-skills/SKILL.md").read_text() == reserved


LOCAL = ["../x", "../x.zip", "/srv/x", "~/x", "file:///srv/x.git", "x.git"]


@pytest.mark.parametrize("address", LOCAL)
def test_a_skill_from_afar_names_no_path_of_this_machine(run: Run, tmp_path: Path, address: str) -> None:
    # Locked from afar and installed already: its word about its dependencies counts as theirs.
    workspace = make_workspace(tmp_path / "work")
    write(workspace, {".skills/a/SKILL.md": skill_text("a", [need("x", address)]), "skillbag.lock": locked_afar(["a"])})
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


def locked_afar(names: Iterable[str]) -> str:
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


def test_every_address_that_can_t_be_used_is_told_with_its_place(run: Run, tmp_path: Path) -> None:
    make_source(tmp_path / "one", {"c": skill_text("c", [need("d", "ftp://example.com/x")])})
    workspace = fresh(tmp_path, 1, [need("a", "ext::sh", "m"), need("b", "data:x", "m"), need("c", "../one", "m")])
    code, values = call(run, workspace, "install")
    assert code == 2
    places = {(problem["kind"], problem["path"], problem["line"]) for problem in values["problems"]}
    assert places == {
        ("usage", "CONTEXT.md", 5),
        ("usage", "CONTEXT.md", 8),
        ("invalid-source", ".skills/c/SKILL.md", 5),
    }


@pytest.mark.parametrize("where", ["USER_CONTEXT.md", "skillbag.lock"])
def test_an_override_or_lock_with_a_bad_address_is_named(run: Run, tmp_path: Path, where: str) -> None:
    workspace = fresh(tmp_path, 1, [need("a", "../one", "m")])
    bad = locked_afar(["a"]).replace("https://example.com/Org/repo.git", "ext::sh")
    write(workspace, {where: overrides("a: {source: 'ext::sh'}") if where == "USER_CONTEXT.md" else bad})
    outcome = run("install", cwd=workspace)
    assert outcome.code == 2
    assert where in outcome.err
    assert "ext::" in outcome.err


def test_a_folder_and_the_repository_in_it_are_two_sources(run: Run, tmp_path: Path) -> None:
    from tests.sources.repositories import git

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
def test_an_override_replaces_what_is_installed_but_never_what_is_edited_or_own(
    run: Run, tmp_path: Path, override: str | None
) -> None:
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


def test_what_an_installed_skill_lacks_comes_from_the_commit_that_it_came_from(run: Run, tmp_path: Path) -> None:
    skills = [{"a": skill_text("a", ["x"]), "x": skill_text("x", body=f"{number}.")} for number in ("One", "Two")]
    source = repository(tmp_path / "source.git", *skills[:1])
    workspace = make_workspace(tmp_path / "work")
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
def test_what_was_asked_for_by_hand_earlier_is_history_and_no_side_of_a_conflict(run: Run, tmp_path: Path) -> None:
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


def test_what_a_skill_of_ones_own_needs_is_not_looked_for_where_it_might_have_come_from(
    run: Run, tmp_path: Path
) -> None:
    make_source(tmp_path / "one", {"x": skill_text("x"), "y": skill_text("y"), "a": skill_text("a")})
    workspace = fresh(tmp_path, 1, [need("x", "../one", "m"), need("a", "../one", "m")])
    write(workspace, {".skills/x/SKILL.md": skill_text("x", ["y"])})
    for command in ("install", "update"):
        code, values = call(run, workspace, command)
        assert (code, [problem["kind"] for problem in values["problems"]]) == (1, ["unresolved"])


def test_credentials_of_the_command_line_serve_for_what_is_declared_without(tmp_path: Path) -> None:
    workspace = fresh(tmp_path, 1, [need("x", "https://example.com/Org/repo.git", "v1")])
    state = InstalledState(str(workspace))
    asked = RequestSet((SkillRequest("x", "https://me:secret@example.com/Org/repo"),))
    (wish,) = SourceSelector(state, asked).select("x", list(first_requirements(state, asked))).specs
    assert wish.version == "v1"
    assert wish.source.credentials is not None
    assert "secret" not in wish.source.declared


def test_where_it_was_asked_for_by_hand_stands_above_the_source_of_who_needs_the_name(run: Run, tmp_path: Path) -> None:
    make_source(tmp_path / "one", {"a": skill_text("a", ["x"]), "x": skill_text("x", body="Of one.")})
    make_source(tmp_path / "two", {"x": skill_text("x", body="Of two.")})
    workspace = fresh(tmp_path, 1, [need("a", "../one", "m")])
    assert call(run, workspace, "install", "x", "--source", "../two")[0] == 0
    shutil.rmtree(workspace / ".skills")
    assert call(run, workspace, "install")[0] == 0
    assert body_of(workspace, "x") == "Of two."


def test_siblings_come_with_the_version_that_is_declared_now_not_with_the_locked_one(run: Run, tmp_path: Path) -> None:
    skills = [{"a": skill_text("a", ["x"]), "x": skill_text("x", body=f"{number}.")} for number in ("One", "Two")]
    source = repository(tmp_path / "source.git", *skills)
    workspace = fresh(tmp_path, 1, [need("a", source.url, "v1")])
    assert call(run, workspace, "install")[0] == 0
    context = workspace / "CONTEXT.md"
    context.write_text(context.read_text().replace("v1", "v2"))
    shutil.rmtree(workspace / ".skills")
    assert call(run, workspace, "install")[0] == 0
    assert body_of(workspace, "x") == "Two."


@pytest.mark.proves("install", "dependencies.acyclic")
@pytest.mark.parametrize("start", ["a", "b"])
def test_a_circle_through_what_is_installed_or_within_one_source(run: Run, tmp_path: Path, start: str) -> None:
    make_source(tmp_path / "one", {"a": skill_text("a", [need("b", "../two")])})
    make_source(tmp_path / "two", ["b"])
    workspace = make_workspace(tmp_path / "work")
    assert call(run, workspace, "install", "a", "--source", "../one")[0] == 0
    write(workspace, {".skills/b/SKILL.md": skill_text("b", ["a"])})
    code, values = call(run, workspace, "install", start)
    assert (code, [problem["kind"] for problem in values["problems"]]) == (3, ["cycle"])
    assert "a -> b -> a" in values["problems"][0]["message"]


def test_a_skill_that_needs_itself_is_a_circle(run: Run, tmp_path: Path) -> None:
    make_source(tmp_path / "one", {"a": skill_text("a", [need("a", "../one")])})
    workspace = make_workspace(tmp_path / "work")
    code, values = call(run, workspace, "install", "a", "--source", "../one")
    # The source's own check says so as well.
    assert code == 3
    assert "cycle" in {problem["kind"] for problem in values["problems"]}


@pytest.mark.proves("install", "install.all-or-nothing")
def test_all_that_is_wrong_is_told_at_once_and_the_gravest_decides(run: Run, tmp_path: Path) -> None:
    make_source(tmp_path / "invalid", {"b": "no front matter\n"})
    make_source(tmp_path / "one", ["x"])
    make_source(tmp_path / "asks", {"c": skill_text("c", [need("x", "../one")])})
    make_source(tmp_path / "two", ["x"])
    dependencies = [need("b", "../invalid", "m"), need("x", "../two", "m"), need("c", "../asks", "m")]
    workspace = fresh(tmp_path, 1, [*dependencies, need("a", "../gone", "m")])
    before = snapshot(workspace)
    code, values = call(run, workspace, "install")
    assert code == 4
    assert {problem["kind"] for problem in values["problems"]} == {"fetch", "invalid-source", "conflict"}
    (fetch,) = [problem for problem in values["problems"] if problem["kind"] == "fetch"]
    assert fetch["chains"] == [["CONTEXT.md:14", "a", "../gone m"]]
    assert snapshot(workspace) == before
    assert call(run, fresh(tmp_path, 2, dependencies), "install")[0] == 3


def test_one_unreachable_source_of_many_skills_is_told_once(run: Run, tmp_path: Path) -> None:
    names = [f"s{number}" for number in range(20)]
    workspace = fresh(tmp_path, 1, [need(name, "../gone", "m") for name in names])
    code, values = call(run, workspace, "install")
    (problem,) = values["problems"]
    assert (code, problem["kind"], len(problem["chains"])) == (4, "fetch", 3)


@pytest.mark.proves("install", "precedence.prohibition")
def test_a_prohibition_binds_lower_levels_only(run: Run, tmp_path: Path) -> None:
    make_source(tmp_path / "one", {"a": skill_text("a", ["b"]), "b": skill_text("b")})
    prohibit = "```yaml\nprohibit:\n  skills: [a, b]\n```\n"
    workspace = fresh(tmp_path, 1, [need("a", "../one", "m")])
    with (workspace / "CONTEXT.md").open("a") as context:
        context.write("\n" + prohibit)
    code, values = call(run, workspace, "install")
    # CONTEXT.md does not bind itself, but what skills ask for.
    assert (code, statuses(values)) == (0, {"a": "installed", "b": "left-out"})
    workspace = fresh(tmp_path, 2, [need("a", "../one", "m")], prohibit)
    code, values = call(run, workspace, "install")
    assert (code, statuses(values)) == (0, {"a": "left-out"})
    # Nor does the lock of somebody else bring it in.
    third = fresh(tmp_path, 3, [need("a", "../one", "m")])
    assert call(run, third, "install")[0] == 0
    write(workspace, {"skillbag.lock": (third / "skillbag.lock").read_bytes()})
    lock = (workspace / "skillbag.lock").read_bytes()
    code, values = call(run, workspace, "install", "--frozen")
    assert (code, statuses(values)) == (0, {"a": "left-out", "b": "left-out"})
    assert installed(workspace) == []
    assert (workspace / "skillbag.lock").read_bytes() == lock


def test_an_optional_dependency_conflicts_only_when_it_is_asked_for(run: Run, tmp_path: Path) -> None:
    make_source(tmp_path / "one", ["x"])
    make_source(tmp_path / "two", ["x"])
    make_source(tmp_path / "asks", {"a": skill_text("a", [need("x", "../two", required="false")])})
    workspace = fresh(tmp_path, 1, [need("x", "../one", "m"), need("a", "../asks", "m")])
    code, values = call(run, workspace, "install")
    assert (code, statuses(values)) == (0, {"a": "installed", "x": "installed"})
    assert lock_of(workspace)["x"]["asked_by"] == ["CONTEXT.md"]
    assert call(run, workspace, "install", "--optional")[0] == 3


def test_a_dependency_that_one_may_and_another_must_have_is_installed(run: Run, tmp_path: Path) -> None:
    skills = {"a": skill_text("a", [need("x", required="false")]), "b": skill_text("b", ["x"]), "x": skill_text("x")}
    make_source(tmp_path / "one", skills)
    workspace = make_workspace(tmp_path / "work")
    code, values = call(run, workspace, "install", "a", "b", "--source", "../one")
    assert (code, statuses(values)) == (0, {"a": "installed", "b": "installed", "x": "installed"})
    assert values["notes"] == []


def _random_world(seed: int) -> tuple[dict[str, dict[str, list[dict[str, str]]]], list[dict[str, str]]]:
    """Three sources with skills that need each other by name or by source, and what `CONTEXT.md` declares of them."""
    chance = random.Random(seed)
    names, folders = [f"n{number}" for number in range(6)], ["s0", "s1", "s2"]

    def needs(user: str) -> list[dict[str, str]]:
        others = [name for name in names if name != user]
        chosen = chance.sample(others, chance.choice([0, 0, 1, 1, 2]))
        return [need(name, chance.choice([None, None, *(f"../{folder}" for folder in folders)])) for name in chosen]

    sources = {folder: {name: needs(name) for name in chance.sample(names, chance.randint(2, 5))} for folder in folders}
    offered = [need(name, f"../{folder}", "m") for folder in folders for name in sources[folder]]
    return sources, chance.sample(offered, 3)


@pytest.mark.parametrize("seed", range(60))
def test_the_order_in_which_things_are_declared_decides_nothing(tmp_path: Path, seed: int) -> None:
    sources, declared = _random_world(seed)
    found: list[tuple[set[ProblemKind], dict[str, tuple[str | None, set[str]]]]] = []
    for order in (1, -1):
        for folder, skills in sources.items():
            texts = {name: skill_text(name, needs[::order], body=folder) for name, needs in skills.items()}
            make_source(tmp_path / folder, texts)
        workspace = fresh(tmp_path, order, declared[::order])
        resolution = resolve(InstalledState(str(workspace)), RequestSet(), Fetcher())
        kinds = {problem.kind for problem in resolution.problems}
        if ProblemKind.CONFLICT in kinds:
            # What is behind one of two sources that can't both be had is looked at or not.
            found.append((kinds & {ProblemKind.CONFLICT}, {}))
            continue
        chosen = {
            name: (one.fetched.source.declared if one.fetched else None, {claim.by for claim in one.requirements})
            for name, one in resolution.chosen.items()
        }
        found.append((kinds, chosen))
    assert found[0] == found[1]
