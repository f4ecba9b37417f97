"""From what is wanted to what is fetched: declarations, overrides, what is installed, and what each skill depends on.

Clauses resolution.order, resolution.dependency-conflict, dependencies.recurse, dependencies.acyclic,
dependencies.local-name, context.first.
Nothing is written here; fetching fills the cache alone.

Where a skill comes from depends on all of its claims, and the last of them may come to light after it was chosen, in a
skill that was fetched later. So a walk that turns out to have chosen too early is made again, knowing all that the one
before has heard: the first walk whose choices agree with its own claims is the result, and in whatever order things
are declared it is the same one.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from skillbag.install.conflicts import conflict, conflicts, cycles
from skillbag.install.fetching import Answer, FetchSpec, fetch_all
from skillbag.install.outcome import Problem, ProblemKind, SkillRow, Status
from skillbag.install.requirements import RequestSet, Requirement, claims_of_skill, first_claims, last_claims
from skillbag.install.source_selection import Origin, Origins, place
from skillbag.install.state import InstalledState
from skillbag.sources import limits
from skillbag.sources.address import BadSourceError
from skillbag.sources.fetch import Fetcher
from skillbag.sources.fetched import Fetched
from skillbag.sources.pins import pinned_hash
from skillbag.sources.skill_layout import find_skill, skill_folder
from skillbag.standard.declarations import Level, Wanted, skill_wants
from skillbag.workspace.skill import read_skill
from skillbag.workspace.target import BOOTSTRAP_SKILL, skill_path
from skillbag.workspace.tree_hash import tree_hash

_MOST_WALKS = 50
"""Each walk hears of what came to light too late in the one before; declarations nest less deep than this."""
_MOST_CHAINS = 3
"""Requesters that are shown of a source that can't be fetched."""
_BY_NAME = "by its name alone from sources that hold different skills of that name"


@dataclass(frozen=True, slots=True)
class Chosen:
    """Where one skill comes from. `fetched` is None where what is installed stays; `wants` are its dependencies.

    `requested` is a version that the lock does not have yet, and that is declared now of what stays.
    """

    name: str
    claims: tuple[Requirement, ...]
    fetched: Fetched | None
    wants: tuple[Wanted, ...]
    requested: str | None = None


@dataclass(frozen=True, slots=True)
class Resolution:
    """All that is wanted, each with its origin; what was left out; and why the run can't go on, if it can't.

    With `frozen` the lock has the last word, and stays as it is. What was `excluded` stays as it is there, too.
    """

    chosen: Mapping[str, Chosen]
    left_out: tuple[SkillRow, ...]
    problems: tuple[Problem, ...]
    frozen: bool = False
    excluded: frozenset[str] = frozenset()


_Claims = Mapping[str, list[Requirement]]


def resolve(state: InstalledState, asked: RequestSet, fetcher: Fetcher) -> Resolution:
    """Follow every wish to a source or to what is installed, level by level.

    Raises:
        BadSourceError: an address of an override or of the lock can't be used.
        OSError: an installed skill can't be read.
    """
    heard: _Claims = {}
    for _ in range(_MOST_WALKS):
        walk = _Walk(state, asked, fetcher, heard)
        walk.run()
        if not (late := walk.late()):
            return walk.resolution()
        heard = walk.claims
    return walk.resolution(*(_unsettled(name, [*walk.heard.get(name, ()), *walk.claims[name]]) for name in late))


def _unsettled(name: str, claims: Iterable[Requirement]) -> Problem:
    return conflict(name, "by skills that would not be wanted if it came from where they want it", claims)


