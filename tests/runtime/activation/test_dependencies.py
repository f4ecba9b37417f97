"""Dependencies: order, versions, cycles, and what blocks what."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from skillbag.kernel.manifest.names import Platform
from skillbag.kernel.manifest.values import Compatibility, SkillDependency
from skillbag.runtime.activation.compatibility import incompatibility
from skillbag.runtime.activation.dependencies import resolve
from skillbag.runtime.skill import FoundSkill
from tests.rows import each_row
from tests.runtime.found import found


def needing(name: str, *needed: str | SkillDependency, version: str = "1.0.0") -> FoundSkill:
    """A skill with dependencies; `?b` is an optional one."""
    dependencies = [
        one if isinstance(one, SkillDependency) else SkillDependency(one.lstrip("?"), optional=one.startswith("?"))
        for one in needed
    ]
    return found(name, version=version, dependencies=tuple(dependencies))


def test_dependencies_come_first_and_names_decide_among_equals() -> None:
    resolution = resolve([needing("a", "d", "c"), needing("d"), needing("c", "d"), needing("b")], {})
    assert resolution.order == ("b", "d", "c", "a")
    assert (resolution.blocked, resolution.remarks) == ({}, ())


def test_a_missing_dependency_blocks_its_dependents_and_no_others() -> None:
    resolution = resolve(
        [needing("a", "b"), needing("b", "c"), needing("c", "x"), needing("d"), needing("e", "?a")], {}
    )
    assert resolution.order == ("d", "e")
    assert resolution.blocked == {
        "a": 'dependency "b" can\'t be activated: skill "c": dependency "x" not found',
        "b": 'dependency "c" can\'t be activated: dependency "x" not found',
        "c": 'dependency "x" not found',
    }
    cause = 'skill "c": dependency "x" not found'
    assert resolution.remarks == (f'skill "e": optional dependency "a" can\'t be activated: {cause}',)


def test_a_missing_optional_dependency_is_a_remark() -> None:
    resolution = resolve([needing("a", "?b")], {})
    assert (resolution.order, resolution.blocked) == (("a",), {})
    assert resolution.remarks == ('skill "a": optional dependency "b" not found',)


def test_a_cycle_blocks_its_skills_and_their_dependents() -> None:
    resolution = resolve([needing("a", "b"), needing("b", "c"), needing("c", "a"), needing("d", "b"), needing("e")], {})
    assert resolution.order == ("e",)
    assert set(resolution.blocked) == {"a", "b", "c", "d"}
    assert resolution.blocked["b"] == "circular dependency: a -> b -> c -> a"
    assert resolution.blocked["d"].endswith("circular dependency: a -> b -> c -> a")


def test_a_skill_that_needs_itself_is_blocked() -> None:
    assert resolve([needing("a", "a")], {}).blocked == {"a": "circular dependency: a -> a"}


def test_a_cycle_with_an_optional_dependency_is_broken_there() -> None:
    resolution = resolve([needing("a", "b"), needing("b", "?a")], {})
    assert (resolution.order, resolution.blocked) == (("b", "a"), {})
    assert resolution.remarks == (
        'skill "b": optional dependency "a" is not activated first: circular dependency: a -> b -> a',
    )


@each_row(
    ("wanted", "fits"),
    [("*", True), ("^1.2.0", True), (">=1.0.0, <2", True), ("~1.1", False), (">=2 || <1", False), ("!=1.2.3", False)],
)
def test_the_version_must_be_in_the_range(wanted: str, fits: bool) -> None:
    required = resolve([needing("a", SkillDependency("b", wanted)), needing("b", version="1.2.3")], {})
    fault = f'dependency "b" has version 1.2.3, and {wanted} is needed'
    assert required.blocked == ({} if fits else {"a": fault})
    optional = resolve([needing("a", SkillDependency("b", wanted, True)), needing("b", version="1.2.3")], {})
    assert optional.remarks == (() if fits else (f'skill "a": optional {fault}',))
    assert "a" in optional.order


def test_what_is_unfit_blocks_as_what_is_missing() -> None:
    resolution = resolve([needing("a", "b"), needing("b")], {"b": "it is for windows"})
    assert resolution.blocked == {
        "a": 'dependency "b" can\'t be activated: it is for windows',
        "b": "it is for windows",
    }


def test_what_is_activated_and_deactivated_together() -> None:
    resolution = resolve([needing("a", "b", "?c"), needing("b", "d"), needing("c"), needing("d"), needing("e")], {})
    assert resolution.activation("a") == ("c", "d", "b", "a")
    assert resolution.activation("e") == ("e",)
    assert resolution.deactivation("d") == ("a", "b", "d")
    assert resolution.deactivation("c") == ("c",)
    assert (resolution.requires["a"], resolution.uses["a"]) == (("b",), ("c",))


NAMES = "abcdefg"
GRAPHS = st.dictionaries(
    st.sampled_from(NAMES), st.dictionaries(st.sampled_from(NAMES + "x"), st.booleans(), max_size=4), min_size=1
)


def can_be_active(name: str, graph: dict[str, dict[str, bool]], path: tuple[str, ...] = ()) -> bool:
    """Whether all that a skill requires is there and leads into no cycle, tried in every way."""
    if name not in graph or name in path:
        return False
    return all(optional or can_be_active(other, graph, (*path, name)) for other, optional in graph[name].items())


@given(GRAPHS)
def test_everything_is_sorted_but_what_needs_something_impossible(graph: dict[str, dict[str, bool]]) -> None:
    skills = [
        needing(name, *(SkillDependency(other, "*", optional) for other, optional in needs.items()))
        for name, needs in graph.items()
    ]
    resolution = resolve(skills, {})
    assert set(resolution.order) == {name for name in graph if can_be_active(name, graph)}
    assert {*resolution.order} | {*resolution.blocked} == {*graph}
    assert len(resolution.order) + len(resolution.blocked) == len(graph)
    assert resolution == resolve(reversed(skills), {})
    place = {name: number for number, name in enumerate(resolution.order)}
    for name in resolution.order:
        assert {*resolution.requires[name]} == {other for other, optional in graph[name].items() if not optional}
        assert all(place[other] < place[name] for other in (*resolution.requires[name], *resolution.uses[name]))
        unused = {other for other, optional in graph[name].items() if optional} - {*resolution.uses[name]}
        assert all(
            any(f'skill "{name}": optional dependency "{one}"' in text for text in resolution.remarks) for one in unused
        )


def test_a_thousand_skills_that_all_know_each_other_are_sorted_soon() -> None:
    names = [f"s{number}" for number in range(150)]
    skills = [needing(name, *(f"?{other}" for other in names if other != name)) for name in names]
    assert len(resolve(skills, {}).order) == 150
    chain = [needing(f"s{number}", f"s{number + 1}") for number in range(3000)]
    resolution = resolve(chain, {})
    assert len(resolution.blocked) == 3000
    assert sum(map(len, resolution.blocked.values())) < 500_000


@each_row(
    ("needs", "version", "system", "reason"),
    [
        (Compatibility(), "0.1.0", "freebsd14", None),
        (Compatibility(platforms=(Platform.LINUX, Platform.DARWIN)), "0.1.0", "linux", None),
        (Compatibility(platforms=(Platform.WINDOWS,)), "0.1.0", "win32", None),
        (
            Compatibility(platforms=(Platform.LINUX, Platform.DARWIN)),
            "0.1.0",
            "win32",
            "it is for linux, darwin, and this system is windows",
        ),
        (Compatibility(platforms=(Platform.LINUX,)), "1.0.0", "sunos5", "it is for linux, and this system is sunos5"),
        (Compatibility(">=0.5.0"), "0.5.0", "linux", None),
        (Compatibility(">=0.5.0"), "1.2.3.dev4", "linux", None),
        (Compatibility(">=0.5.0"), "0.4.9", "linux", "it needs skillbag >=0.5.0, and this is 0.4.9"),
    ],
)
def test_what_a_skill_needs_of_program_and_system(
    needs: Compatibility, version: str, system: str, reason: str | None
) -> None:
    assert incompatibility(needs, version, system) == reason
