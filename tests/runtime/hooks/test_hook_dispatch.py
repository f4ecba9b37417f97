"""The dispatch of hooks: who is run, in which order, and what a failing hook does to the others."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from skillbag.kernel.manifest.names import Permission, Phase
from skillbag.runtime.errors import ChildError, TimeLimitError
from skillbag.runtime.hooks.hook_dispatch import DEEPEST, MAX_FAILURES, SECONDS, Hook, HookOutcome, hook_priority
from skillbag.runtime.hooks.hooks import Hooks
from skillbag.runtime.phases import PHASES
from skillbag.runtime.skill import Json, SkillSource
from tests.rows import each_row

Run = Callable[[dict[str, Json], float], Json]
CALL = {"tool_name": "read", "input": "{}"}
TOKEN = "ghp_" + "Zk3Qw8Rt1Yp6Ls9Dv4Bn7Mx2Hc5Jg0FaTe8U"


def add(
    hooks: Hooks,
    skill: str,
    run: Run,
    phase: Phase = Phase.BEFORE_TOOL_CALL,
    source: SkillSource = SkillSource.PROJECT,
    number: int = 0,
) -> None:
    hooks.register(Hook(skill, source, hook_priority(source), phase, number, run, frozenset(Permission)))


def noting(ran: list[str], what: str, *_: object) -> Json:
    ran.append(what)


def fails(*_: object) -> Json:
    raise ChildError("its process ended")


def calls(hooks: Hooks) -> HookOutcome:
    return hooks.dispatch(Phase.BEFORE_TOOL_CALL, CALL)


def responded(hooks: Hooks, response: str = "answer") -> HookOutcome:
    return hooks.dispatch(Phase.AFTER_RESPONSE, {"response": response, "response_reason": "end"})


def test_priority_comes_first_and_then_registration() -> None:
    hooks, order = Hooks(), list[str]()
    sources = [SkillSource.PROJECT, SkillSource.USER, SkillSource.CONFIGURED, SkillSource.BUILTIN, SkillSource.BUNDLED]
    for number in (0, 1):
        for source in sources:
            add(hooks, source, partial(noting, order, f"{source}{number}"), source=source, number=number)
    calls(hooks)
    assert order == [
        *("builtin0", "builtin1", "user0", "user1"),
        *("project0", "configured0", "bundled0", "project1", "configured1", "bundled1"),
    ]
    assert [state.hook.number for state in hooks.listed()] == [0, 1, 0, 1, 0, 0, 0, 1, 1, 1]


def test_a_named_skill_is_as_near_as_the_user_s_own_and_a_server_has_no_hooks() -> None:
    assert [hook_priority(source, inline=True) for source in (SkillSource.PROJECT, SkillSource.BUILTIN)] == [10, 0]
    with pytest.raises(ValueError, match="no hooks"):
        hook_priority(SkillSource.MCP)


def test_no_hooks_give_the_data_back() -> None:
    assert calls(Hooks()) == HookOutcome(CALL, {})


@each_row("phase", [phase for phase in Phase if not PHASES[phase].cancels])
def test_cancelling_counts_before_a_tool_alone(phase: Phase) -> None:
    hooks, ran = Hooks(), []
    add(hooks, "a", lambda *_: {"cancel": True, "reason": "no"}, phase)
    add(hooks, "a", lambda *_: ran.append(1), phase, number=1)
    outcome = hooks.dispatch(phase, {}, "a")
    assert (outcome.cancelled_by, ran) == (None, [1])
    assert "no effect" in outcome.notes[0]


def test_cancelling_ends_the_dispatch() -> None:
    hooks, ran = Hooks(), []
    add(hooks, "a", lambda *_: {"modified": {"input": "[]"}})
    add(hooks, "b", lambda *_: {"cancel": True, "reason": "not here"})
    add(hooks, "c", lambda *_: ran.append(1))
    outcome = calls(hooks)
    assert (outcome.cancelled_by, outcome.reason, ran) == ("b", "not here", [])


@pytest.mark.parametrize("phase", [Phase.ACTIVATE, Phase.DEACTIVATE])
def test_its_own_phases_are_a_skill_s_alone(phase: Phase) -> None:
    hooks, ran = Hooks(), list[str]()
    for skill in "ab":
        add(hooks, skill, partial(noting, ran, skill), phase)
    hooks.dispatch(phase, {"skill_name": "b"}, "b")
    assert ran == ["b"]
    with pytest.raises(ValueError, match="name it"):
        hooks.dispatch(phase, {"skill_name": "b"})


def test_a_failure_is_noted_and_the_next_hook_is_run() -> None:
    hooks = Hooks()
    add(hooks, "a", fails, Phase.AFTER_RESPONSE)
    add(hooks, "b", lambda *_: {"modified": {"response": "b"}}, Phase.AFTER_RESPONSE)
    outcome = responded(hooks)
    assert outcome.modified == {"response": "b"}
    assert outcome.notes == ('OnAfterResponse: skill "a": its hook failed: its process ended',)


@each_row("answer", ["cancel", 1, [], {"cancel": 1}, {"modified": [1]}, {"reason": 1}, {"cancel": "no"}])
def test_a_failure_or_nonsense_before_a_tool_cancels(answer: Json) -> None:
    hooks, ran = Hooks(), []
    add(hooks, "guard", lambda *_: answer)
    add(hooks, "next", lambda *_: ran.append(1))
    outcome = calls(hooks)
    assert (outcome.cancelled_by, ran) == ("guard", [])
    assert "failed" in outcome.reason


def test_a_secret_in_an_error_is_masked() -> None:
    def leaks(*_: object) -> Json:
        raise RuntimeError(f"bad token {TOKEN}")

    hooks = Hooks()
    add(hooks, "a", leaks, Phase.AFTER_RESPONSE)
    assert TOKEN not in responded(hooks).notes[0]


def test_three_failures_in_a_row_suspend_a_hook_until_it_is_registered_again() -> None:
    hooks, answers = Hooks(), ["fail", "fail", "ok", "fail", "fail", "fail", "never"]

    def sometimes(*_: object) -> Json:
        if answers.pop(0) == "fail":
            raise TimeLimitError("too slow")
        return None

    add(hooks, "a", sometimes, Phase.AFTER_RESPONSE)
    recorded = [len(responded(hooks).notes) for _ in range(8)]
    assert recorded == [1, 1, 0, 1, 1, 2, 0, 0]
    assert (answers, [state.suspended for state in hooks.listed()]) == (["never"], [True])
    hooks.unregister("a")
    add(hooks, "a", sometimes, Phase.AFTER_RESPONSE)
    assert (responded(hooks).notes, answers) == ((), [])


def test_no_guard_is_suspended_and_each_failure_denies_and_says_so() -> None:
    hooks = Hooks()
    add(hooks, "guard", fails)
    hooks.restore("guard", [(Phase.BEFORE_TOOL_CALL, 0, 99)])
    for _ in range(2 * MAX_FAILURES):
        outcome = calls(hooks)
        assert (outcome.cancelled_by, outcome.reason) == ("guard", "its hook failed: its process ended")
        assert outcome.notes == ('OnBeforeToolCall: skill "guard": its hook failed: its process ended',)
    assert [state.suspended for state in hooks.listed()] == [False]


def test_each_hook_is_told_its_time_and_the_phase_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    hooks, reported, now = Hooks(), [], [100.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])

    def slow(data: dict[str, Json], seconds: float) -> Json:
        reported.append(seconds)
        now[0] += 9
        return {"modified": {"response": str(len(reported))}} if "response" in data else None

    for skill in "abcdef":
        add(hooks, skill, slow, Phase.AFTER_RESPONSE)
        add(hooks, skill, slow)
    outcome = responded(hooks)
    assert reported == [SECONDS, SECONDS, SECONDS, 3]
    assert (outcome.modified, len(outcome.notes)) == ({"response": "4"}, 1)
    assert 'skill "e"' in outcome.notes[0]
    assert calls(hooks).cancelled_by == "e", "a guard that had no time has not agreed"


def test_hooks_within_hooks_end_four_deep() -> None:
    hooks, deep = Hooks(), []

    def nests(*_: object) -> Json:
        deep.append(1)
        outcome = responded(hooks)
        return {"modified": {"response": outcome.notes[0] if outcome.notes else outcome.data["response"]}}

    add(hooks, "a", nests, Phase.AFTER_RESPONSE)
    outcome = responded(hooks)
    assert (len(deep), outcome.notes) == (DEEPEST, ())
    assert "nested more than 4 deep" in outcome.data["response"]
    assert len(deep) == DEEPEST
    responded(hooks)
    assert len(deep) == 2 * DEEPEST, "the depth is that of the chain, and not of all time"


def test_a_tool_too_deep_in_hooks_is_cancelled() -> None:
    hooks, cancelled = Hooks(), []

    def nests(*_: object) -> Json:
        cancelled.append(calls(hooks).cancelled_by)
        return None

    for skill in "abcde":
        add(hooks, skill, nests)
    calls(hooks)
    assert cancelled[0] == "e", "four of them run, and the fifth is not asked"


def test_a_guard_is_not_asked_about_the_calls_of_its_own_hook_and_the_others_are() -> None:
    hooks, requested = Hooks(), list[str]()

    def calls_a_tool(*_: object) -> Json:
        requested.append("caller")
        assert calls(hooks).cancelled_by == "other"
        return None

    add(hooks, "caller", calls_a_tool)
    add(hooks, "other", lambda *_: {"cancel": len(requested) == 1})
    calls(hooks)
    assert requested == ["caller"]


def test_skills_come_and_go_while_hooks_run() -> None:
    hooks, ran = Hooks(), []

    def first(*_: object) -> Json:
        hooks.unregister("gone")
        add(hooks, "new", lambda *_: ran.append("new"))
        return None

    add(hooks, "first", first)
    add(hooks, "gone", lambda *_: ran.append("gone"))
    add(hooks, "last", lambda *_: ran.append("last"))
    calls(hooks)
    assert ran == ["last", "new"], "a guard that comes meanwhile is asked, too"


def test_no_lock_is_held_while_a_hook_runs() -> None:
    hooks, inside, over = Hooks(), threading.Event(), threading.Event()

    def waits(*_: object) -> Json:
        inside.set()
        assert over.wait(300)
        return {"modified": {"response": "first"}}

    add(hooks, "slow", waits, Phase.AFTER_RESPONSE)
    seen: list[Any] = []
    thread = threading.Thread(target=lambda: seen.append(responded(hooks).data["response"]))
    thread.start()
    assert inside.wait(300)
    add(hooks, "other", lambda *_: None)
    assert calls(hooks).cancelled_by is None
    hooks.unregister("other")
    over.set()
    thread.join(300)
    assert seen == ["first"]


def test_many_threads_lose_no_hook() -> None:
    hooks = Hooks()

    def come_and_go(skill: str) -> None:
        for number in range(50):
            add(hooks, skill, lambda *_: None, number=number)
            calls(hooks)
        hooks.unregister(skill)
        add(hooks, f"{skill}-stays", lambda *_: None)

    threads = [threading.Thread(target=come_and_go, args=(f"s{number}",)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(state.hook.skill for state in hooks.listed()) == [f"s{number}-stays" for number in range(4)]
