"""From requirements to fetched sources: declarations, overrides, what is installed, and the dependencies of each skill.

Clauses resolution.order, resolution.dependency-conflict, dependencies.recurse, dependencies.acyclic,
dependencies.local-name, context.first. Nothing is written; fetching fills the cache only.

The source of a skill depends on all its requirements, and the last of them may come from a skill that is fetched later.
A walk that has chosen too early is repeated with all requirements that it has found. The first walk whose choices agree
with its own requirements is the result, so the order of declarations makes no difference.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from skillbag.kernel.standard.declarations import Declaration
from skillbag.kernel.workspace.skill import read_skill
from skillbag.kernel.workspace.target import BOOTSTRAP_SKILL
from skillbag.lint.skill_graph.needs import skill_needs
from skillbag.supply.install.conflicts import conflict, conflicts, cycles
from skillbag.supply.install.outcome import Problem, SkillRow, Status
from skillbag.supply.install.problems import (
    MAX_CHAINS,
    bad_source,
    chain_problem,
    fetch_problems,
    too_many_dependencies,
    too_many_sources,
    unresolved,
)
from skillbag.supply.install.request import InstallRequest
from skillbag.supply.install.requirements import (
    Requirement,
    first_requirements,
    followed,
    orphan_requirements,
    requirements_of_skill,
)
from skillbag.supply.install.source_selection import SourceSelection, SourceSelector
from skillbag.supply.install.state import InstalledState, tree_in
from skillbag.supply.sources import limits
from skillbag.supply.sources.fetch import Fetcher
from skillbag.supply.sources.fetch_all import fetch_all
from skillbag.supply.sources.fetched import Answer, Fetched, FetchFailure, FetchSpec, pinned_hash
from skillbag.supply.sources.skill_layout import at_folders, folder_in_source, skill_folder_in
from skillbag.supply.sources.source import BadSourceError, source_key

_MAX_WALKS = 50
"""Each walk knows the requirements that the one before found too late."""
_UNSETTLED = "by skills that would not be wanted if it came from where they want it"
_BY_NAME = "by its name alone from sources that hold different skills of that name"


@dataclass(frozen=True, slots=True)
class Chosen:
    """The source of one skill and its dependencies. `fetched` is None if the installed skill stays; `requested` is a
    new declared version of such a skill, which the lock does not have yet. `accepted` are security rules whose errors
    in the source the user accepts.
    """

    name: str
    requirements: tuple[Requirement, ...]
    fetched: Fetched | None
    wants: tuple[Declaration, ...]
    requested: str | None = None
    accepted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Resolution:
    """All required skills, each with its source; what was left out; and the problems that stop the run.

    With `frozen` the lock does not change; `excluded` skills keep their entries in it.
    """

    chosen: Mapping[str, Chosen]
    left_out: tuple[SkillRow, ...]
    problems: tuple[Problem, ...]
    frozen: bool = False
    excluded: frozenset[str] = frozenset()


_Requirements = Mapping[str, list[Requirement]]


def resolve(state: InstalledState, requests: InstallRequest, fetcher: Fetcher) -> Resolution:
    """Follow every requirement to a source or to an installed skill, level by level.

    Raises:
        BadSourceError: an address of an override or of the lock can't be used.
        OSError: an installed skill can't be read.
    """
    known: _Requirements = {}
    for _ in range(_MAX_WALKS):
        walk = _Walk(state, requests, fetcher, known)
        for specs in walk.levels():
            walk.settle(fetch_all(fetcher, specs))
        if not (late := walk.late()):
            return walk.resolution()
        known = walk.requirements
    return walk.resolution(
        *(conflict(name, _UNSETTLED, [*walk.known.get(name, ()), *walk.requirements[name]]) for name in late)
    )


class _Walk:
    """One walk from the first requirements to the last dependency; `known` are those of the previous walk."""

    def __init__(self, state: InstalledState, requests: InstallRequest, fetcher: Fetcher, known: _Requirements) -> None:
        self.state = state
        self.requests = requests
        self.fetcher = fetcher
        self.known = known
        self.selector = SourceSelector(state, requests)
        self.requirements: dict[str, list[Requirement]] = {}
        self.pending: list[str] = []
        self.level: dict[str, SourceSelection] = {}
        self.specs: set[FetchSpec] = set()
        self.selections: dict[str, SourceSelection] = {}
        self.chosen: dict[str, Chosen] = {}
        self.left_out: dict[str, SkillRow] = {}
        self.problems: list[Problem] = []
        self.failures: dict[Problem, list[Requirement]] = {}

    def levels(self) -> Iterator[list[FetchSpec]]:
        """The sources of each level, to be fetched and settled before the next one."""
        first = first_requirements(self.state, self.requests)
        for requirements in (first, orphan_requirements(self.state, self.requests, self.requirements)):
            for requirement in requirements:
                self._add(requirement)
            while self.pending:
                names, self.pending = self.pending, []
                yield self._select(names)

    def _add(self, requirement: Requirement) -> None:
        name = requirement.name
        if name in self.requests.excluded and not self.state.is_present(name):
            return
        if reason := self._is_left_out(requirement):
            if not self.state.is_present(name):
                source, version = requirement.shown_source, requirement.version
                row = SkillRow(name, Status.LEFT_OUT, source, version, asked_by=(requirement.by,), why=reason)
                self.left_out.setdefault(name, row)
        elif problem := chain_problem(requirement) or self._source_problem(requirement):
            self.problems.append(problem)
        elif name != BOOTSTRAP_SKILL or requirement.source is not None or self.state.is_present(name):
            # Every installation brings the reserved skill (clause install.bootstrap).
            if name not in self.requirements:
                self.pending.append(name)
            self.requirements.setdefault(name, []).append(requirement)

    def _is_left_out(self, requirement: Requirement) -> str | None:
        if prohibition := self.state.declarations.prohibits(requirement.name, requirement.level):
            return f"{prohibition.place} prohibits it"
        locked = self.state.locked(requirement.name)
        included = self.requests.optional or (locked is not None and requirement.by in locked.asked_by)
        if requirement.required or included:
            return None
        return f"optional for {requirement.by}: --accept optional installs it"

    def _source_problem(self, requirement: Requirement) -> Problem | None:
        """Why a declared address can't be used, unless an override replaces it.

        A skill from a remote source may not read this machine's files.
        """
        if requirement.source is None or self.selector.constraint(requirement.name, ()).source_settled:
            return None
        try:
            source = self.state.source(requirement.source)
            pinned_hash(source, requirement.version)
        except BadSourceError as error:
            return bad_source(requirement, str(error))
        if source.remote or requirement.home is None or not requirement.home.source.remote:
            return None
        return bad_source(requirement, "a skill from a remote source may not name a path of this machine")

    def _select(self, names: list[str]) -> list[FetchSpec]:
        """Select the sources of a level."""
        self.level = {name: self.selector.select(name, self._all_known(name)) for name in names}
        specs = [spec for selection in self.level.values() for spec in selection.specs]
        self.specs.update(specs)
        if len(self.specs) > limits.MAX_SOURCES:
            self.level = {}
            first = [self.requirements[name][0] for name in names]
            self.problems.append(too_many_sources(len(self.specs), first))
            return []
        self.selections |= self.level
        return specs

    def settle(self, answers: Mapping[FetchSpec, Answer]) -> None:
        """Choose the source of each skill of the level."""
        for name, selection in self.level.items():
            self._settle(
                name, selection.by_name, {spec: self._located(name, answers[spec]) for spec in selection.specs}
            )

    def _located(self, name: str, answer: Answer) -> Answer:
        """The source, with the skill from the folder that the command line, a declaration or the lock names."""
        if isinstance(answer, FetchFailure):
            return answer
        declared = (requirement.folder for requirement in self.requirements[name] if requirement.folder)
        wanted = self.requests.folders.get(name) or next(declared, None)
        if wanted and folder_in_source(found := at_folders(answer, {name: wanted}), name) == wanted:
            return found
        return self.state.located(answer, name)

    def _settle(self, name: str, by_name: bool, answers: Mapping[FetchSpec, Answer]) -> None:
        failures = [answer for answer in answers.values() if isinstance(answer, FetchFailure)]
        fetched = [answer for answer in answers.values() if isinstance(answer, Fetched)]
        present = self.state.is_present(name)
        if present and self.state.locked(name) is None and name not in self.requests.renewed:
            # The user's own skill stays. It was fetched only to find the source again if the lock was lost.
            fetched = [source for source in fetched if tree_in(source, name) == self.state.tree(name)]
        elif failures:
            for problem in (problem for failure in failures for problem in fetch_problems(failure)):
                self.failures.setdefault(problem, []).append(self.requirements[name][0])
            return
        elif by_name:
            fetched = self._holding(name, answers)
        if fetched or present:
            self._choose(name, fetched[0] if fetched else None)
        else:
            self.problems.append(unresolved(name, self.requirements[name]))

    def _holding(self, name: str, answers: Mapping[FetchSpec, Answer]) -> list[Fetched]:
        """The sources that hold the skill; it is a problem if they hold different skills of that name."""
        holding = []
        contents: dict[tuple[object, str], FetchSpec] = {}
        for spec, answer in answers.items():
            if isinstance(answer, Fetched) and (tree := tree_in(answer, name)) is not None:
                holding.append(answer)
                contents[source_key(spec.source), tree] = spec
        if len(contents) > 1:
            requirements = [self._requirement_of(name, spec) for spec in contents.values()]
            self.problems.append(conflict(name, _BY_NAME, requirements))
        return holding

    def _requirement_of(self, name: str, spec: FetchSpec) -> Requirement:
        """The first requirement that leads to this source."""
        known = self._all_known(name)
        leading = (found for found in known if self.selector.select(name, [found]).specs == (spec,))
        return next(leading, known[0])

    def _all_known(self, name: str) -> list[Requirement]:
        return self.known.get(name) or self.requirements[name]

    def _choose(self, name: str, fetched: Fetched | None) -> None:
        requirements = tuple(self.requirements[name])
        wants = self._wants(name, fetched)
        if len(wants) > limits.MAX_DEPENDENCIES:
            self.problems.append(too_many_dependencies(name, len(wants), requirements))
            wants = ()
        requested = self.selector.constraint(name, requirements).version if name in self.requests.assumed else None
        self.chosen[name] = Chosen(name, requirements, fetched, wants, requested)
        home = self.state.locked_spec(name) if self.state.locked(name) is not None else None
        if fetched:
            home = FetchSpec(fetched.source, fetched.requested, fetched.resolved)
        for requirement in requirements_of_skill(name, requirements[0].chain, followed(wants, home), home):
            self._add(requirement)

    def _wants(self, name: str, fetched: Fetched | None) -> tuple[Declaration, ...]:
        """The dependencies after the run: an edited skill keeps its own, a merged one has both."""
        here = self.state.wants.get(name, ()) if self.state.is_present(name) else ()
        if fetched is None or (self.state.is_edited(name) and name not in self.requests.renewed):
            return here
        folder = skill_folder_in(fetched, name)
        card = read_skill(folder, os.path.dirname(folder), fetched.root).card if folder is not None else None
        new = skill_needs(card) if card is not None and card.problem is None else ()
        return (*new, *here) if name in self.requests.merge else new

    def late(self) -> list[str]:
        """The names that would have another source with the requirements that were found after its selection."""
        return [
            name
            for name, selection in self.selections.items()
            if self.selector.select(name, self.requirements[name]) != selection
        ]

    def resolution(self, *problems: Problem) -> Resolution:
        """The outcome of the walk."""
        failures = (
            problem._replace(
                chains=tuple(requirement.full_chain for requirement in requirements[:MAX_CHAINS]),
                skills=tuple(dict.fromkeys(requirement.name for requirement in requirements)),
            )
            for problem, requirements in self.failures.items()
        )
        needs = {
            name: [wanted.name for wanted in chosen.wants if wanted.name in self.chosen]
            for name, chosen in self.chosen.items()
        }
        found = [*failures, *self.problems, *conflicts(self.requirements, self.selector, self.fetcher), *problems]
        left_out = tuple(row for name, row in sorted(self.left_out.items()) if name not in self.chosen)
        # Requirements may have been added after a skill was chosen.
        chosen = {
            name: replace(skill, requirements=tuple(self.requirements[name])) for name, skill in self.chosen.items()
        }
        found += cycles(needs, self.requirements)
        return Resolution(chosen, left_out, tuple(found), excluded=self.requests.excluded)
