"""No call runs that a guard, asked about exactly that call, would deny: random guards, changes, failures, reloads."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillbag.kernel.manifest.names import Permission, Phase
from skillbag.runtime.errors import ChildError
from skillbag.runtime.hooks.conversation import before_tool
from skillbag.runtime.hooks.guards import LostSkills
from skillbag.runtime.hooks.hook_dispatch import Hook, hook_priority
from skillbag.runtime.hooks.hooks import Hooks
from skillbag.runtime.skill import TRUSTED, Json, SkillSource
from tests.sampling import EXAMPLES

INPUTS = range(4)
CASES = 2_000
"""Of a nightly run."""


class Plan(NamedTuple):
    """What a guard does, by the input: it denies, fails, changes it to another. `meanwhile` happens once, within it."""

    source: SkillSource
    rights: Collection[Permission]
    denies: Collection[int]
    fails: Collection[int]
    changes: Mapping[int, int]
    meanwhile: str


numbers = st.sampled_from(INPUTS)
plans = st.builds(
    Plan,
    st.sampled_from([source for source in SkillSource if source is not SkillSource.MCP]),
    st.sets(st.sampled_from([Permission.HOOK_OBSERVE, Permission.HOOK_CHANGE])),
    st.sets(numbers, max_size=1),
    st.one_of(st.just(()), st.sets(numbers, max_size=1)),
    st.dictionaries(numbers, numbers, max_size=2),
    st.sampled_from(["", "", "", "register", "replace", "unregister", "restore"]),
)


class World:
    """Guards by the names of their skills, which come and go."""

    def __init__(self, first: list[Plan], later: list[Plan]) -> None:
        self.hooks, self.later, self.plans = Hooks(), later, dict[str, Plan]()
        self.seen: set[tuple[str, str]] = set()
        for plan in first:
            self.hooks.register(self.hook(f"s{len(self.plans)}", plan))

    def hook(self, skill: str, plan: Plan) -> Hook:
        self.plans[skill] = plan
        waiting = [plan.meanwhile]

        def run(data: dict[str, Json], seconds: float) -> Json:
            self.seen.add((skill, data["input"]))
            self.happens(skill, waiting.pop() if waiting else "")
            number = json.loads(data["input"])["n"]
            if number in plan.fails:
                raise ChildError("it failed")
            changed = f' {{"n" : {plan.changes.get(number, number)}}}'
            return {"cancel": number in plan.denies, "modified": {"input": changed}}

        place = hook_priority(plan.source)
        return Hook(skill, plan.source, place, Phase.BEFORE_TOOL_CALL, 0, run, frozenset(plan.rights))

    def happens(self, skill: str, what: str) -> None:
        if what == "register" and self.later:
            self.hooks.register(self.hook(f"s{len(self.plans)}", self.later.pop()))
        elif what == "replace" and self.later:
            self.hooks.replace(skill, [self.hook(skill, self.later.pop())])
        elif what == "unregister":
            self.hooks.unregister("s0")
        elif what == "restore":
            self.hooks.restore("s1", [(Phase.BEFORE_TOOL_CALL, 0, 9)])

    def requested(self, owner: str | None) -> list[str]:
        """The guards that may see a call of this skill's tool."""
        skills = [state.hook.skill for state in self.hooks.listed()]
        observe = Permission.HOOK_OBSERVE
        plans = self.plans
        return [
            each for each in skills if each == owner or plans[each].source in TRUSTED or observe in plans[each].rights
        ]


def check(first: list[Plan], later: list[Plan], calls: list[tuple[int, str | None]]) -> None:
    world = World(first, later)
    for number, owner in calls:
        world.seen = set()
        decision = before_tool(world.hooks, LostSkills(), "Bash", {"n": number}, owner)
        if decision.cancelled_by is None:
            final = decision.value["n"]
            for skill in world.requested(owner):
                assert final not in {*world.plans[skill].denies, *world.plans[skill].fails}, f"{skill} would deny it"
                assert (skill, json.dumps(decision.value)) in world.seen, f"{skill} was not asked"


CALLS = st.lists(st.tuples(numbers, st.sampled_from([None, "s0", "s1"])), min_size=1, max_size=6)
GIVEN = (st.lists(plans, min_size=1, max_size=6), st.lists(plans, max_size=3), CALLS)


@settings(max_examples=2 * EXAMPLES, deadline=None)
@given(*GIVEN)
def test_no_call_runs_that_a_guard_would_deny(
    first: list[Plan], later: list[Plan], calls: list[tuple[int, str | None]]
) -> None:
    check(first, later, calls)


@pytest.mark.nightly
@settings(max_examples=CASES, deadline=None)
@given(*GIVEN)
def test_none_of_many_does(first: list[Plan], later: list[Plan], calls: list[tuple[int, str | None]]) -> None:
    check(first, later, calls)
