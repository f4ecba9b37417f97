"""Why requirements can't be resolved and sources not fetched, as the problems of an outcome."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

from skillbag.kernel.standard.declarations import Level
from skillbag.kernel.workspace.lock_file import LOCK
from skillbag.kernel.workspace.target import skill_path
from skillbag.supply.install.outcome import Problem, ProblemKind, StoppedError
from skillbag.supply.install.requirements import Requirement
from skillbag.supply.sources import limits
from skillbag.supply.sources.fetch import Fetcher
from skillbag.supply.sources.fetch_all import fetch_one
from skillbag.supply.sources.fetched import (
    ChangedSourceError,
    ChangedVersionError,
    Fetched,
    FetchFailure,
    FetchSpec,
    InvalidSourceError,
)

MAX_CHAINS = 3
"""Chains of requesters that one problem shows."""


def quoted(names: Sequence[str], most: int = sys.maxsize) -> str:
    """Names or paths in a message, at most so many of them."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(f"`{name}`" for name in names[:most]) + more


def absent(fetched: Fetched, name: str) -> str:
    """Why a source does not hold a skill that was installed from it: the end of a sentence."""
    folders = fetched.plain.ambiguous.get(name, ()) if fetched.plain is not None else ()
    if folders:
        return f"its source has different skills of this name, in {quoted(folders)}, and not in the folder of {LOCK}"
    return "its source does not hold it any more"


def too_many_sources(count: int, requirements: list[Requirement]) -> Problem:
    """The problem of more sources than one run fetches."""
    return Problem(
        ProblemKind.USAGE,
        f"the skills come from at least {count:,} sources; at most {limits.MAX_SOURCES} are fetched in one run",
        clause="dependencies.recurse",
        fix="Install in several runs, skill by skill; leave out skills that need too many sources.",
        chains=tuple(requirement.full_chain for requirement in requirements[:MAX_CHAINS]),
    )


def too_many_dependencies(name: str, count: int, requirements: Iterable[Requirement]) -> Problem:
    """The problem of a skill that declares too many dependencies."""
    return Problem(
        ProblemKind.INVALID_SOURCE,
        f"{name}: it declares {count:,} dependencies; at most {limits.MAX_DEPENDENCIES} of one skill are followed",
        path=skill_path(name),
        clause="dependencies.recurse",
        fix="Leave the skill out, or ask its author to depend on fewer.",
        chains=tuple(requirement.full_chain for requirement in requirements),
    )


def chain_problem(requirement: Requirement) -> Problem | None:
    """The problem of a chain of dependencies that is too long; None if it is not."""
    if len(requirement.chain) <= limits.MAX_CHAIN:
        return None
    first, most = requirement.chain[1], limits.MAX_CHAIN
    return Problem(
        ProblemKind.INVALID_SOURCE,
        f"{requirement.name}: {first} needs it through {most} others; a chain of dependencies is followed no further",
        path=requirement.place.file,
        line=requirement.place.line,
        clause="dependencies.recurse",
        fix=f"Leave {first} out, or ask its author to depend on fewer.",
    )


def bad_source(requirement: Requirement, reason: str) -> Problem:
    """The problem of a declared source that can't be used."""
    own = requirement.level is not Level.SKILL
    override = f"`overrides: {{{requirement.name}: {{source: …}}}}`"
    return Problem(
        ProblemKind.USAGE if own else ProblemKind.INVALID_SOURCE,
        f"{requirement.name}: {reason}",
        source=requirement.home.source.declared if requirement.home else "",
        path=requirement.place.file,
        line=requirement.place.line,
        clause="source.kinds",
        fix="" if own else f"Override it: {override} in USER_CONTEXT.md, or --source.",
        chains=() if own else (requirement.full_chain,),
        skills=(requirement.name,),
    )


def unresolved(name: str, requirements: Iterable[Requirement]) -> Problem:
    """The problem of a skill that no known source holds."""
    homes = any(requirement.home is not None for requirement in requirements)
    where = "here or in the source of who needs it" if homes else "here, and nothing says where it comes from"
    return Problem(
        ProblemKind.UNRESOLVED,
        f"{name}: there is no such skill {where}",
        clause="dependencies.local-name",
        fix=f"Give a source: skillbag install {name} --source ADDRESS, or declare it in CONTEXT.md.",
        chains=tuple(requirement.full_chain for requirement in requirements),
        skills=(name,),
    )


def fetch_problems(failure: FetchFailure) -> tuple[Problem, ...]:
    """One problem for each reason."""
    source, error = failure.source, failure.error
    if isinstance(error, ChangedSourceError):
        kind = ProblemKind.QUESTION if isinstance(error, ChangedVersionError) else ProblemKind.DRIFT
        return (Problem(kind, error.faults[0], source=source, fix=error.fix),)
    kind, clause, fix = ProblemKind.FETCH, "", ""
    if isinstance(error, InvalidSourceError):
        kind, clause, fix = ProblemKind.INVALID_SOURCE, "source.contents", error.fix
    return tuple(Problem(kind, reason, source=source, clause=clause, fix=fix) for reason in failure.reasons)


def fetch_or_stop(fetcher: Fetcher, spec: FetchSpec) -> Fetched:
    """Fetch one source.

    Raises:
        StoppedError: it can't be had.
    """
    answer = fetch_one(fetcher, spec)
    if isinstance(answer, FetchFailure):
        raise StoppedError(*fetch_problems(answer))
    return answer
