"""`check --config=timing=true`: what each phase and each rule costs, and that nothing else changes."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from skillbag.kernel.base import parallel
from skillbag.lint.checks.lazy_predicate import all_predicates
from skillbag.lint.checks.predicate import Match, Unjudged
from tests.doors.cli.timings import EMPTY, OWN, PHASES, SKILLS, phases, rules, timed
from tests.support import Run, Tree, skill


class Time:
    """A clock that stands still but for what a test adds to it, in seconds."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def stopped(monkeypatch: pytest.MonkeyPatch) -> Time:
    """The clock that `--config=timing=true` reads."""
    still = Time()
    monkeypatch.setattr("skillbag.lint.engine.timing.perf_counter", still)
    monkeypatch.setattr("time.process_time", lambda: 0.25)
    return still


def slow(monkeypatch: pytest.MonkeyPatch, name: str, wait: Callable[[], None]) -> None:
    """Let a predicate wait at each call, before it looks for matches and for each match."""
    predicate = all_predicates()[name]
    find = predicate.check

    def check(subject: Any, options: Any) -> Iterator[Match | Unjudged]:
        wait()
        yield from find(subject, options)

    monkeypatch.setattr(predicate, "check", check)


def test_each_phase_and_each_called_rule_is_listed_the_most_expensive_first(tree: Tree, run: Run) -> None:
    timing = timed(run, tree(SKILLS))
    assert set(phases(timing)) == PHASES
    assert {"body-empty", "link-broken", "skill-name-duplicate"} < set(rules(timing))
    for name in ("phases", "rules"):
        seconds = [row["seconds"] for row in timing[name]]
        assert seconds == sorted(seconds, reverse=True)
    assert all(calls > 0 for _, calls, _ in rules(timing).values())


