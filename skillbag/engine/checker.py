"""One check from a request to its result, with or without what earlier checks found out."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from functools import cached_property

from skillbag.engine.installed_skills import with_installed
from skillbag.engine.request import CheckRequest
from skillbag.fs import files
from skillbag.model.result import Result
from skillbag.transaction.recovery import Notice, recover_all, recover_around

TYPE_CHECKING = False
if TYPE_CHECKING:
    from skillbag.cache.entry import Unit
    from skillbag.cache.memory import Memory
    from skillbag.engine.planner import CheckPlan, Planned

__all__ = ["CheckRequest", "Checker", "only_paths"]


class Checker:
    """Checks again and again under one request, loading rules and configurations once.

    `notice` is told, in a sentence, of a change of a workspace that had been interrupted and was brought to an end.
    With `remember`, what earlier checks of the same request found out is used, and what this one finds is kept.
    """

    def __init__(self, request: CheckRequest, notice: Notice | None = None, *, remember: bool = False) -> None:
        self.request = request
        self._notice = notice
        self._remember = remember

    def check(self, progress: Callable[[int], None] | None = None) -> Result:
        """Check everything that the request names; `progress` is told of each target's number of skills beforehand.

        Raises:
            NothingToCheckError: a path has no target, or everything is excluded.
            BadConfigError, BadRuleError: a configuration or a team's rule can't be used.
            OSError: a change of a workspace was interrupted, and can't be brought to an end.
        """
        recover_around(self.request.paths, self.request.root, self._notice)
        if self._remember and not files.has_overlay():
            from skillbag.cache.eviction import place_of
            from skillbag.cache.memory import Memory

            return self.check_from(Memory(place_of(self.request._replace(today=""))), progress)
        return with_installed(self._judging.judge(self._judging.plan(), self._today, progress)[0])

    def check_from(self, memory: Memory, progress: Callable[[int], None] | None = None) -> Result:
        """As `check`, with what the memory holds; it is told of what is found out."""
        # The lock has no part in what is remembered: it is another's text as soon as the lock says so.
        return with_installed(self._from(memory, progress))

    def _from(self, memory: Memory, progress: Callable[[int], None] | None) -> Result:
        try:
            return self._check_from(memory, progress)
        except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RuntimeError):
            # What was remembered has not the shape that we gave it. If that is not it, the same fails again.
            memory.forget()
            return self._check_from(memory, progress)

    def _check_from(self, memory: Memory, progress: Callable[[int], None] | None) -> Result:
        from skillbag.cache.memory import CheckRecord

        try:
            recover_all(memory.roots, self._notice)
        except OSError:
            # It may be no target any more; if it is one, the same is said again.
            memory.forget()
        today = self._today
        result = memory.result(today)
        if result is not None:
            return result
        planned, front = self._planned(memory)
        memories = [memory.of_target(one.workspace.target, one.rules) for one in planned]
        result, dated = self._judging.judge(planned, today, progress, memories)
        targets, rules = [one.workspace.target for one in planned], [one.rules for one in planned]
        memory.remember(CheckRecord(front, targets, memories, rules, result, today if dated else None))
        return result

    def _planned(self, memory: Memory) -> tuple[list[Planned], Unit]:
        """What is to be checked, as it is remembered or found anew, with the unit that tells when it changes."""
        known = memory.plan()
        if known:
            return [self._judging.of(target, folders) for target, folders in known], memory.front
        from skillbag.cache.codec import Verdict
        from skillbag.cache.entry import recorded

        planned: list[Planned] = []

        def work() -> tuple[Verdict, bytes]:
            planned.extend(self._judging.plan(afresh=True))
            for one in planned:
                _ = one.workspace.skill_folders
            return Verdict(), b""

        front = recorded(work)
        return planned, front

    @property
    def _today(self) -> str:
        # A check that watches may go on past midnight.
        return self.request.today or time.strftime("%Y-%m-%d")

    @cached_property
    def _judging(self) -> CheckPlan:
        # What is remembered needs neither rules nor readers: importing them would take as long as all the rest.
        from skillbag.engine.planner import CheckPlan

        return CheckPlan(self.request, self._notice)


def only_paths(result: Result, paths: Iterable[str]) -> Result:
    """The result with the findings of these absolute paths alone."""
    real = {os.path.realpath(path) for path in paths}
    return result._replace(findings=tuple(f for f in result.findings if os.path.realpath(f.path) in real))
