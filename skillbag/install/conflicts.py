"""What no order of precedence can settle: one name wanted from two places, and dependencies that go in a circle."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter

from skillbag.install.fetching import FetchSpec, fetch_all
from skillbag.install.outcome import Problem, ProblemKind
from skillbag.install.requirements import Requirement
from skillbag.install.source_selection import Origins, place
from skillbag.sources.fetch import Fetcher


def conflicts(claims: Mapping[str, Sequence[Requirement]], origins: Origins, fetcher: Fetcher) -> Iterator[Problem]:
    """A problem for each name that declarations want from two sources or at two versions, if nothing above settles it.

    Clause resolution.dependency-conflict; versions compare by what they resolve to (decisions.md, Installation). What
    an earlier command line asked for is history, and no declaration.
    """
    for name, wishes in sorted(claims.items()):
        declared = [claim for claim in wishes if claim.declares]
        said = origins.said(name, wishes)
        apart = _apart(declared, origins)
        if len(apart) > 1 and not said.source_settled:
            yield conflict(name, "from different sources", apart)
        elif said.source and apart and not said.version_settled:
            yield from _pins(name, said.source, declared, origins, fetcher)


def _apart(claims: Iterable[Requirement], origins: Origins) -> list[Requirement]:
    """The first claim for each different source."""
    by_place: dict[tuple[str, str], Requirement] = {}
    for claim in claims:
        if claim.source is not None:
            by_place.setdefault(place(origins.state.source(claim.source)), claim)
    return list(by_place.values())


def _pins(name: str, address: str, claims: list[Requirement], origins: Origins, fetcher: Fetcher) -> Iterator[Problem]:
    """Different versions of one source, which is a conflict unless they are one commit; of a folder or zip they are."""
    source = origins.source(name, address, claims)
    pinned = {claim.version: claim for claim in reversed(claims) if claim.version is not None}
    if len(pinned) < 2:
        return
    wishes = {version: FetchSpec(source, version, None) for version in reversed(pinned)}
    answers = fetch_all(fetcher, wishes.values())
    commits: dict[str, Requirement] = {}
    for version, wish in wishes.items():
        answer = answers[wish]
        if isinstance(answer, tuple):
            yield from (problem._replace(chains=(pinned[version].way,), skills=(name,)) for problem in answer)
        else:
            commits.setdefault(answer.resolved or "", pinned[version])
    if len(commits) > 1:
        yield conflict(name, "at different versions", commits.values())


def conflict(name: str, how: str, claims: Iterable[Requirement]) -> Problem:
    """The problem of claims for one skill that can't both be met."""
    return Problem(
        ProblemKind.CONFLICT,
        f"{name}: wanted {how}",
        clause="resolution.dependency-conflict",
        fix=(
            f"Make the declarations agree, or decide: `overrides: {{{name}: {{source: …, version: …}}}}` in "
            f"USER_CONTEXT.md or CONTEXT.md, or --source and --version with the name."
        ),
        chains=tuple(dict.fromkeys(claim.way for claim in claims)),
        skills=(name,),
    )


def cycles(needs: Mapping[str, Iterable[str]], claims: Mapping[str, Sequence[Requirement]]) -> Iterator[Problem]:
    """The first circle of dependencies, if there is one (clause dependencies.acyclic)."""
    try:
        TopologicalSorter(needs).prepare()
    except CycleError as error:
        # graphlib gives the circle against the direction of need, its first member again at the end.
        circle = tuple(reversed(error.args[1]))
        first = circle.index(min(circle[:-1]))
        turned = circle[first:-1] + circle[: first + 1]
        yield Problem(
            ProblemKind.CYCLE,
            f"dependencies go in a circle: {' -> '.join(turned)}",
            clause="dependencies.acyclic",
            fix="One of these skills must do without the next.",
            chains=(claims[turned[0]][0].way, turned),
        )