class _Walk:
    """One way from the first claims to the last dependency, with all that the walk before has heard."""

    def __init__(self, state: InstalledState, asked: RequestSet, fetcher: Fetcher, heard: _Claims) -> None:
        self.state = state
        self.asked = asked
        self.fetcher = fetcher
        self.heard = heard
        self.origins = Origins(state, asked)
        self.claims: dict[str, list[Requirement]] = {}
        self.unseen: list[str] = []
        self.wishes: set[FetchSpec] = set()
        self.tried: dict[str, Origin] = {}
        self.chosen: dict[str, Chosen] = {}
        self.left_out: dict[str, SkillRow] = {}
        self.problems: list[Problem] = []
        self.failures: dict[Problem, list[Requirement]] = {}

    def run(self) -> None:
        """Hear all claims, and choose for each name that is claimed."""
        self._follow(first_claims(self.state, self.asked))
        self._follow(last_claims(self.state, self.asked, self.claims))

    def _follow(self, claims: Iterable[Requirement]) -> None:
        """Choose level by level, so that the sources of one level are fetched side by side."""
        for claim in claims:
            self._hear(claim)
        while self.unseen:
            level, self.unseen = self.unseen, []
            self._choose(level)

    def _hear(self, claim: Requirement) -> None:
        if claim.name in self.asked.excluded and not self.state.is_present(claim.name):
            return
        if reason := self._is_left_out(claim):
            if not self.state.is_present(claim.name):
                row = SkillRow(
                    claim.name, Status.LEFT_OUT, claim.shown_source, claim.version, asked_by=(claim.by,), why=reason
                )
                self.left_out.setdefault(claim.name, row)
        elif fault := _too_far(claim) or self._fault(claim):
            self.problems.append(fault)
        elif not self._is_reserved(claim):
            if claim.name not in self.claims:
                self.unseen.append(claim.name)
            self.claims.setdefault(claim.name, []).append(claim)

    def _is_left_out(self, claim: Requirement) -> str | None:
        if prohibition := self.state.declarations.prohibits(claim.name, claim.level):
            return f"{prohibition.place} prohibits it"
        locked = self.state.locked(claim.name)
        asked_for = self.asked.optional or (locked is not None and claim.by in locked.asked_by)
        return None if claim.required or asked_for else f"optional for {claim.by}: --optional installs it"

    def _is_reserved(self, claim: Requirement) -> bool:
        """Whether it is the skill that every installation brings by itself (clause install.bootstrap)."""
        return claim.name == BOOTSTRAP_SKILL and claim.source is None and not self.state.is_present(claim.name)

    def _fault(self, claim: Requirement) -> Problem | None:
        """Why an address that is declared can't be used, unless an override takes its place.

        A skill that came from afar may not reach into this machine's files (decisions.md, Installation).
        """
        if claim.source is None or self.origins.said(claim.name, ()).source_settled:
            return None
        try:
            source = self.state.source(claim.source)
            pinned_hash(source, claim.version)
            if source.remote or claim.home is None or not claim.home.source.remote:
                return None
            reason = "a skill from a remote source may not name a path of this machine"
        except BadSourceError as error:
            reason = str(error)
        return _bad_address(claim, reason)

    def _choose(self, names: list[str]) -> None:
        tried = {name: self.origins.of(name, self._known(name)) for name in names}
        self.wishes |= {wish for origin in tried.values() for wish in origin.wishes}
        if len(self.wishes) > limits.MAX_SOURCES:
            self.problems.append(_too_many(len(self.wishes), [self.claims[name][0] for name in names]))
            return
        self.tried |= tried
        answers = fetch_all(self.fetcher, (wish for origin in tried.values() for wish in origin.wishes))
        for name, origin in tried.items():
            self._settle(name, origin.sought, {wish: answers[wish] for wish in origin.wishes})

    def _settle(self, name: str, sought: bool, answers: Mapping[FetchSpec, Answer]) -> None:
        failures = [problem for answer in answers.values() if isinstance(answer, tuple) for problem in answer]
        fetched = [answer for answer in answers.values() if isinstance(answer, Fetched)]
        if self._is_own(name):
            # Looked at only to see whether it is what is declared, and the lock has lost it.
            fetched = [one for one in fetched if self._is_there(name, one)]
        elif failures:
            for problem in failures:
                self.failures.setdefault(problem, []).append(self.claims[name][0])
            return
        elif sought:
            fetched = self._holding(name, answers)
        if fetched or self.state.is_present(name):
            self._take(name, fetched[0] if fetched else None)
        else:
            self.problems.append(_unresolved(name, self.claims[name]))

    def _is_own(self, name: str) -> bool:
        """Whether a skill is the user's own, and stays whatever a source holds."""
        own = self.state.is_present(name) and self.state.locked(name) is None
        return own and name not in self.asked.renewed

    def _is_there(self, name: str, fetched: Fetched) -> bool:
        folder = find_skill(fetched, name)
        return folder is not None and tree_hash(folder) == self.state.tree(name)

    def _holding(self, name: str, answers: Mapping[FetchSpec, Answer]) -> list[Fetched]:
        """Those of the sources that hold the skill; a problem where it is not the same in all of them."""
        holding = {
            wish: answer
            for wish, answer in answers.items()
            if isinstance(answer, Fetched) and find_skill(answer, name) is not None
        }
        if len(holding) > 1:
            contents = {(place(wish.source), tree_hash(skill_folder(one, name))): wish for wish, one in holding.items()}
            if len(contents) > 1:
                self.problems.append(conflict(name, _BY_NAME, [self._asking(name, wish) for wish in contents.values()]))
        return list(holding.values())

    def _asking(self, name: str, wish: FetchSpec) -> Requirement:
        """The first claim that leads to this wish."""
        known = self._known(name)
        return next((claim for claim in known if self.origins.of(name, [claim]).wishes == (wish,)), known[0])

    def _known(self, name: str) -> list[Requirement]:
        return self.heard.get(name) or self.claims[name]

    def _take(self, name: str, fetched: Fetched | None) -> None:
        claims = tuple(self.claims[name])
        wants = self._wants(name, fetched)
        if len(wants) > limits.MAX_DEPENDENCIES:
            self.problems.append(_too_needy(name, len(wants), claims))
            wants = ()
        requested = self.origins.said(name, claims).version if name in self.asked.assumed else None
        self.chosen[name] = Chosen(name, claims, fetched, wants, requested)
        home = FetchSpec(fetched.source, fetched.requested, fetched.resolved) if fetched else self._installed_home(name)
        for claim in claims_of_skill(name, claims[0].chain, wants, home):
            self._hear(claim)

    def _wants(self, name: str, fetched: Fetched | None) -> tuple[Wanted, ...]:
        """The dependencies of what will be there: an edited skill stays as it is, a merged one keeps what it needs."""
        here = self.state.wants.get(name, ()) if self.state.is_present(name) else ()
        if fetched is None or (self.state.is_edited(name) and name not in self.asked.renewed):
            return here
        folder = find_skill(fetched, name)
        card = read_skill(folder, os.path.dirname(folder), fetched.root).card if folder is not None else None
        new = skill_wants(card) if card is not None and card.problem is None else ()
        return (*new, *here) if name in self.asked.merged else new

    def _installed_home(self, name: str) -> FetchSpec | None:
        locked = self.state.locked(name)
        return None if locked is None else FetchSpec(self.state.source_of(name), locked.requested, locked.resolved)

    def late(self) -> list[str]:
        """The names for which more has been heard since they were chosen, and would have been chosen otherwise."""
        return [name for name, origin in self.tried.items() if self.origins.of(name, self.claims[name]) != origin]

    def resolution(self, *problems: Problem) -> Resolution:
        """The outcome of the walk."""
        failures = (
            problem._replace(
                chains=tuple(claim.way for claim in claims[:_MOST_CHAINS]),
                skills=tuple(dict.fromkeys(claim.name for claim in claims)),
            )
            for problem, claims in self.failures.items()
        )
        needs = {
            name: [wanted.name for wanted in chosen.wants if wanted.name in self.chosen]
            for name, chosen in self.chosen.items()
        }
        found = [*failures, *self.problems, *conflicts(self.claims, self.origins, self.fetcher)]
        left_out = tuple(row for name, row in sorted(self.left_out.items()) if name not in self.chosen)
        # Others may have asked for a skill after it was chosen.
        chosen = {name: replace(one, claims=tuple(self.claims[name])) for name, one in self.chosen.items()}
        return Resolution(
            chosen, left_out, (*found, *problems, *cycles(needs, self.claims)), excluded=self.asked.excluded
        )


