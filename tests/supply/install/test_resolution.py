"""Which source and version each skill comes from, for all requesters and in any order."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.supply.install.declared import body_of, fresh, need, overrides, repository
from tests.supply.install.outcomes import installed, lock_of, statuses, values_of
from tests.supply.install.worlds import call, make_source, make_workspace, skill_text, unchanged, write
from tests.support import Run


def orders(items: Iterable[dict[str, str]]) -> list[list[dict[str, str]]]:
    """The declarations in every order."""
    return [list(order) for order in itertools.permutations(items)]


@pytest.mark.proves("install", "resolution.order", "dependencies.recurse")
def test_a_deeper_explicit_declaration_wins_over_a_sibling(run: Run, tmp_path: Path) -> None:
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


def test_a_late_declaration_changes_the_dependencies(run: Run, tmp_path: Path, workspace: Path) -> None:
    make_source(
        tmp_path / "one",
        {"a": skill_text("a", ["x", "y"]), "x": skill_text("x", ["old"]), "old": skill_text("old")}
        | {"y": skill_text("y", [need("x", "../two")])},
    )
    make_source(tmp_path / "two", {"x": skill_text("x", ["new"]), "new": skill_text("new")})
    assert call(run, workspace, "install", "a", "--source", "../one")[0] == 0
    assert installed(workspace) == ["a", "new", "x", "y"]


def test_declarations_that_are_found_one_level_at_a_time(run: Run, tmp_path: Path, workspace: Path) -> None:
    # A sibling in the level above declares each level's source: as many walks as there are levels.
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
    assert call(run, workspace, "install", "x0", "--source", "../s0")[0] == 0
    assert body_of(workspace, f"x{levels}") == "At last."
    assert body_of(workspace, "x3") == "Of 3."


def test_declarations_that_depend_on_themselves_are_a_conflict(run: Run, tmp_path: Path, workspace: Path) -> None:
    # From its own source `x` needs `p`, which wants `y` from elsewhere, where it does not want `x` from elsewhere ….
    make_source(
        tmp_path / "one",
        {"a": skill_text("a", ["x", "y"]), "x": skill_text("x", ["p"]), "y": skill_text("y", ["q"])}
        | {"p": skill_text("p", [need("y", "../two")]), "q": skill_text("q", [need("x", "../two")])},
    )
    make_source(tmp_path / "two", ["x", "y"])
    with unchanged(workspace):
        values = values_of(run, workspace, "install", "a", "--source", "../one", code=3)
        conflicts = [problem for problem in values["problems"] if problem["kind"] == "conflict"]
        assert {problem["message"].partition(":")[0] for problem in conflicts} == {"x", "y"}
        ways = {tuple(way) for problem in conflicts for way in problem["chains"]}
        assert ("command line", "a", "x", "p", "y", "../two") in ways


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
def test_an_override_settles_only_the_conflict_of_its_own_field(run: Run, tmp_path: Path) -> None:
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
def test_sources_and_versions_of_the_command_line(run: Run, tmp_path: Path) -> None:
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
def test_a_name_alone_comes_from_the_only_source_that_has_it_in_any_order(run: Run, tmp_path: Path) -> None:
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
    values = values_of(run, workspace, "install", code=3)
    assert [chain[1:] for chain in values["problems"][0]["chains"]] == [["a", "x"], ["c", "x"]]
    write(workspace, {".skills/x/SKILL.md": skill_text("x", body="My own.")})
    assert call(run, workspace, "install")[0] == 0
    assert body_of(workspace, "x") == "My own."


def test_a_bare_name_at_two_versions_conflicts_only_if_they_differ(run: Run, tmp_path: Path) -> None:
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
def test_an_unresolved_name_is_reported_with_what_needs_it(run: Run, tmp_path: Path) -> None:
    make_source(tmp_path / "one", {"a": skill_text("a", ["b"]), "b": skill_text("b", ["nowhere"])})
    workspace = fresh(tmp_path, 1, [need("a", "../one", "m")])
    code, values = call(run, workspace, "install")
    (problem,) = values["problems"]
    assert (code, problem["kind"], problem["clause"]) == (1, "unresolved", "dependencies.local-name")
    assert problem["chains"] == [["CONTEXT.md:5", "a", "b", "nowhere"]]
    assert "--source" in problem["fix"]


def test_the_reserved_skill_as_a_dependency_and_with_all(run: Run, tmp_path: Path, workspace: Path) -> None:
    make_source(tmp_path / "one", {"a": skill_text("a", ["skillbag-get-skills"])})
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
