"""`--except` and `--keep-going`: what is left out of an installation, so that the rest need not wait for it.

What is left is still installed as a whole or not at all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from skillbag.base.errors import UserError
from skillbag.install.fetching import FetchSpec, fetch_one
from skillbag.install.outcome import (
    Outcome,
    Problem,
    ProblemKind,
    SkillRow,
    Status,
    StoppedError,
)
from skillbag.install.resolve import Resolution
from skillbag.install.state import InstalledState
from skillbag.sources.fetch import Fetcher
from skillbag.sources.fetched import Fetched
from skillbag.sources.skill_layout import named_skills
from skillbag.workspace.target import BOOTSTRAP_SKILL, NAME

if TYPE_CHECKING:
    from skillbag.install.install import InstallRequest


def going_on(request: InstallRequest, install: Callable[[InstallRequest], Outcome]) -> Outcome:
    """Install; with `keep_going` again and again without what can't be had, and say of each why.

    What fails is fetched no second time: the fetcher of the run knows it.

    Raises:
        StoppedError: there is a problem that is not some skills' alone, such as a question.
    """
    failures: list[Problem] = []
    failed: frozenset[str] = frozenset()
    while True:
        try:
            outcome = install(_without(request, failed))
        except StoppedError as stopped:
            more = {name for problem in stopped.problems for name in problem.skills} - failed
            if not request.keep_going or not more or not all(problem.skills for problem in stopped.problems):
                raise StoppedError(*failures, *stopped.problems, skills=stopped.skills) from stopped
            failures += stopped.problems
            failed |= more
        else:
            return _with_failures(outcome, failures) if failures else outcome


def _without(request: InstallRequest, failed: frozenset[str]) -> InstallRequest:
    return replace(
        request,
        excluded=request.excluded | failed,
        failed=failed,
        overwrite=request.overwrite - failed,
        merge=request.merge - failed,
    )


def with_excluded(outcome: Outcome, request: InstallRequest) -> Outcome:
    """The outcome with a row for each skill that was left out by name, which says so."""
    return _with_reasons(outcome, dict.fromkeys(request.excluded, "left out by --except"))


def _with_failures(outcome: Outcome, failures: list[Problem]) -> Outcome:
    reasons: dict[str, str] = {}
    for problem in failures:
        for name in problem.skills:
            reasons.setdefault(name, f"left out: {_reason(problem)}")
    return replace(_with_reasons(outcome, reasons), problems=(*failures, *outcome.problems))


def _reason(problem: Problem) -> str:
    """A problem's message; of an invalid source with its place, which may be in a sibling of what is left out."""
    if problem.kind is not ProblemKind.INVALID_SOURCE or not problem.source:
        return problem.message
    place = f"{problem.path} of {problem.source}" if problem.path else problem.source
    return f"{place} is invalid: {problem.message}"


def _with_reasons(outcome: Outcome, reasons: dict[str, str]) -> Outcome:
    known = {row.name for row in outcome.skills}
    rows = [row._replace(why=reasons.get(row.name, row.why)) for row in outcome.skills]
    rows += [SkillRow(name, Status.LEFT_OUT, why=why) for name, why in reasons.items() if name not in known]
    return replace(outcome, skills=tuple(sorted(rows, key=lambda row: row.name)))


def check_excluded(state: InstalledState, resolution: Resolution, request: InstallRequest, fetcher: Fetcher) -> None:
    """Refuse a name to leave out that no skill has: mistyped, it would protect nothing.

    Raises:
        UserError: nothing is known of such a skill; with the name that may be meant.
    """
    unknown = sorted(name for name in request.excluded - request.failed if not state.is_present(name))
    if not unknown or not (unknown := sorted({*unknown} - (known := _known(state, resolution, request, fetcher)))):
        return
    import difflib

    names = sorted(filter(NAME.fullmatch, known))
    close = [name for one in unknown for name in difflib.get_close_matches(one, names, 1)]
    hint = f"; did you mean {', '.join(dict.fromkeys(close))}?" if close else ""
    raise UserError(
        f"{', '.join(unknown)}: no such skill is installed, declared, offered or needed, "
        f"so there is nothing to leave out{hint}"
    )


def _known(state: InstalledState, resolution: Resolution, request: InstallRequest, fetcher: Fetcher) -> set[str]:
    """Every name that somebody has for a skill: the workspace, its files, sources and what they need."""
    known = {BOOTSTRAP_SKILL, *state.wants, *state.lock.skills, *(wanted.name for wanted, _ in request.listed)}
    known |= {wanted.name for wanted in state.declarations.dependencies}
    wants = [*state.wants.values(), *(chosen.wants for chosen in resolution.chosen.values())]
    known |= {wanted.name for needed in wants for wanted in needed}
    sources = {chosen.fetched.root: chosen.fetched for chosen in resolution.chosen.values() if chosen.fetched}
    if request.source:
        # Where all of it is left out, nothing of it was chosen.
        source = state.source(request.source, plain=request.plain)
        answer = fetch_one(fetcher, FetchSpec(source, request.version, None))
        sources |= {answer.root: answer} if isinstance(answer, Fetched) else {}
    return known.union(*map(named_skills, sources.values()))


def check_needs(state: InstalledState, resolution: Resolution, request: InstallRequest) -> None:
    """With `keep_going`, refuse what needs a skill that was left out and is not there.

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
