"""One check from a request to its result. The cache, earlier states and the clock wrap parts of it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from functools import cached_property

from skillbag.kernel.base.parallel import split
from skillbag.kernel.model.result import CheckResult
from skillbag.kernel.transaction.locations import Notice
from skillbag.kernel.transaction.recovery import recover_around
from skillbag.lint.engine.request import CheckRequest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from skillbag.kernel.model.timing import Timing
    from skillbag.lint.engine.lint import Split, TargetLinter
    from skillbag.lint.engine.planner import PlannedTarget, Planner
    from skillbag.lint.engine.result_builder import ResultBuilder

Progress = Callable[[int], None]
"""Called with a target's number of skills before they are linted."""


def mark_installed(result: CheckResult) -> CheckResult:
    """The result with each finding in an installed skill marked."""
    if not result.findings:
        return result
    from skillbag.lint.engine.installed_skills import with_installed

    return with_installed(result)


class Checker:
    """Runs checks of one request, loading rules and configurations once.

    `notice` is called with a sentence when an interrupted change of a workspace was completed or rolled back.
    """

    timing: Timing | None = None
    """What the check cost, once a `TimedChecker` has done it."""

    def __init__(self, request: CheckRequest, notice: Notice | None = None) -> None:
        self.request = request
        self.notice = notice

    def check(self, progress: Progress | None = None) -> CheckResult:
        """Check everything that the request names.

        Raises:
            NothingToCheckError: a path has no target, or everything is excluded.
            BadConfigError, BadRuleError: a configuration or a team's rule can't be used.
            OSError: an interrupted change of a workspace can be neither completed nor rolled back.
        """
        self._recover()
        result = self._known()
        if result is None:
            from skillbag.lint.engine.lint import lint

            builder = self._builder()
            for target in self._plan():
                if progress:
                    progress(len(target.workspace.skill_folders))
                builder.add(target, lint(target.workspace, target.rules, self._linter(target), self._split))
            result = builder.result()
            self._keep(result, builder)
        # Not kept: the lock decides which skills are installed.
        return mark_installed(result)

    _split: Split = staticmethod(split)
    """How the skills of a target are divided among processes."""

    def _recover(self) -> None:
        """Complete or roll back an interrupted change around the paths."""
        recover_around(self.request.paths, self.request.root, self.notice)

    def _known(self) -> CheckResult | None:
        """The result, where it is known."""
        return None

    def _builder(self) -> ResultBuilder:
        from skillbag.lint.engine.result_builder import ResultBuilder

        return ResultBuilder(self.today, suppressions=self.request.trusted)

    def _plan(self) -> list[PlannedTarget]:
        """What is to be checked."""
        return self.planner.plan()

    def _linter(self, target: PlannedTarget) -> TargetLinter[Any]:
        """What lints the skills of a target."""
        from skillbag.lint.engine.lint import FreshLinter

        return FreshLinter(target.workspace, target.rules)

    def _keep(self, result: CheckResult, builder: ResultBuilder) -> None:
        """Keep a new result for the next check."""

    @property
    def today(self) -> str:
        """The day that decides which suppressions have expired; it changes during `--watch`."""
        return self.request.today or time.strftime("%Y-%m-%d")

    @cached_property
    def planner(self) -> Planner:
        """Loads rules and configurations; a cached result needs neither."""
        from skillbag.lint.engine.planner import Planner

        return Planner(self.request, self.notice)


def only_paths(result: CheckResult, paths: Iterable[str]) -> CheckResult:
    """The result with only the findings in these absolute paths."""
    real = {os.path.realpath(path) for path in paths}
    return result._replace(findings=tuple(f for f in result.findings if os.path.realpath(f.path) in real))
