"""Which skills run and in which order, at entry and before a response, and what `skillbag order` prints of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillbag.lifecycle.order import Order, companions, entry_order, response_order
from skillbag.lifecycle.settings import NO_SETTINGS
from skillbag.lifecycle.skills import Listed
from skillbag.lifecycle.tags import Tagging, effective_tags
from skillbag.standard.declarations import Place
from tests.install.worlds import call
from tests.lifecycle.bags import bag, context, session
from tests.support import Run

HERE = Place(".skills/SKILLS.md", 1)


def tagged(tags: Mapping[str, str]) -> Tagging:
    """Skills with these tags, as their descriptions have them."""
    return effective_tags({name: Listed(name, text, 1) for name, text in tags.items()}, NO_SETTINGS)


def entry(tags: Mapping[str, str]) -> list[str]:
    return names(entry_order(tagged(tags), tags.__contains__))


def response(tags: Mapping[str, str], *chosen: str) -> list[str]:
    return names(response_order(tagged(tags), tags.__contains__, chosen))


def after(tags: Mapping[str, str], skill: str) -> list[str]:
    """The companions that follow a skill."""
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


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        ({"x": "#use/a", "a": ""}, ["x", "a"]),
        ({"x": "#use/b #use/a", "a": "", "b": ""}, ["x", "b", "a"]),
        ({"x": "#use/a", "a": "#use/b", "b": "#use/c", "c": ""}, ["x", "a", "b", "c"]),
        # Depth first: the whole chain of one companion before the next.
        ({"x": "#use/a #use/b", "a": "#use/c", "b": "", "c": ""}, ["x", "a", "c", "b"]),
        # A diamond: what both use runs once, after the first.
        ({"x": "#use/a #use/b", "a": "#use/c", "b": "#use/c", "c": ""}, ["x", "a", "c", "b"]),
        ({"x": "#use/a", "a": "#use/x"}, ["x", "a"]),
        ({"x": "#use/a", "a": "#use/b", "b": "#use/a"}, ["x", "a", "b"]),
        ({"x": "#use/x"}, ["x"]),
        ({"x": "#use/gone #use/a", "a": ""}, ["x", "a"]),
        ({"x": "#use/A #use/a_b #use/../a #use/a- #use/ #use/a", "a": "", "A": "", "a_b": ""}, ["x", "a"]),
        ({"x": "#use/a #use/a", "a": ""}, ["x", "a"]),
    ],
    ids=["one", "order", "chain", "depth", "diamond", "back", "circle", "itself", "absent", "odd-names", "twice"],
)
@pytest.mark.proves("tags", "tags.use")
def test_companions_run_directly_after_their_skill(tags: dict[str, str], expected: list[str]) -> None:
    assert response(tags, "x") == expected
    assert after(tags, "x") == expected[1:]


@pytest.mark.proves("tags", "tags.use", "tags.run-always")
def test_companions_follow_always_skills_at_entry_too() -> None:
    tags = {"a": f"{A} #use/c", "b": A, "c": "#use/b"}
    assert entry(tags) == response(tags) == ["a", "c", "b"]


@pytest.mark.proves("tags", "tags.use", "tags.run-last")
def test_a_companion_that_runs_last_waits_for_all_others() -> None:
    tags = {"x": "#use/end #use/a", "y": "", "a": "", "end": f"{L} #use/b", "b": ""}
    assert response(tags, "x", "y") == ["x", "b", "a", "y", "end"]
    assert after(tags, "x") == ["b", "a", "end"]


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
    assert response(tags, "s0") == list(tags)


def test_each_turn_says_why_and_where() -> None:
    tags = {"a": A, "x": "#use/c", "c": "", "end": L}
    turns = response_order(tagged(tags), tags.__contains__, ["x"]).turns
    assert [(turn.name, turn.phase.value, turn.because, turn.place) for turn in turns] == [
        ("a", "always", "#run/always", HERE),
        ("x", "chosen", "the conversation", None),
        ("c", "companion", "#use/c", HERE),
        ("end", "last", "#run/last", HERE),
    ]


def test_a_listed_always_skill_that_is_not_there_is_left_out_and_told() -> None:
    tags = {"a": A, "b": BOTH}
    order = response_order(tagged(tags), {"a"}.__contains__)
    assert names(order) == ["a"]
    assert [(one.skill, one.tag, one.why) for one in order.disabled] == [("b", L, "its SKILL.md is not there")]


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
    last = {name for name in bag_ if tagging.has(name, L)}
    always = {name for name in bag_ if tagging.has(name, A)}
    used = {name: [tag.text[5:] for tag in tagging.tags[name] if tag.text[5:] in bag_] for name in bag_}

    assert len(turns) == len(set(turns))
    assert set(turns) == reached(used, {*chosen, *always, *last})
    assert turns == [*(name for name in turns if name not in last), *sorted(last)]
    phases = [turn.phase.value for turn in order.turns if turn.phase.value in ("always", "chosen")]
    assert phases == sorted(phases)
    for turn in order.turns:
        if turn.phase.value == "companion":
            before = turns[: turns.index(turn.name)]
            assert any(turn.name in used[name] for name in [*before, *last])
    for name in after(bag_, chosen[0]) if chosen else ():
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


SKILLS = {
    "check-links": "Check. #run/always #use/tidy",
    "convert-to-pdf": "Convert. #use/check-links #use/sign-off #use/page-size #use/absent",
    "page-size": "Size.",
    "sign-off": "Sign. #run/last",
    "tidy": "Tidy.",
}


@pytest.mark.proves("tags", "tags.run-always", "tags.run-last", "tags.use", "tags.comply")
def test_the_command_prints_one_name_a_line(tmp_path: Path, run: Run) -> None:
    outcome = run("order", "convert_to_pdf", cwd=bag(tmp_path, SKILLS))
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out == "check-links\ntidy\nconvert-to-pdf\npage-size\nsign-off\n"


@pytest.mark.proves("lifecycle", "tags.run-always")
def test_without_a_choice_the_command_prints_what_runs_before_every_response(tmp_path: Path, run: Run) -> None:
    assert run("order", cwd=bag(tmp_path, SKILLS)).out == "check-links\ntidy\nsign-off\n"


def test_nothing_to_run_is_nothing_printed(tmp_path: Path, run: Run) -> None:
    outcome = run("order", cwd=bag(tmp_path, ["a"]))
    assert (outcome.code, outcome.out, outcome.err) == (0, "", "")


def test_the_json_has_the_reasons(tmp_path: Path, run: Run) -> None:
    user = context('tags: {tidy: {add: ["#run/last"]}, check-links: {remove: ["#run/always"]}}')
    code, values = call(run, bag(tmp_path, SKILLS, {"USER_CONTEXT.md": user}), "order", "check-links")
    assert code == 0
    removed = {"why": "removed by USER_CONTEXT.md", "file": "USER_CONTEXT.md", "line": 4}
    assert values == {
        "version": 1,
        "command": "order",
        "exit": 0,
        "order": [
            turn("check-links", "chosen", "the conversation", None, None),
            turn("sign-off", "last", "#run/last", ".skills/SKILLS.md", 4),
            turn("tidy", "last", "#run/last", "USER_CONTEXT.md", 4),
        ],
        "disabled": [{"skill": "check-links", "tag": "#run/always", **removed}],
        "questions": [],
        "session": None,
        "pending": None,
    }


def turn(name: str, phase: str, because: str, file: str | None, line: int | None) -> dict[str, Any]:
    run = name.replace("-", "_")
    return {"name": name, "run": run, "phase": phase, "because": because, "file": file, "line": line}


@pytest.mark.proves("tags", "precedence.prohibition")
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("convert_to_pdf", "--without", "check_links"), ["convert-to-pdf", "page-size", "sign-off"]),
        (("--without", "sign-off"), ["check-links", "tidy"]),
        (("--without", "sign-off", "--without", "tidy"), ["check-links"]),
        (("page-size", "--without", "page-size"), ["check-links", "tidy", "sign-off"]),
    ],
)
def test_the_conversation_rules_skills_out(
    tmp_path: Path, run: Run, arguments: tuple[str, ...], expected: list[str]
) -> None:
    assert run("order", *arguments, cwd=bag(tmp_path, SKILLS)).out.split() == expected


def test_a_skill_that_is_chosen_and_ruled_out_does_not_run_and_is_told(tmp_path: Path, run: Run) -> None:
    _, values = call(run, bag(tmp_path, SKILLS), "order", "page-size", "--without", "page-size")
    assert [(one["skill"], one["tag"], one["why"]) for one in values["disabled"]] == [
        ("page-size", "", "ruled out by the conversation")
    ]


@pytest.mark.proves("tags", "precedence.prohibition")
def test_a_skill_that_the_user_prohibits_runs_if_the_conversation_allows_it(tmp_path: Path, run: Run) -> None:
    user = context("prohibit: {skills: [check-links]}")
    bag(tmp_path, SKILLS, {"USER_CONTEXT.md": user})
    assert run("order", "convert_to_pdf", cwd=tmp_path).out.split() == ["convert-to-pdf", "page-size", "sign-off"]
    allowed = run("order", "check_links", "--allow", "check-links", cwd=tmp_path)
    assert allowed.out.split() == ["check-links", "tidy", "sign-off"]


@pytest.mark.proves("tags", "tags.use")
@pytest.mark.parametrize("gone", ["unlisted", "no folder", "no SKILL.md"])
def test_a_companion_that_is_not_there_is_silently_left_out(tmp_path: Path, run: Run, gone: str) -> None:
    bag(tmp_path, SKILLS)
    if gone == "unlisted":
        catalog = tmp_path / ".skills/SKILLS.md"
        catalog.write_text("".join(line for line in catalog.open() if not line.startswith("page-size")))
    else:
        (tmp_path / ".skills/page-size/SKILL.md").unlink()
        if gone == "no folder":
            (tmp_path / ".skills/page-size").rmdir()
    outcome = run("order", "convert-to-pdf", cwd=tmp_path)
    assert (outcome.out.split(), outcome.err) == (["check-links", "tidy", "convert-to-pdf", "sign-off"], "")


def test_a_mistake_is_one_sentence_and_nothing_on_standard_output(tmp_path: Path, run: Run) -> None:
    outcome = run("order", "page_siz", cwd=bag(tmp_path, SKILLS))
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == "skillbag: page_siz: there is no such skill here; did you mean page-size?\n"
    assert run("order", "--without", "nothing", cwd=tmp_path).code == 2


def test_a_mistake_is_json_as_well(tmp_path: Path, run: Run) -> None:
    code, values = call(run, bag(tmp_path, SKILLS), "order", "page_siz")
    assert (code, values["command"], values["error"][:9]) == (2, "order", "page_siz:")


def test_only_the_context_files_and_the_catalog_are_opened(tmp_path: Path, run: Run) -> None:
    bag(tmp_path, SKILLS, {"CONTEXT.md": "Words.\n"})
    values = json.loads(run("order", "convert_to_pdf", "--trace", "--json", cwd=tmp_path).out)
    opened = {Path(one["path"]).relative_to(tmp_path).as_posix() for one in values["trace"]}
    assert opened <= {"SKILLBAG.md", "CONTEXT.md", "USER_CONTEXT.md", ".skills/SKILLS.md", "AGENTS.md"}
    assert ".skills/SKILLS.md" in opened


def test_a_session_is_told_what_it_should_read_again_beside_the_names(tmp_path: Path, run: Run) -> None:
    bag(tmp_path, SKILLS)
    session(tmp_path, "s1").enter()
    assert run("order", "--session", "s1", cwd=tmp_path).err == ""
    (tmp_path / "CONTEXT.md").write_text("New words.\n")
    outcome = run("order", "--session", "s1", cwd=tmp_path)
    assert outcome.out == "check-links\ntidy\nsign-off\n"
    assert outcome.err == (
        "Changed since this session read it: CONTEXT.md (new); "
        "skillbag refresh --session s1 tells what to read again.\n"
    )
    _, values = call(run, tmp_path, "order", "--session", "s1")
    assert values["session"] == "s1"
    assert values["pending"]["changed"] == [{"path": "CONTEXT.md", "what": "new"}]


def test_a_session_that_has_not_entered_is_refused(tmp_path: Path, run: Run) -> None:
    outcome = run("order", "--session", "unknown", cwd=bag(tmp_path, SKILLS))
    assert (outcome.code, outcome.out) == (2, "")
    assert "skillbag enter --session unknown" in outcome.err


def test_user_added_tags_outrank_those_of_descriptions(tmp_path: Path) -> None:
    bag(tmp_path, {"a": "Do. #run/last"}, {"USER_CONTEXT.md": context('tags: {a: {add: ["#run/last"]}}')})
    (only,) = session(tmp_path).order().order.turns
    assert only.place == Place("USER_CONTEXT.md", 4)
