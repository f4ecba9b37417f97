"""Which skills run and in which order, at entry and before a response, and what `session order` prints of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillbag.kernel.standard.declarations import Place
from skillbag.session.order.order import Order, companions, entry_order, response_order
from skillbag.session.settings.effective_settings import Tagging
from skillbag.session.settings.settings import NO_SETTINGS
from skillbag.session.skills.effective_tags import effective_tags
from skillbag.session.skills.skills import CatalogSkill
from tests.rows import each_row

HERE = Place(".skills/SKILLS.md", 1)


def tagged(tags: Mapping[str, str]) -> Tagging:
    """Skills with these tags, as their descriptions have them."""
    return effective_tags({name: CatalogSkill(name, text, 1) for name, text in tags.items()}, NO_SETTINGS)


def entry(tags: Mapping[str, str]) -> list[str]:
    return names(entry_order(tagged(tags), tags.__contains__))


def response(tags: Mapping[str, str], *chosen: str) -> list[str]:
    return names(response_order(tagged(tags), tags.__contains__, chosen))


def brought_in(tags: Mapping[str, str], skill: str) -> list[str]:
    """The companions of a skill."""
    return [turn.name for turn in companions(tagged(tags), tags.__contains__, skill)]


def names(order: Order) -> list[str]:
    return [turn.name for turn in order.turns]


A, L, BOTH = "#run/always", "#run/last", "#run/always #run/last"


@pytest.mark.proves("tags", "tags.run-always", "tags.run-last")
def test_what_runs_at_entry_and_before_a_response_in_every_combination() -> None:
    tags = {"d-last": L, "c-always": A, "b-both": BOTH, "a-plain": "", "z-always": A, "y-both": BOTH, "w-last": L}
    assert entry(tags) == ["c-always", "z-always", "b-both", "y-both"]
    assert response(tags) == ["c-always", "z-always", "b-both", "d-last", "w-last", "y-both"]
    assert response(tags, "a-plain") == ["c-always", "z-always", "a-plain", "b-both", "d-last", "w-last", "y-both"]


def test_the_chosen_keep_their_order_and_each_has_one_turn() -> None:
    tags = {"a": "", "b": "", "c": A, "d": L}
    assert response(tags, "b", "a", "b", "d", "c") == ["c", "b", "a", "d"]


@pytest.mark.proves("tags", "tags.run-last")
def test_several_last_skills_ascend_by_name_as_code_points() -> None:
    assert response({"b": L, "a-b": L, "a": L, "a1": L}, "b") == ["a", "a-b", "a1", "b"]


@each_row(
    ("tags", "expected"),
    [
        ({"x": "#use/a", "a": ""}, ["a", "x"]),
        ({"x": "#use/b #use/a", "a": "", "b": ""}, ["b", "a", "x"]),
        ({"x": "#use/a", "a": "#use/b", "b": "#use/c", "c": ""}, ["c", "b", "a", "x"]),
        # Depth first: the whole chain of one companion before the next.
        ({"x": "#use/a #use/b", "a": "#use/c", "b": "", "c": ""}, ["c", "a", "b", "x"]),
        # A diamond: what both use runs once, before the first.
        ({"x": "#use/a #use/b", "a": "#use/c", "b": "#use/c", "c": ""}, ["c", "a", "b", "x"]),
        ({"x": "#use/a", "a": "#use/x"}, ["a", "x"]),
        ({"x": "#use/a", "a": "#use/b", "b": "#use/a"}, ["b", "a", "x"]),
        ({"x": "#use/x"}, ["x"]),
        ({"x": "#use/gone #use/a", "a": ""}, ["a", "x"]),
        ({"x": "#use/A #use/a_b #use/../a #use/a- #use/ #use/a", "a": "", "A": "", "a_b": ""}, ["a", "x"]),
        ({"x": "#use/a #use/a", "a": ""}, ["a", "x"]),
        # As a published source has them: a check of tools, and below it one of the interpreter.
        ({"x": "#use/a #use/b #use/c", "a": "#use/c", "b": "#use/a #use/c", "c": ""}, ["c", "a", "b", "x"]),
    ],
    ids=["one", "order", "chain", "depth", "diamond", "back", "circle", "itself", "absent", "odd", "twice", "real"],
)
@pytest.mark.proves("tags", "tags.use")
def test_companions_run_directly_before_their_skill(tags: dict[str, str], expected: list[str]) -> None:
    assert response(tags, "x") == expected
    assert response({**tags, "y": ""}, "y", "x") == ["y", *expected]
    assert brought_in(tags, "x") == expected[:-1]


@pytest.mark.proves("tags", "tags.use", "tags.run-always")
def test_companions_precede_always_skills_at_entry_too() -> None:
    tags = {"a": f"{A} #use/c", "b": A, "c": "#use/b"}
    assert entry(tags) == response(tags) == ["b", "c", "a"]


@pytest.mark.proves("tags", "tags.use", "tags.run-last")
def test_a_companion_that_runs_last_waits_for_all_others() -> None:
    tags = {"x": "#use/end #use/a", "y": "", "a": "", "end": f"{L} #use/b", "b": ""}
    assert response(tags, "x", "y") == ["b", "a", "x", "y", "end"]
    assert brought_in(tags, "x") == ["b", "a", "end"]


@pytest.mark.proves("tags", "tags.use", "tags.run-last")
def test_the_companions_of_a_last_skill_run_before_all_last_ones() -> None:
    tags = {"end": f"{L} #use/helper", "begin": L, "helper": "", "x": ""}
    assert response(tags, "x") == ["x", "helper", "begin", "end"]
    assert response(tags, "end", "x") == ["x", "helper", "begin", "end"]


@pytest.mark.proves("tags", "tags.run-last")
def test_at_entry_only_the_last_skills_run_that_something_brings_in() -> None:
    tags = {"a": f"{A} #use/end", "end": L, "other": L, "both": BOTH}
    assert entry(tags) == ["a", "both", "end"]


def test_a_chain_of_thousands_is_followed_to_its_end() -> None:
    tags = {f"s{number}": f"#use/s{number + 1}" for number in range(5000)}
    assert response(tags, "s0") == list(tags)[::-1]


def test_each_turn_says_why_and_where() -> None:
    tags = {"a": A, "x": "#use/c", "c": "", "end": L}
    turns = response_order(tagged(tags), tags.__contains__, ["x"]).turns
    assert [(turn.name, turn.phase.value, turn.because, turn.place) for turn in turns] == [
        ("a", "always", "#run/always", HERE),
        ("c", "companion", "#use/c", HERE),
        ("x", "chosen", "the conversation", None),
        ("end", "last", "#run/last", HERE),
    ]


def test_a_listed_always_skill_without_a_file_is_disabled() -> None:
    tags = {"a": A, "b": BOTH}
    order = response_order(tagged(tags), {"a"}.__contains__)
    assert names(order) == ["a"]
    assert [(item.skill, item.tag, item.why) for item in order.disabled] == [("b", L, "its SKILL.md is not there")]


NAMES = [f"s{number}" for number in range(6)]
TAGS = st.sampled_from([A, L, *(f"#use/{name}" for name in [*NAMES, "gone"])])
BAGS = st.dictionaries(st.sampled_from(NAMES), st.lists(TAGS, max_size=4).map(" ".join), min_size=1)


@given(BAGS, st.lists(st.sampled_from(NAMES), max_size=4), st.randoms(use_true_random=False))
@pytest.mark.proves("tags", "tags.run-always", "tags.run-last", "tags.use")
def test_the_order_keeps_its_promises_whatever_the_tags(bag_: dict[str, str], wishes: list[str], random: Any) -> None:
    chosen = [name for name in wishes if name in bag_]
    tagging = tagged(bag_)
    order = response_order(tagging, bag_.__contains__, chosen)
    turns = names(order)
    last = {name for name in bag_ if tagging.tag(name, L)}
    always = {name for name in bag_ if tagging.tag(name, A)}
    used = {name: [tag.text[5:] for tag in tagging.tags[name] if tag.text[5:] in bag_] for name in bag_}

    assert len(turns) == len(set(turns))
    assert set(turns) == reached(used, {*chosen, *always, *last})
    assert turns == [*(name for name in turns if name not in last), *sorted(last)]
    phases = [turn.phase.value for turn in order.turns if turn.phase.value in ("always", "chosen")]
    assert phases == sorted(phases)
    for turn in order.turns:
        if turn.phase.value == "companion":
            following = turns[turns.index(turn.name) + 1 :]
            assert any(turn.name in used[name] for name in following)
    for name in brought_in(bag_, chosen[0]) if chosen else ():
        assert name in turns

    shuffled = list(bag_.items())
    random.shuffle(shuffled)
    assert response(dict(shuffled), *chosen) == turns
    assert entry(dict(shuffled)) == entry(bag_)
    assert {name for name in entry(bag_) if name in always} == always


def reached(used: Mapping[str, list[str]], starts: set[str]) -> set[str]:
    found: set[str] = set()
    while starts - found:
        found |= starts
        starts = {other for name in found for other in used[name]}
    return found
