"""Why requirements can't be resolved."""

from __future__ import annotations

from collections.abc import Iterable

from skillbag.install.outcome import Problem, ProblemKind
from skillbag.install.requirements import Requirement
from skillbag.sources import limits
from skillbag.standard.declarations import Level
from skillbag.workspace.target import skill_path

MAX_CHAINS = 3
"""Chains of requesters that are shown of one problem."""


def too_many_sources(count: int, requirements: list[Requirement]) -> Problem:
    """A run needs more sources than are fetched."""
    return Problem(
        ProblemKind.USAGE,
        f"what is wanted comes from {count:,} sources at least; at most {limits.MAX_SOURCES} are fetched in one run",
        clause="dependencies.recurse",
        fix="Install in several runs, skill by skill; if skills bring in that many, leave these out.",
        chains=tuple(requirement.full_chain for requirement in requirements[:MAX_CHAINS]),
    )


def too_many_dependencies(name: str, count: int, requirements: Iterable[Requirement]) -> Problem:
    """A skill declares more dependencies than are followed."""
    return Problem(
        ProblemKind.INVALID_SOURCE,
        f"{name}: it declares {count:,} dependencies; at most {limits.MAX_DEPENDENCIES} of one skill are followed",
        path=skill_path(name),
        clause="dependencies.recurse",
        fix="Leave the skill out, or ask whoever made it to depend on less.",
        chains=tuple(requirement.full_chain for requirement in requirements),
    )


def chain_problem(requirement: Requirement) -> Problem | None:
    """A chain of dependencies that is too long to be followed; None where it is not."""
    if len(requirement.chain) <= limits.MAX_CHAIN:
        return None
    first, most = requirement.chain[1], limits.MAX_CHAIN
    return Problem(
        ProblemKind.INVALID_SOURCE,
        f"{requirement.name}: {first} needs it through {most} others; a chain of dependencies is followed no further",
        path=requirement.place.file,
        line=requirement.place.line,
        clause="dependencies.recurse",
        fix=f"Leave {first} out, or ask whoever made it to depend on less.",
    )


def bad_source(requirement: Requirement, reason: str) -> Problem:
    """A declared source that can't be used."""
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
    """No source is known that holds the skill."""
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
