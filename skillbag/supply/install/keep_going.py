"""`--accept failures` and `--except`: skills are left out; the rest is still installed as a whole or not at all."""

from __future__ import annotations

import posixpath
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.standard.names import is_name
from skillbag.kernel.workspace.target import BOOTSTRAP_SKILL
from skillbag.supply.install.outcome import Outcome, Problem, ProblemKind, SkillRow, Status, StoppedError
from skillbag.supply.install.problems import fetch_or_stop
from skillbag.supply.install.request import InstallRequest
from skillbag.supply.install.resolve import Resolution
from skillbag.supply.install.state import InstalledState
from skillbag.supply.sources.fetch import Fetcher
from skillbag.supply.sources.fetch_all import fetch_one
from skillbag.supply.sources.fetched import Fetched, FetchSpec
from skillbag.supply.sources.skill_layout import named_skills
from skillbag.supply.sources.source import install_command


class Failures(NamedTuple):
    """Why some skills can't be installed; with `--accept failures` the rest is installed without them.

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


def source_of_all(state: InstalledState, request: InstallRequest, fetcher: Fetcher) -> Fetched:
    """The source of which `--all` takes everything.

    Raises:
        StoppedError: it can't be fetched.
    """
    return fetch_or_stop(fetcher, FetchSpec(state.source(request.source or "", plain=True), request.version))


def nameless_problems(state: InstalledState, request: InstallRequest, fetcher: Fetcher) -> Iterator[Problem]:
    """The problem of the folders of a source that hold skills without a valid name; raises as `source_of_all`."""
    fetched = source_of_all(state, request, fetcher)
    nameless = fetched.plain.nameless if fetched.plain else ()
    if left := tuple(at for at in nameless if request.excluded.isdisjoint({at, posixpath.basename(at)})):
        message = f"skills without a valid name: {', '.join(left)}"
        source, fix = fetched.source.declared, "Name the skills to take, instead of --all."
        kind, clause = ProblemKind.INVALID_SOURCE, "bootstrap.validate"
        yield Problem(kind, message, source, clause=clause, fix=fix, skills=left)


def rest_of_all(state: InstalledState, request: InstallRequest, stopped: StoppedError, fetcher: Fetcher) -> str:
    """A sentence with the command for the skills of `--all` with which nothing is wrong; empty if that is none."""
    if not request.everything or request.keep_going or not all(problem.skills for problem in stopped.problems):
        return ""
    fetched = source_of_all(state, request, fetcher)
    bad = {posixpath.basename(name) for problem in stopped.problems for name in problem.skills} | request.excluded
    if not (rest := named_skills(fetched) - bad - {BOOTSTRAP_SKILL}):
        return ""
    command = install_command("--all", fetched.source, request.version, request.command)
    without = shlex.join(word for name in sorted(bad) for word in ("--except", name))
    return f"the other {len(rest)} skill{'s' * (len(rest) > 1)} can be installed: {command} {without}"


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


def check_excluded(state: InstalledState, resolution: Resolution, request: InstallRequest, fetcher: Fetcher) -> None:
    """Refuse an excluded name that no skill has: a mistyped name would protect nothing.

    Raises:
        UserError: there is such a name; suggests the one that may be meant.
    """
    unknown = sorted(name for name in request.excluded - request.failed if not state.is_present(name))
    if not unknown or not (unknown := sorted({*unknown} - (known := _known(state, resolution, request, fetcher)))):
        return
    import difflib

    names = sorted(filter(is_name, known))
    close = [match for name in unknown for match in difflib.get_close_matches(name, names, 1)]
    hint = f"; did you mean {', '.join(dict.fromkeys(close))}?" if close else ""
    raise UserError(
        f"{', '.join(unknown)}: no such skill is installed, declared, offered or needed, "
        f"so there is nothing to leave out{hint}"
    )


def _known(state: InstalledState, resolution: Resolution, request: InstallRequest, fetcher: Fetcher) -> set[str]:
    """The names of all skills in the workspace, its files, the sources and their dependencies."""
    known = {BOOTSTRAP_SKILL, *state.wants, *state.lock.skills, *(wanted.name for wanted, _ in request.listed)}
    known |= {wanted.name for wanted in state.declarations.dependencies}
    wants = [*state.wants.values(), *(chosen.wants for chosen in resolution.chosen.values())]
    known |= {wanted.name for needed in wants for wanted in needed}
    sources = {chosen.fetched.root: chosen.fetched for chosen in resolution.chosen.values() if chosen.fetched}
    if request.source:
        # If all its skills are excluded, nothing of it was chosen.
        source = state.source(request.source, plain=True)
        answer = fetch_one(fetcher, FetchSpec(source, request.version, None))
        sources |= {answer.root: answer} if isinstance(answer, Fetched) else {}
    nameless = (each.plain.nameless for each in sources.values() if each.plain)
    return known.union(*map(named_skills, sources.values()), *(map(posixpath.basename, at) for at in nameless))
