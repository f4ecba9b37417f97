"""The chaining of hooks: what each sees, what is the result, and what is dropped."""

from __future__ import annotations

from typing import Any

from skillbag.kernel.base.quoting import quoted
from skillbag.kernel.manifest.names import Permission, Phase
from skillbag.runtime.hooks.hook_dispatch import Hook, HookOutcome, hook_priority
from skillbag.runtime.hooks.hooks import Hooks
from skillbag.runtime.skill import Json, SkillSource
from tests.rows import each_row

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


@each_row("source", SkillSource)
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
