"""One check from a request to its result. `cache.checker` adds the cache."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from functools import cached_property

from skillbag.kernel.model.result import CheckResult
from skillbag.kernel.transaction.locations import Notice
from skillbag.kernel.transaction.recovery import recover_around
from skillbag.lint.engine.request import CheckRequest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from skillbag.kernel.model.timing import Timing
    from skillbag.lint.engine.planner import Planner

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
        from skillbag.lint.engine.lint import lint
        from skillbag.lint.engine.result_builder import ResultBuilder

        recover_around(self.request.paths, self.request.root, self.notice)
        builder = ResultBuilder(self.today)
        for target in self.planner.plan():
            if progress:
                progress(len(target.workspace.skill_folders))
            builder.add(target, lint(target.workspace, target.rules))
        return mark_installed(builder.result())

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
