"""What no order of precedence can settle: one name wanted from two places, and dependencies that go in a circle."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from graphlib import CycleError, TopologicalSorter

from skillbag.install.address import BadSourceError, Source, SourceKind, parse_source
from skillbag.install.claims import Claim
from skillbag.install.fetch import Fetcher
from skillbag.install.fetching import Wish, fetch_all
from skillbag.install.outcome import Trouble, TroubleKind

_Claims = Mapping[str, list[Claim]]


def conflicts(
    claims: _Claims, overridden: AbstractSet[str], kept: AbstractSet[str], root: str, fetcher: Fetcher
) -> Iterator[Trouble]:
    """A trouble for each name that live declarations want from two sources or at two pins.

    An override settles everything. Names in `kept` are installed already, which is enough for those who give no source.
    Clause resolution.dependency-conflict; pins compare by what they resolve to (decisions.md, Installation).
    """
    for name, wishes in sorted(claims.items()):
        if name in overridden:
            continue
        explicit = _addressed(wishes, root)
        found = _first_of_each_source(explicit)
        if not explicit and name not in kept:
            found = _first_of_each_source([(claim, claim.home.source) for claim in wishes if claim.home])
        if len(found) > 1:
            yield _conflict(name, "from different sources", found)
        else:
            yield from _pins(name, explicit, fetcher)


def _addressed(claims: Iterable[Claim], root: str) -> list[tuple[Claim, Source]]:
    """The live claims that give a source; an address that can't be read has been reported where it was used."""
    found = []
    for claim in claims:
        if claim.source is not None and not claim.remembered:
            try:
                found.append((claim, parse_source(claim.source, root)))
            except BadSourceError:
                continue
    return found


def _first_of_each_source(claims: Iterable[tuple[Claim, Source]]) -> list[Claim]:
    by_identity: dict[tuple[str, str], Claim] = {}
    for claim, source in claims:
        by_identity.setdefault((source.kind.lock_kind, source.identity), claim)
    return list(by_identity.values())


def _pins(name: str, claims: list[tuple[Claim, Source]], fetcher: Fetcher) -> Iterator[Trouble]:
    """Different pins of one git repository, which is a conflict unless they are one commit."""
    pinned = {
        claim.version: (claim, source)
        for claim, source in reversed(claims)
        if claim.version is not None and source.kind is SourceKind.GIT
    }
    if len(pinned) < 2:
        return
    wishes = {version: Wish(source, version, None) for version, (_, source) in pinned.items()}
    answers = fetch_all(fetcher, wishes.values())
    commits: dict[str, Claim] = {}
    for version, wish in wishes.items():
        answer = answers[wish]
        if isinstance(answer, tuple):
            yield from answer
        else:
            commits.setdefault(answer.resolved or "", pinned[version][0])
    if len(commits) > 1:
        yield _conflict(name, "at different versions", list(commits.values())[::-1])


def _conflict(name: str, how: str, claims: list[Claim]) -> Trouble:
    return Trouble(
        TroubleKind.CONFLICT,
        f"{name}: wanted {how}",
        clause="resolution.dependency-conflict",
        fix=(
            f"Make the declarations agree, or decide: `overrides: {{{name}: {{source: …, version: …}}}}` in "
            f"USER_CONTEXT.md or CONTEXT.md, or --source and --version with the name."
        ),
        chains=tuple(claim.way for claim in claims),
    )


def cycles(needs: Mapping[str, Iterable[str]], claims: _Claims) -> Iterator[Trouble]:
    """The first circle of dependencies, if there is one (clause dependencies.acyclic)."""
    try:
        TopologicalSorter(needs).prepare()
    except CycleError as error:
        # graphlib gives the circle against the direction of need, its first member again at the end.
        circle = tuple(reversed(error.args[1]))
        first = circle.index(min(circle[:-1]))
        turned = circle[first:-1] + circle[: first + 1]
        yield Trouble(
            TroubleKind.CYCLE,
            f"dependencies go in a circle: {' -> '.join(turned)}",
            clause="dependencies.acyclic",
            fix="One of these skills must do without the next.",
            chains=(claims[turned[0]][0].way, turned),
        )
