"""`--frozen`: install exactly what the lock records; any drift stops the run."""

from __future__ import annotations

from collections.abc import Iterator

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.standard.declarations import Level, Place
from skillbag.kernel.workspace.lock_file import COMMAND_LINE, LOCK
from skillbag.kernel.workspace.target import CONTEXT
from skillbag.supply.install.drift import drifted
from skillbag.supply.install.fetch_problems import fetch_problems
from skillbag.supply.install.integrity import edited_problem, lock_faults
from skillbag.supply.install.outcome import SkillRow, Status
from skillbag.supply.install.request_set import RequestSet
from skillbag.supply.install.requirements import Requirement
from skillbag.supply.install.resolve import Chosen, Resolution
from skillbag.supply.install.source_integrity import mismatch
from skillbag.supply.install.state import InstalledState, tree_in
from skillbag.supply.sources.fetch import Fetcher
from skillbag.supply.sources.fetch_all import fetch_all
from skillbag.supply.sources.fetched import Fetched, FetchFailure


def resolve_frozen(state: InstalledState, requests: RequestSet, fetcher: Fetcher) -> Resolution:
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
    problems = [*drifted(state, requests), *map(edited_problem, edited), *lock_faults(state)]
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
