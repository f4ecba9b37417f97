"""Cycles, optional dependencies, prohibitions, and that the order of declarations makes no difference."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from skillbag.supply.install.outcome import ProblemKind
from skillbag.supply.install.request import InstallRequest
from skillbag.supply.install.resolve import resolve
from skillbag.supply.install.state import InstalledState
from skillbag.supply.sources.fetch import Fetcher
from tests.rows import each_row
from tests.supply.install.declared import body_of, fresh, need, repository
from tests.supply.install.outcomes import installed, lock_of, statuses, values_of
from tests.supply.install.worlds import call, make_source, skill_text, unchanged, write
from tests.support import Run


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
def test_a_cycle_through_installed_skills(run: Run, tmp_path: Path, workspace: Path, start: str) -> None:
    make_source(tmp_path / "one", {"a": skill_text("a", [need("b", "../two")])})
    make_source(tmp_path / "two", ["b"])
    assert call(run, workspace, "install", "a", "--source", "../one")[0] == 0
    write(workspace, {".skills/b/SKILL.md": skill_text("b", ["a"])})
    code, values = call(run, workspace, "install", start)
    assert (code, [problem["kind"] for problem in values["problems"]]) == (3, ["cycle"])
    assert "a -> b -> a" in values["problems"][0]["message"]


def test_a_skill_that_needs_itself_is_a_circle(run: Run, tmp_path: Path, workspace: Path) -> None:
    make_source(tmp_path / "one", {"a": skill_text("a", [need("a", "../one")])})
    code, values = call(run, workspace, "install", "a", "--source", "../one")
    # The source's own check says so as well.
    assert code == 3
    assert "cycle" in {problem["kind"] for problem in values["problems"]}


@pytest.mark.proves("install", "install.all-or-nothing")
def test_all_problems_are_reported_and_the_most_severe_gives_the_exit_code(run: Run, tmp_path: Path) -> None:
    make_source(tmp_path / "invalid", {"b": "no front matter\n"})
    make_source(tmp_path / "one", ["x"])
    make_source(tmp_path / "asks", {"c": skill_text("c", [need("x", "../one")])})
    make_source(tmp_path / "two", ["x"])
    dependencies = [need("b", "../invalid", "m"), need("x", "../two", "m"), need("c", "../asks", "m")]
    workspace = fresh(tmp_path, 1, [*dependencies, need("a", "../gone", "m")])
    with unchanged(workspace):
        values = values_of(run, workspace, "install", code=4)
        assert {problem["kind"] for problem in values["problems"]} == {"fetch", "invalid-source", "conflict"}
        (fetch,) = [problem for problem in values["problems"] if problem["kind"] == "fetch"]
        assert fetch["chains"] == [["CONTEXT.md:14", "a", "../gone m"]]
    assert call(run, fresh(tmp_path, 2, dependencies), "install")[0] == 3


def test_an_unreachable_source_of_many_skills_is_reported_once(run: Run, tmp_path: Path) -> None:
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
    assert call(run, workspace, "install", "--accept=optional")[0] == 3


def test_a_dependency_that_is_optional_only_for_one_skill(run: Run, tmp_path: Path, workspace: Path) -> None:
    skills = {"a": skill_text("a", [need("x", required="false")]), "b": skill_text("b", ["x"]), "x": skill_text("x")}
    make_source(tmp_path / "one", skills)
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


@each_row("seed", range(60))
def test_the_order_in_which_things_are_declared_decides_nothing(tmp_path: Path, seed: int) -> None:
    sources, declared = _random_world(seed)
    found: list[tuple[set[ProblemKind], dict[str, tuple[str | None, set[str]]]]] = []
    for order in (1, -1):
        for folder, skills in sources.items():
            texts = {name: skill_text(name, needs[::order], body=folder) for name, needs in skills.items()}
            make_source(tmp_path / folder, texts)
        workspace = fresh(tmp_path, order, declared[::order])
        resolution = resolve(InstalledState(str(workspace)), InstallRequest(), Fetcher())
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
