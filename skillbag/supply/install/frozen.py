"""`--frozen`: install exactly what the lock records; any drift stops the run."""

from __future__ import annotations

from collections.abc import Iterator

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.standard.declarations import Declaration, Level, Place
from skillbag.kernel.workspace.lock_file import COMMAND_LINE, LOCK
from skillbag.kernel.workspace.target import CONTEXT
from skillbag.supply.install.integrity import edited_problem, lock_faults, mismatch
from skillbag.supply.install.outcome import Problem, ProblemKind, SkillRow, Status
from skillbag.supply.install.problems import fetch_problems
from skillbag.supply.install.request import InstallRequest
from skillbag.supply.install.requirements import Requirement
from skillbag.supply.install.resolve import Chosen, Resolution
from skillbag.supply.install.state import InstalledState, tree_in
from skillbag.supply.sources.address import without_credentials
from skillbag.supply.sources.fetch import Fetcher
from skillbag.supply.sources.fetch_all import fetch_all
from skillbag.supply.sources.fetched import Fetched, FetchFailure


def resolve_frozen(state: InstalledState, requests: InstallRequest, fetcher: Fetcher) -> Resolution:
    """The locked commit or archive of every locked skill; drift of declarations or of the disk as problems.

    Skills that are not locked are ignored.

    Raises:
        UserError: there is no lock.
        BadSourceError: an address in the lock can't be used.
    """
    if not state.has_lock:
        raise UserError(
            f"{LOCK}: --frozen installs what it says, and there is none; run skillbag install once without --frozen"
        )
    edited = [name for name in sorted(state.lock.skills) if state.is_edited(name)]
    problems = [*drifted(state, requests), *(edited_problem(state, name) for name in edited), *lock_faults(state)]
    left_out = {row.name: row for row in _left_out(state)}
    wanted = [name for name in state.lock.skills if not state.is_present(name) or state.is_stale(name)]
    specs = {name: state.locked_spec(name) for name in wanted if name not in left_out}
    answers = fetch_all(fetcher, specs.values())
    chosen = {}
    for name, locked in sorted(state.lock.skills.items()):
        if name in left_out:
            continue
        answer = answers[specs[name]] if name in specs else None
        if isinstance(answer, Fetched):
            answer = state.located(answer, name)
        if isinstance(answer, FetchFailure):
            problems += [problem for problem in fetch_problems(answer) if problem not in problems]
        elif answer is not None and tree_in(answer, name) != locked.tree:
            # A folder has no versions.
            problems.append(mismatch(state, name, f"its source does not hold what {LOCK} says"))
        else:
            place, source, version = Place(LOCK, 0), locked.source, locked.requested
            requirements = (
                Requirement(name, source, version, by, (by,), Level.CONTEXT, place, remembered=True)
                for by in locked.asked_by
            )
            chosen[name] = Chosen(name, tuple(requirements), answer, ())
    return Resolution(chosen, tuple(left_out.values()), tuple(problems), frozen=True)


def _left_out(state: InstalledState) -> Iterator[SkillRow]:
    """Locked skills that are not installed, and that the context files prohibit for each requester."""
    for name, locked in sorted(state.lock.skills.items()):
        levels = [_LEVELS.get(by, Level.SKILL) for by in locked.asked_by]
        prohibitions = [state.declarations.prohibits(name, level) for level in levels]
        if prohibitions and all(prohibitions) and not state.is_present(name):
            why = f"{prohibitions[0] and prohibitions[0].place} prohibits it"
            yield SkillRow(name, Status.LEFT_OUT, locked.source, locked.requested, asked_by=locked.asked_by, why=why)


_LEVELS = {COMMAND_LINE: Level.CONVERSATION, CONTEXT: Level.CONTEXT}


def drifted(state: InstalledState, requests: InstallRequest) -> Iterator[Problem]:
    """Declarations and requests that the lock does not meet, and locked declarations that were removed."""
    declared = {}
    for wanted in state.declarations.dependencies:
        override = state.declarations.overrides.get(wanted.name)
        source = (override and override.source) or wanted.source
        version = (override and override.version) or wanted.version
        declared[wanted.name] = wanted._replace(source=source, version=version)
        yield from _drift(state, declared[wanted.name], Level.CONTEXT)
    for name, locked in sorted(state.lock.skills.items()):
        if CONTEXT in locked.asked_by and name not in declared:
            message = f"{name}: locked as a dependency of {CONTEXT}, which does not declare it any more"
            yield Problem(ProblemKind.DRIFT, message, fix=_UPDATE)
    for wanted, level in requests.listed:
        yield from _drift(state, wanted, level)
    for request in requests.skills:
        wanted = Declaration(request.name, request.source, request.version, True, Place("", 0))
        yield from _drift(state, wanted, Level.CONVERSATION)


def _drift(state: InstalledState, wanted: Declaration, level: Level) -> Iterator[Problem]:
    reason = _differs(state, wanted.name, wanted.source, wanted.version)
    if reason and not (level is not Level.CONVERSATION and state.declarations.prohibits(wanted.name, level)):
        message, (path, line) = f"{wanted.name}: {reason}", wanted.place
        yield Problem(ProblemKind.DRIFT, message, path=path, line=line, fix=_UPDATE)


def _differs(state: InstalledState, name: str, source: str | None, version: str | None) -> str:
    locked = state.locked(name)
    if locked is None:
        return f"it is wanted, but {LOCK} does not know it"
    if source is not None and not state.came_from(name, source):
        return f"declared from {without_credentials(source)}, locked from {locked.source}"
    if version not in (None, locked.requested, locked.resolved):
        return f"declared at {version}, locked at {locked.requested or 'no version'}"
    return ""


_UPDATE = (
    "If the declaration is right, skillbag install takes what is not there yet and skillbag update the rest; then "
    f"commit {LOCK}. Else restore the one that is wrong."
)
