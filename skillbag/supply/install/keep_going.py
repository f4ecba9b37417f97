"""`--keep-going`: skills that fail are left out; the rest is still installed as a whole or not at all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from skillbag.supply.install.outcome import Outcome, Problem, ProblemKind, SkillRow, Status, StoppedError
from skillbag.supply.install.request import InstallRequest
from skillbag.supply.install.resolve import Resolution
from skillbag.supply.install.state import InstalledState


class Failures(NamedTuple):
    """Why some skills can't be installed; with `--keep-going` the rest is installed without them.

    The fetcher of the run does not fetch failed sources again.
    """

    problems: tuple[Problem, ...] = ()

    @property
    def _names(self) -> frozenset[str]:
        return frozenset(name for problem in self.problems for name in problem.skills)

    def grown(self, request: InstallRequest, stopped: StoppedError) -> Failures:
        """These failures and those that have stopped another attempt.

        Raises:
            StoppedError: a problem does not belong to single skills, such as a question.
        """
        more = {name for problem in stopped.problems for name in problem.skills} - self._names
        problems = (*self.problems, *stopped.problems)
        if not request.keep_going or not more or not all(problem.skills for problem in stopped.problems):
            raise StoppedError(*problems, skills=stopped.skills, capabilities=stopped.capabilities) from stopped
        return Failures(problems)

    def excluded_from(self, request: InstallRequest) -> InstallRequest:
        """The request without the skills that have failed."""
        failed = self._names
        return replace(
            request,
            excluded=request.excluded | failed,
            failed=failed,
            overwrite=request.overwrite - failed,
            merge=request.merge - failed,
        )

    def added_to(self, outcome: Outcome) -> Outcome:
        """The outcome with these problems, and with a row for each skill that was left out."""
        if not self.problems:
            return outcome
        reasons: dict[str, str] = {}
        for problem in self.problems:
            for name in problem.skills:
                reasons.setdefault(name, f"left out: {_reason(problem)}")
        return replace(with_reasons(outcome, reasons), problems=(*self.problems, *outcome.problems))


def _reason(problem: Problem) -> str:
    """A problem's message; of an invalid source with its path, which may be in another skill than the excluded one."""
    if problem.kind is not ProblemKind.INVALID_SOURCE or not problem.source:
        return problem.message
    place = f"{problem.path} of {problem.source}" if problem.path else problem.source
    return f"{place} is invalid: {problem.message}"


def with_reasons(outcome: Outcome, reasons: Mapping[str, str]) -> Outcome:
    """The outcome with a row for each of these skills, which says why it was left out."""
    known = {row.name for row in outcome.skills}
    rows = [row._replace(why=reasons.get(row.name, row.why)) for row in outcome.skills]
    rows += [SkillRow(name, Status.LEFT_OUT, why=why) for name, why in reasons.items() if name not in known]
    return replace(outcome, skills=tuple(sorted(rows, key=lambda row: row.name)))


def check_needs(state: InstalledState, resolution: Resolution, request: InstallRequest) -> None:
    """With `keep_going`, refuse skills that need an excluded skill that is not installed.

    Raises:
        StoppedError: there is such a skill.
    """
    if not request.keep_going:
        return
    absent = {name for name in resolution.excluded if not state.is_present(name)}
    problems = [
        Problem(
            ProblemKind.UNRESOLVED,
            f"{name}: it needs {', '.join(lacking)}, which was left out",
            clause="install.all-or-nothing",
            skills=(name,),
        )
        for name, chosen in sorted(resolution.chosen.items())
        if chosen.fetched is not None
        and (lacking := [wanted.name for wanted in chosen.wants if wanted.required and wanted.name in absent])
    ]
    if problems:
        raise StoppedError(*problems)