def test_a_subject_that_a_precondition_spares_costs_its_rule_nothing(
    tree: Tree, run: Run, stopped: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wait() -> None:
        stopped.now += 1.0

    slow(monkeypatch, "script-arguments", wait)
    needed = {
        "skills/a/SKILL.md": skill("a") + "\nRun `scripts/run.py`.\n",
        "skills/a/scripts/run.py": "import argparse",
    }
    timing = timed(run, tree({**SKILLS, **needed}))
    assert rules(timing)["script-arguments-wrong"][0] == 1.0


def test_the_phases_of_one_process_add_up_to_the_wall_time(tree: Tree, run: Run) -> None:
    timing = timed(run, tree(SKILLS))
    assert timing["processes"] == 1
    assert sum(phases(timing).values()) == pytest.approx(timing["seconds"], abs=1e-4)
    by_rules = sum(seconds for seconds, _, _ in rules(timing).values())
    assert by_rules == pytest.approx(phases(timing)["rules"], abs=1e-3)
    assert all(phases(timing)[name] > 0 for name in PHASES)


def test_a_slow_rule_of_a_team_is_on_top_with_its_calls_and_findings(
    tree: Tree, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow(monkeypatch, "body-empty", lambda: time.sleep(0.05))
    suppressed = EMPTY.format("e  # skillbag: ignore-file[ours,body-empty] reason='ours'")
    files = {"rules/ours.yaml": OWN, "skillbag.toml": 'rules = ["rules"]\n', "skills/e/SKILL.md": suppressed}
    timing = timed(run, tree(SKILLS | files))
    assert {rule["rule"] for rule in timing["rules"][:2]} == {"ours", "body-empty"}
    seconds, *counts = rules(timing)["ours"]
    assert seconds >= 5 * 0.05
    assert counts == [5, 2]
    assert rules(timing)["link-broken"][2] == 1


def test_a_rule_takes_its_own_time_and_no_other(
    tree: Tree, run: Run, monkeypatch: pytest.MonkeyPatch, stopped: Time
) -> None:
    slow(monkeypatch, "body-empty", lambda: setattr(stopped, "now", stopped.now + 2))
    timing = timed(run, tree(SKILLS))
    assert {rule: seconds for rule, (seconds, _, _) in rules(timing).items() if seconds} == {"body-empty": 8}
    assert {phase: seconds for phase, seconds in phases(timing).items() if seconds} == {"rules": 8, "start": 0.25}
    assert timing["seconds"] == 8.25


@pytest.mark.parametrize(
    ("phase", "place"),
    [
        ("plan", "skillbag.lint.engine.planner.find_targets"),
        ("list", "skillbag.kernel.workspace.skill.list_tree"),
        ("read", "skillbag.kernel.documents.source.read"),
        ("read", "skillbag.kernel.documents.source.decode"),
        ("read", "skillbag.lint.checks.executables.read"),
        ("front-matter", "skillbag.kernel.documents.frontmatter.parse_yaml"),
        ("literals", "skillbag.kernel.base.literals.Literals.search"),
        ("markdown", "skillbag.kernel.documents.markdown_events.read_markdown"),
        ("conclude", "skillbag.lint.engine.result_builder.conclude"),
        ("other", "skillbag.lint.engine.lint.text_files"),
    ],
)
def test_the_time_of_a_phase_counts_for_it_alone(
    tree: Tree, run: Run, monkeypatch: pytest.MonkeyPatch, stopped: Time, phase: str, place: str
) -> None:
    """Also where a rule asks for it: a missing link has the text parsed, a named script is read."""
    from importlib import import_module

    holder: Any = None
    names = place.split(".")
    for number in range(len(names) - 1, 0, -1):
        try:
            holder = import_module(".".join(names[:number]))
        except ModuleNotFoundError:
            continue
        for name in names[number:-1]:
            holder = getattr(holder, name)
        break
    work = getattr(holder, names[-1])

    def later(*arguments: Any, **named: Any) -> Any:
        stopped.now += 1
        return work(*arguments, **named)

    monkeypatch.setattr(holder, names[-1], later)
    text = skill("x") + "\nRun `./scripts/x.sh`, then see [it](missing.md).\n"
    root = tree(SKILLS | {"skills/x/SKILL.md": text, "skills/x/scripts/x.sh": "#!/bin/sh\necho x\n"})
    timing = timed(run, root)
    spent = {name: seconds for name, seconds in phases(timing).items() if seconds and name != "start"}
    assert set(spent) == {phase}
    assert not any(seconds for seconds, _, _ in rules(timing).values())


def test_the_work_of_a_child_process_is_added(
    tree: Tree, run: Run, monkeypatch: pytest.MonkeyPatch, stopped: Time
) -> None:
    root = tree({f"skills/s{number}/SKILL.md": skill(f"s{number}") for number in range(12)})
    parent, begun = os.getpid(), root / "begun"

    def wait() -> None:
        stopped.now += 1
        if os.getpid() != parent:
            begun.touch()
        elif stopped.now > 1:
            # The first skill is checked before there is a child; from then on each process has its share.
            until = time.monotonic() + 30
            while not begun.exists() and time.monotonic() < until:
                time.sleep(0.001)

    slow(monkeypatch, "body-empty", wait)
    monkeypatch.setattr(parallel, "ENOUGH", 1)
    monkeypatch.setattr(parallel, "_cores", lambda: 2)
    timing = timed(run, root)
    assert begun.exists()
    assert timing["processes"] == 2
    assert rules(timing)["body-empty"] == (12, 12, 0)
    assert rules(timing)["link-broken"][1] == 12
    assert phases(timing)["rules"] == 12 > timing["seconds"]


def test_the_table_has_the_values_of_the_rules(
    tree: Tree, run: Run, monkeypatch: pytest.MonkeyPatch, stopped: Time
) -> None:
    slow(monkeypatch, "body-empty", lambda: setattr(stopped, "now", stopped.now + 0.1875))
    out = run("check", "--config=timing=true", "--quiet", cwd=tree(SKILLS)).out
    caption, by_phase, by_rule = out[out.index("The check took") :].split("\n\n")
    assert caption == "The check took 1.0000 s in one process."
    assert [line.split() for line in by_phase.splitlines()[:3]] == [
        ["phase", "seconds", "share"],
        ["rules", "0.7500", "75.0%"],
        ["start", "0.2500", "25.0%"],
    ]
    header, first, *others = by_rule.splitlines()
    assert header.split() == ["rule", "seconds", "share", "calls", "findings"]
    assert first.split() == ["body-empty", "0.7500", "75.0%", "4", "1"]
    assert len(others) == 20
    assert others[-1].split()[1:4] == ["more", "0.0000", "0.0%"]
