"""`--frozen`: install exactly what the lock records. Any drift from it stops the run."""

from __future__ import annotations

from collections.abc import Iterator

from skillbag.base.errors import UserError
from skillbag.install.against_source import mismatch
from skillbag.install.fetch_problems import fetch_problems
from skillbag.install.integrity import lock_faults
from skillbag.install.outcome import Problem, ProblemKind, SkillRow, Status
from skillbag.install.requirements import RequestSet, Requirement
from skillbag.install.resolve import Chosen, Resolution
from skillbag.install.source_selection import source_key
from skillbag.install.state import InstalledState
from skillbag.sources.address import without_credentials
from skillbag.sources.fetch import Fetcher, fetch_all
from skillbag.sources.fetched import Fetched, FetchFailure, FetchSpec
from skillbag.sources.skill_layout import find_skill
from skillbag.standard.declarations import Level, Place
from skillbag.workspace.lock_file import COMMAND_LINE, LOCK, Locked
from skillbag.workspace.target import CONTEXT
from skillbag.workspace.tree_hash import tree_hash


class NoLockError(UserError):
    """`--frozen` without a lock."""


def resolve_frozen(state: InstalledState, requests: RequestSet, fetcher: Fetcher) -> Resolution:
    """The locked commit or archive of every locked skill; drift of declarations or of the disk as problems.

    Skills that are not locked are ignored (decisions.md, Installation).

    Raises:
        NoLockError: there is no lock.
        BadSourceError: an address in the lock can't be used.
    """
    if not state.has_lock:
        raise NoLockError(
            f"{LOCK}: --frozen installs what it says, and there is none; run skillbag install once without --frozen"
        )
    problems = [*_undeclared(state, requests), *_edited(state), *lock_faults(state)]
    left_out = {row.name: row for row in _left_out(state)}
    absent = [name for name in state.lock.skills if not state.is_present(name) and name not in left_out]
    specs = {name: _spec(state, name, state.lock.skills[name]) for name in absent}
    answers = fetch_all(fetcher, specs.values())
    chosen = {}
    for name, locked in sorted(state.lock.skills.items()):
        if name in left_out:
            continue
        answer = answers[specs[name]] if name in specs else None
        if isinstance(answer, FetchFailure):
            problems += [problem for problem in fetch_problems(answer) if problem not in problems]
        elif answer is not None and _moved_on(answer, name, locked):
            problems.append(mismatch(state, name, f"its source does not hold what {LOCK} says"))
        else:
            chosen[name] = Chosen(name, tuple(_claims(name, locked)), answer, ())
    return Resolution(chosen, tuple(left_out.values()), tuple(problems), frozen=True)


def _spec(state: InstalledState, name: str, locked: Locked) -> FetchSpec:
    return FetchSpec(state.source_of(name), locked.requested, locked.resolved)


def _left_out(state: InstalledState) -> Iterator[SkillRow]:
    """Locked skills that are not installed, and that the context files prohibit at every level."""
    for name, locked in sorted(state.lock.skills.items()):
        levels = [_LEVELS.get(by, Level.SKILL) for by in locked.asked_by]
        prohibitions = [state.declarations.prohibits(name, level) for level in levels]
        if prohibitions and all(prohibitions) and not state.is_present(name):
            why = f"{prohibitions[0] and prohibitions[0].place} prohibits it"
            yield SkillRow(name, Status.LEFT_OUT, locked.source, locked.requested, asked_by=locked.asked_by, why=why)


_LEVELS = {COMMAND_LINE: Level.CONVERSATION, CONTEXT: Level.CONTEXT}


def _claims(name: str, locked: Locked) -> Iterator[Requirement]:
    for by in locked.asked_by:
        yield Requirement(
            name, locked.source, locked.requested, by, (by,), Level.CONTEXT, Place(LOCK, 0), remembered=True
        )


def _undeclared(state: InstalledState, requests: RequestSet) -> Iterator[Problem]:
    """Declarations that the lock does not answer to."""
    overrides = state.declarations.overrides
    for wanted in state.declarations.dependencies:
        override = overrides.get(wanted.name)
        source = (override and override.source) or wanted.source
        version = (override and override.version) or wanted.version
        if state.declarations.prohibits(wanted.name, Level.CONTEXT):
            continue
        if reason := _differs(state, wanted.name, source, version):
            yield _drift(f"{wanted.name}: {reason}", wanted.place.file, wanted.place.line)
    declared = {wanted.name for wanted in state.declarations.dependencies}
    for name, locked in sorted(state.lock.skills.items()):
        if CONTEXT in locked.asked_by and name not in declared:
            yield _drift(f"{name}: locked as a dependency of {CONTEXT}, which does not declare it any more")
    for wanted, level in requests.listed:
        if state.declarations.prohibits(wanted.name, level):
            continue
        if reason := _differs(state, wanted.name, wanted.source, wanted.version):
            yield _drift(f"{wanted.name}: {reason}", wanted.place.file, wanted.place.line)
    for request in requests.skills:
        if reason := _differs(state, request.name, request.source, request.version):
            yield _drift(f"{request.name}: {reason}")


def _differs(state: InstalledState, name: str, source: str | None, version: str | None) -> str:
    locked = state.locked(name)
    if locked is None:
        return f"it is wanted, but {LOCK} does not know it"
    if source is not None and source_key(state.source(source)) != source_key(state.source_of(name)):
        return f"declared from {without_credentials(source)}, locked from {locked.source}"
    if version not in (None, locked.requested, locked.resolved):
        return f"declared at {version}, locked at {locked.requested or 'no version'}"
    return ""


def _edited(state: InstalledState) -> Iterator[Problem]:
    for name in sorted(state.lock.skills):
        if state.is_present(name) and state.is_edited(name):
            fix = f"skillbag diff {name} shows what differs; skillbag install --overwrite {name} restores it."
            yield _drift(f"{name}: what is on the disk is not what {LOCK} says", f".skills/{name}", fix=fix)


def _moved_on(fetched: Fetched, name: str, locked: Locked) -> bool:
    """A folder has no versions, and a commit gives what it always gave: here the tree itself is held to the lock."""
    folder = find_skill(fetched, name)
    return folder is None or tree_hash(folder) != locked.tree


_UPDATE = (
    "If the declaration is right, skillbag install takes what is not there yet and skillbag update the rest; then "
    f"commit {LOCK}. Else restore the one that is wrong."
)


def _drift(message: str, path: str = "", line: int = 0, source: str = "", fix: str = _UPDATE) -> Problem:
    return Problem(ProblemKind.DRIFT, message, source, path, line, fix=fix)
