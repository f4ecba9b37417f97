"""What precedence can't settle: one name required from two sources, and cycles of dependencies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter

from skillbag.supply.install.outcome import Problem, ProblemKind
from skillbag.supply.install.problems import fetch_problems
from skillbag.supply.install.requirements import Requirement
from skillbag.supply.install.source_selection import SourceSelector
from skillbag.supply.sources.fetch import Fetcher
from skillbag.supply.sources.fetch_all import fetch_all
from skillbag.supply.sources.fetched import FetchFailure, FetchSpec
from skillbag.supply.sources.source import source_key


def conflicts(
    requirements: Mapping[str, Sequence[Requirement]], selector: SourceSelector, fetcher: Fetcher
) -> Iterator[Problem]:
    """A problem for each name that is declared with two sources or versions, unless a higher level decides.

    Clause resolution.dependency-conflict. Versions compare by what they resolve to; requests of earlier command lines
    are no declarations.
    """
    for name, wanted in sorted(requirements.items()):
        declared = [requirement for requirement in wanted if requirement.declares]
        constraint = selector.constraint(name, wanted)
        first: dict[tuple[str, str], Requirement] = {}
        for requirement in declared:
            if requirement.source is not None:
                first.setdefault(source_key(selector.state.source(requirement.source)), requirement)
        if len(first) > 1 and not constraint.source_settled:
            yield conflict(name, "from different sources", first.values())
        elif constraint.source and first and not constraint.version_settled:
            yield from _pins(name, constraint.source, declared, selector, fetcher)


def _pins(
    name: str, address: str, requirements: list[Requirement], selector: SourceSelector, fetcher: Fetcher
) -> Iterator[Problem]:
    """The conflict of versions of one source that resolve to different commits; those of a folder or zip don't."""
    source = selector.source(name, address, requirements)
    pinned = {
        requirement.version: requirement for requirement in reversed(requirements) if requirement.version is not None
    }
    if len(pinned) < 2:
        return
    specs = {version: FetchSpec(source, version, None) for version in reversed(pinned)}
    answers = fetch_all(fetcher, specs.values())
    commits: dict[str, Requirement] = {}
    for version, spec in specs.items():
        answer = answers[spec]
        if isinstance(answer, FetchFailure):
            chains = (pinned[version].full_chain,)
            yield from (problem._replace(chains=chains, skills=(name,)) for problem in fetch_problems(answer))
        else:
            commits.setdefault(answer.resolved or "", pinned[version])
    if len(commits) > 1:
        yield conflict(name, "at different versions", commits.values())


def conflict(name: str, how: str, requirements: Iterable[Requirement]) -> Problem:
    """The problem of requirements for one skill that can't all be met."""
    return Problem(
        ProblemKind.CONFLICT,
        f"{name}: wanted {how}",
        clause="resolution.dependency-conflict",
        fix=(
            f"Make the declarations agree, or decide: `overrides: {{{name}: {{source: …, version: …}}}}` in "
            f"USER_CONTEXT.md or CONTEXT.md, or --source and --version with the name."
        ),
        chains=tuple(dict.fromkeys(requirement.full_chain for requirement in requirements)),
        skills=(name,),
    )


def cycles(needs: Mapping[str, Iterable[str]], requirements: Mapping[str, Sequence[Requirement]]) -> Iterator[Problem]:
    """The first cycle of dependencies, if there is one (clause dependencies.acyclic)."""
    try:
        TopologicalSorter(needs).prepare()
    except CycleError as error:
        # graphlib gives the cycle from the needed skill to its user, with the first skill again at the end.
        cycle = tuple(reversed(error.args[1]))
        first = cycle.index(min(cycle[:-1]))
        turned = cycle[first:-1] + cycle[: first + 1]
        yield Problem(
            ProblemKind.CYCLE,
            f"dependencies go in a circle: {' -> '.join(turned)}",
            clause="dependencies.acyclic",
            fix="One of these skills must do without the next.",
            chains=(requirements[turned[0]][0].full_chain, turned),
        )