def _too_many(sources: int, claims: list[Requirement]) -> Problem:
    return Problem(
        ProblemKind.USAGE,
        f"what is wanted comes from {sources:,} sources at least; at most {limits.MAX_SOURCES} are fetched in one run",
        clause="dependencies.recurse",
        fix="Install in several runs, skill by skill; if skills bring in that many, leave these out.",
        chains=tuple(claim.way for claim in claims[:_MOST_CHAINS]),
    )


def _too_needy(name: str, count: int, claims: Iterable[Requirement]) -> Problem:
    return Problem(
        ProblemKind.INVALID_SOURCE,
        f"{name}: it declares {count:,} dependencies; at most {limits.MAX_DEPENDENCIES} of one skill are followed",
        path=skill_path(name),
        clause="dependencies.recurse",
        fix="Leave the skill out, or ask whoever made it to depend on less.",
        chains=tuple(claim.way for claim in claims),
    )


def _too_far(claim: Requirement) -> Problem | None:
    """Why nobody follows a chain of skills to its end, if it is longer than any that is meant."""
    if len(claim.chain) <= limits.MAX_CHAIN:
        return None
    first, most = claim.chain[1], limits.MAX_CHAIN
    return Problem(
        ProblemKind.INVALID_SOURCE,
        f"{claim.name}: {first} needs it through {most} others; a chain of dependencies is followed no further",
        path=claim.place.file,
        line=claim.place.line,
        clause="dependencies.recurse",
        fix=f"Leave {first} out, or ask whoever made it to depend on less.",
    )


def _bad_address(claim: Requirement, reason: str) -> Problem:
    own = claim.level is not Level.SKILL
    return Problem(
        ProblemKind.USAGE if own else ProblemKind.INVALID_SOURCE,
        f"{claim.name}: {reason}",
        source=claim.home.source.declared if claim.home else "",
        path=claim.place.file,
        line=claim.place.line,
        clause="source.kinds",
        fix=""
        if own
        else f"Override it: `overrides: {{{claim.name}: {{source: …}}}}` in USER_CONTEXT.md, or --source.",
        chains=() if own else (claim.way,),
        skills=(claim.name,),
    )


def _unresolved(name: str, claims: Iterable[Requirement]) -> Problem:
    homes = any(claim.home is not None for claim in claims)
    where = "here or in the source of who needs it" if homes else "here, and nothing says where it comes from"
    return Problem(
        ProblemKind.UNRESOLVED,
        f"{name}: there is no such skill {where}",
        clause="dependencies.local-name",
        fix=f"Give a source: skillbag install {name} --source ADDRESS, or declare it in CONTEXT.md.",
        chains=tuple(claim.way for claim in claims),
        skills=(name,),
    )
