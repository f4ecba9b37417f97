"""A check that measures itself. Only `timing=true` imports it; without it, rules and phases run as they are."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from time import perf_counter
from typing import Any, ParamSpec, TypeVar

from skillbag.kernel.base import clock
from skillbag.kernel.base.parallel import split
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.model.result import CheckResult
from skillbag.kernel.model.timing import PhaseTime, RuleTime, Timing
from skillbag.kernel.transaction.locations import Notice
from skillbag.lint.checks.predicate import Match, Predicate, Unjudged
from skillbag.lint.engine.checker import Checker, Progress
from skillbag.lint.engine.planner import ChosenRules, PlannedTarget
from skillbag.lint.engine.request import CheckRequest
from skillbag.lint.engine.result_builder import ResultBuilder
from skillbag.lint.engine.rule_set import rules_for
from skillbag.lint.engine.verdict import TargetVerdict
from skillbag.lint.rules.model import Rule

_PHASES = ("start", "plan", "list", "read", "front-matter", "literals", "markdown", "rules", "conclude", "other")
_RULES, _OTHER = "rules", "other"

Given = ParamSpec("Given")
Done = TypeVar("Done")
Item = TypeVar("Item")


class _Spent(NamedTuple):
    """What a process has measured: seconds by phase and rule (empty for other phases), and counts by rule."""

    process: int
    seconds: Counter[tuple[str, str]]
    calls: Counter[str]
    findings: Counter[str]


class Stopwatch:
    """Measures what runs. Each moment counts once: for the innermost phase or rule that is running."""

    def __init__(self) -> None:
        self._running = [(_OTHER, "")]
        self._processes = {os.getpid()}
        self._begin()

    def timed(self, phase: str, work: Callable[Given, Done], /, *given: Given.args, **named: Given.kwargs) -> Done:
        """Do `work` as a part of a phase; see `kernel.base.clock`."""
        return self._during((phase, ""), lambda: work(*given, **named))

    def rule(self, name: str, find: Callable[[], Iterable[Match | Unjudged]]) -> Iterator[Match | Unjudged]:
        """What a rule finds, one by one: no more is searched for than is taken."""
        self._spent.calls[name] += 1
        matches = self._during((_RULES, name), lambda: iter(find()))
        while match := self._during((_RULES, name), lambda: next(matches, None)):
            self._spent.findings[name] += 1
            yield match

    def split(self, work: Callable[[Sequence[Item]], Done], items: Sequence[Item], count: int) -> list[Done]:
        """As `kernel.base.parallel.split`; what forked children measure comes back with their results."""

        def measured(part: Sequence[Item]) -> tuple[Done, _Spent | None]:
            if os.getpid() in self._processes:
                return work(part), None
            self._begin()
            done = work(part)
            self._switch()
            return done, self._spent

        parts = split(measured, items, count)
        for _, spent in parts:
            if spent:
                self._add(spent)
        return [done for done, _ in parts]

    def timing(self, started: float) -> Timing:
        """All that was measured so far; the process took `started` seconds before."""
        self._switch()
        of_phases: Counter[str] = Counter({"start": started})
        for (phase, _), seconds in self._spent.seconds.items():
            of_phases[phase] += seconds
        phases = [PhaseTime(phase, round(of_phases[phase], 6)) for phase in _PHASES]
        calls, findings = self._spent.calls, self._spent.findings
        rules = [
            RuleTime(name, round(self._spent.seconds[_RULES, name], 6), calls[name], findings[name]) for name in calls
        ]
        return Timing(
            seconds=round(started + self._since - self._begun, 6),
            processes=len(self._processes),
            phases=tuple(sorted(phases, key=lambda phase: -phase.seconds)),
            rules=tuple(sorted(rules, key=lambda rule: (-rule.seconds, rule.rule))),
        )

    def _begin(self) -> None:
        self._spent = _Spent(os.getpid(), Counter(), Counter(), Counter())
        self._begun = self._since = perf_counter()

    def _during(self, key: tuple[str, str], work: Callable[[], Done]) -> Done:
        self._switch()
        self._running.append(key)
        try:
            return work()
        finally:
            self._switch()
            self._running.pop()

    def _switch(self) -> None:
        """Add the time since the last switch to what was running."""
        now = perf_counter()
        self._spent.seconds[self._running[-1]] += now - self._since  # type: ignore[assignment]
        self._since = now

    def _add(self, spent: _Spent) -> None:
        self._processes.add(spent.process)
        for key, seconds in spent.seconds.items():
            self._spent.seconds[key] += seconds
        self._spent.calls.update(spent.calls)
        self._spent.findings.update(spent.findings)


class _TimedPredicate(Predicate):
    """The predicate of one rule, whose calls are measured with the import of its module and its options."""

    def __init__(self, rule: Rule, stopwatch: Stopwatch) -> None:
        known = rule.predicate
        super().__init__(known.name, known.subject, known.values, literals=known.literals)

        def check(subject: Any, _options: Any) -> Iterator[Match | Unjudged]:
            # As without a clock: a subject that the precondition spares costs no more than that.
            return stopwatch.rule(
                rule.id, lambda: known.check(subject, rule.options) if known.is_needed(subject) else ()
            )

        self.check = check


class _TimedBuilder(ResultBuilder):
    """A builder whose work is measured."""

    def __init__(self, today: str, stopwatch: Stopwatch) -> None:
        super().__init__(today)
        self._stopwatch = stopwatch

    def add(self, target: PlannedTarget, verdict: TargetVerdict) -> None:
        self._stopwatch.timed("conclude", super().add, target, verdict)

    def result(self) -> CheckResult:
        return self._stopwatch.timed("conclude", super().result)


class TimedChecker(Checker):
    """A checker for one check, which knows what it cost: its `timing`.

    `started` are the seconds that the process took before.
    """

    def __init__(self, request: CheckRequest, notice: Notice | None = None, started: float = 0.0) -> None:
        super().__init__(request, notice)
        self._started = started
        self._stopwatch = Stopwatch()
        self._split = self._stopwatch.split

    def check(self, progress: Progress | None = None) -> CheckResult:
        """See `Checker.check`."""
        stopwatch = self._stopwatch
        clock.timed = stopwatch.timed
        try:
            result = super().check(progress)
        finally:
            clock.timed = None
        self.timing = stopwatch.timing(self._started)
        return result

    def _recover(self) -> None:
        self._stopwatch.timed("plan", super()._recover)

    def _builder(self) -> ResultBuilder:
        return _TimedBuilder(self.today, self._stopwatch)

    def _plan(self) -> list[PlannedTarget]:
        return self._stopwatch.timed("plan", self._plan_timed)

    def _plan_timed(self) -> list[PlannedTarget]:
        """What is to be checked, with rules that are measured."""
        planned = self.planner.plan()
        for workspace, chosen in planned:
            _ = workspace.skill_folders
            kind, searched = workspace.kind, workspace.target.searched
            if (kind, searched) not in chosen.sets:
                rules, late = map(self._timed, chosen.rules), partial(self._late, chosen)
                chosen.sets[kind, searched] = rules_for(
                    kind, rules, late, searched=searched, test_data=chosen.config.test_data
                )
        return planned

    def _late(self, chosen: ChosenRules) -> Iterator[Rule]:
        return map(self._timed, chosen.late)

    def _timed(self, rule: Rule) -> Rule:
        # Its options are those of the rule itself.
        return rule._replace(predicate=_TimedPredicate(rule, self._stopwatch), given={})
