"""The chaining of hooks: what each sees, what is the result, what is dropped; also against a small model."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillbag.kernel.base.quoting import quoted
from skillbag.kernel.manifest.names import Permission, Phase
from skillbag.runtime.hooks.hook_dispatch import Hook, HookOutcome, hook_priority
from skillbag.runtime.hooks.hooks import Hooks
from skillbag.runtime.phases import PHASES, PhaseRules
from skillbag.runtime.skill import Json, SkillSource
from tests.rows import each_row
from tests.sampling import EXAMPLES

DATA: dict[Phase, dict[str, Json]] = {
    Phase.BEFORE_PROMPT_BUILD: {"prompt_build": {"fragments": ["x"]}},
    Phase.BEFORE_TOOL_CALL: {"tool_name": "read", "input": "{}"},
    Phase.AFTER_TOOL_RESULT: {"tool_name": "read", "input": "{}", "content": "c", "is_error": False},
    Phase.BEFORE_WIKI_SECTION: {"title": "t", "template": "", "content": "c"},
}


def chained(phase: Phase, *answers: Json, source: SkillSource = SkillSource.PROJECT) -> tuple[HookOutcome, list[Any]]:
    """The outcome of hooks with these answers, and what each was given."""
    hooks, seen = Hooks(), []

    def answering(answer: Json) -> Any:
        def run(data: dict[str, Json], _: float) -> Json:
            seen.append(data)
            return answer

        return run

    for number, answer in enumerate(answers):
        run, place = answering(answer), hook_priority(source)
        hooks.register(Hook(f"s{number}", source, place, phase, 0, run, frozenset(Permission)))
    return hooks.dispatch(phase, DATA[phase]), seen


def test_each_sees_what_came_before_and_the_result_is_the_union() -> None:
    answers = [
        {"modified": {"content": "1"}},
        None,
        {"modified": {"is_error": True}},
        {},
        {"modified": {"content": "2"}},
    ]
    outcome, seen = chained(Phase.AFTER_TOOL_RESULT, *answers)
    assert outcome.modified == {"content": "2", "is_error": True}
    assert outcome.data == {"tool_name": "read", "input": "{}", "content": "2", "is_error": True}
    assert [(data["content"], data["is_error"]) for data in seen] == [
        *(("c", False), ("1", False), ("1", False), ("1", True), ("1", True))
    ]
    assert outcome.notes == ()


def test_additions_are_joined_in_order() -> None:
    outcome, seen = chained(
        Phase.BEFORE_PROMPT_BUILD,
        {"modified": {"append_system_prompt": "one", "append_skill_fragments": ["a"]}},
        {"modified": {"append_system_prompt": "", "append_skill_fragments": "b"}},
        {"modified": {"append_system_prompt": "two", "append_skill_fragments": ["c", "d"], "prompt_fragment": "p"}},
    )
    assert outcome.modified == {
        "append_system_prompt": f"{quoted('s0', 'one')}\n\n{quoted('s2', 'two')}",
        "append_skill_fragments": [quoted(*each) for each in (("s0", "a"), ("s1", "b"), ("s2", "c"), ("s2", "d"))],
        "prompt_fragment": quoted("s2", "p"),
    }
    assert seen[2]["append_skill_fragments"] == [quoted("s0", "a"), quoted("s1", "b")]


@pytest.mark.parametrize("source", SkillSource)
def test_only_trusted_skills_replace_prompts(source: SkillSource) -> None:
    if source is SkillSource.MCP:
        return
    change = {"replace_base_system_prompt": "all mine", "replace_skill_fragments": [], "prompt_fragment": "p"}
    outcome, _ = chained(Phase.BEFORE_PROMPT_BUILD, {"modified": change}, source=source)
    trusted = source in (SkillSource.BUILTIN, SkillSource.USER)
    kept = change if trusted else {"prompt_fragment": "p"}
    assert outcome.modified == {key: quoted("s0", str(each)) if each else each for key, each in kept.items()}
    assert len(outcome.notes) == (0 if trusted else 2)


@each_row(
    ("phase", "key", "value", "said"),
    [
        (Phase.AFTER_TOOL_RESULT, "content", 1, "must be a text"),
        (Phase.AFTER_TOOL_RESULT, "is_error", "true", "must be true or false"),
        (Phase.AFTER_TOOL_RESULT, "input", "{}", "can't be changed"),
        (Phase.AFTER_TOOL_RESULT, "\x1b[31m" * 99, "x", "can't be changed"),
        (Phase.BEFORE_TOOL_CALL, "tool_name", "rm", "can't be changed"),
        (Phase.BEFORE_PROMPT_BUILD, "append_skill_fragments", ["a", 1], "must be a text or a list of texts"),
        (Phase.BEFORE_PROMPT_BUILD, "append_system_prompt", ["a"], "must be a text"),
        (Phase.BEFORE_WIKI_SECTION, "title", "x", "can't be changed"),
    ],
)
def test_what_is_no_change_is_dropped_and_noted(phase: Phase, key: str, value: Json, said: str) -> None:
    outcome, _ = chained(phase, {"modified": {key: value}})
    assert (outcome.modified, outcome.data) == ({}, DATA[phase])
    (note,) = outcome.notes
    assert said in note
    assert note.isprintable()
    assert len(note) < 200


@each_row(
    "value",
    [
        {"a": 1},
        None,
        "{a}",
        "[" * 100_000,
        "NaN",
        "[1e999]",
        '{"a": 1, "a": 2}',
        '{"a": {"b": 1, "\\u0062": 1}}',
        "9" * 5000,
    ],
)
def test_an_input_that_programs_read_differently_cancels_the_call(value: Json) -> None:
    outcome, _ = chained(Phase.BEFORE_TOOL_CALL, {"modified": {"input": value}})
    assert outcome.cancelled_by == "s0"
    assert outcome.reason == "its hook failed: `input` must be a text of JSON, with each key once"


@pytest.mark.parametrize(
    ("changed", "seen_as"),
    [(' {"a" :1.50}', '{"a": 1.5}'), (r'"\u0061"', '"a"'), (r'"\ud800"', r'"\ud800"'), (r'"\ud83d\ude00"', '"😀"')],
)
def test_a_changed_input_is_seen_as_it_will_be_read(changed: str, seen_as: str) -> None:
    outcome, seen = chained(Phase.BEFORE_TOOL_CALL, {"modified": {"input": changed}}, None)
    assert (outcome.data["input"], seen[-1]["input"]) == (seen_as, seen_as)


def test_other_keys_of_a_result_are_noted_a_few_of_them() -> None:
    outcome, _ = chained(Phase.AFTER_TOOL_RESULT, {"content": "x", **{str(number): 1 for number in range(1000)}})
    assert (outcome.modified, len(outcome.notes)) == ({}, 6)


def test_data_are_copies() -> None:
    data: dict[str, Json] = {"prompt_build": {"fragments": ["x"]}}
    hooks, kept = Hooks(), ["a"]

    def greedy(given: dict[str, Json], _: float) -> Json:
        given["prompt_build"]["fragments"].append("mine")
        return {"modified": {"append_skill_fragments": kept}}

    for skill in "ab":
        hooks.register(Hook(skill, SkillSource.USER, 10, Phase.BEFORE_PROMPT_BUILD, 0, greedy))
    outcome = hooks.dispatch(Phase.BEFORE_PROMPT_BUILD, data)
    kept.append("later")
    assert data == {"prompt_build": {"fragments": ["x"]}}
    assert outcome.modified == {"append_skill_fragments": [quoted("a", "a"), quoted("b", "a")]}


VALUES: dict[str, st.SearchStrategy[Any]] = {
    "content": st.text(max_size=2),
    "is_error": st.booleans(),
    "input": st.sampled_from(["{}", "[1]"]),
    "append_system_prompt": st.sampled_from("abc"),
    "append_skill_fragments": st.lists(st.sampled_from("abc"), max_size=2),
    "prompt_fragment": st.sampled_from("abc"),
    "replace_base_system_prompt": st.sampled_from("abc"),
}
CHANGES = st.fixed_dictionaries({}, optional=VALUES)
ANSWERS = st.one_of(st.none(), st.just("nonsense"), st.builds(lambda changes: {"modified": changes}, CHANGES))


def as_said(rules: PhaseRules, skill: str, value: Any) -> Any:
    if rules.said is None or isinstance(value, bool):
        return value
    return [rules.said(skill, each) for each in value] if isinstance(value, list) else rules.said(skill, value)


def model(phase: Phase, answers: list[Json]) -> tuple[dict[str, Json], str | None]:
    """The union of changes, and who cancelled, by the rules of the specification."""
    rules, union = PHASES[phase], dict[str, Json]()
    for number, answer in enumerate(answers):
        if answer == "nonsense" or (rules.cancels and {*(answer or {}).get("modified", ())} - {*rules.may_set}):
            if rules.cancels:
                return union, f"s{number}"
            continue
        for key, value in (answer or {"modified": {}})["modified"].items():
            value = as_said(rules, f"s{number}", value)
            if key in rules.may_add and key in union:
                union[key] = union[key] + (value if isinstance(value, list) else f"\n\n{value}")
            elif (key in rules.may_set or key in rules.may_add) and key not in rules.trusted_only:
                union[key] = value
    return union, None


@settings(max_examples=2 * EXAMPLES, deadline=None)
@given(st.sampled_from(sorted(DATA)), st.lists(ANSWERS, max_size=6))
def test_chaining_is_the_model_s(phase: Phase, answers: list[Json]) -> None:
    outcome, seen = chained(phase, *answers)
    union, cancelled_by = model(phase, answers)
    assert (outcome.modified, outcome.cancelled_by) == (union, cancelled_by)
    assert outcome.data == {**DATA[phase], **union}
    for number, data in enumerate(seen[: len(answers)]):
        assert data == {**DATA[phase], **model(phase, answers[:number])[0]}
    for data in seen[len(answers) :]:
        assert data == outcome.data, "the second pass"
