"""Results of hooks: changed inputs, further keys and copies; and chaining, held to a small model."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from skillbag.kernel.base.quoting import quoted
from skillbag.kernel.manifest.names import Phase
from skillbag.runtime.hooks.hook_dispatch import Hook
from skillbag.runtime.hooks.hooks import Hooks
from skillbag.runtime.phases import PHASES, PhaseRules
from skillbag.runtime.skill import Json, SkillSource
from tests.rows import each_row
from tests.runtime.hooks.test_hook_chaining import DATA, chained
from tests.sampling import EXAMPLES


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


@each_row(
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
