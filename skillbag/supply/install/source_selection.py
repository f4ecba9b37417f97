"""Selects the source of a skill from all its requirements, without fetching.

Clauses resolution.order, dependencies.local-name, install.place, bootstrap.default-head.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from skillbag.supply.install.request import InstallRequest, SkillRequest
from skillbag.supply.install.requirements import Requirement
from skillbag.supply.install.state import InstalledState
from skillbag.supply.sources.fetched import FetchSpec, pinned_hash
from skillbag.supply.sources.source import BadSourceError, Source, registry_source, source_key


class Constraint(NamedTuple):
    """The source and version that the requirements and overrides come to; None where none is given.

    Declarations can't conflict in what the command line or an override has `settled`.
    """

    source: str | None = None
    version: str | None = None
    source_settled: bool = False
    version_settled: bool = False


class SourceSelection(NamedTuple):
    """What to fetch for a skill: nothing if the installed skill stays, or if no source is known.

    With `by_name` it is required by its name alone: each of the specs is the source of a skill that requires it, and
    may not hold it.
    """

    specs: tuple[FetchSpec, ...] = ()
    by_name: bool = False


@dataclass(frozen=True)
class SourceSelector:
    """Selects sources for one run; a selection depends on the requirements of the skill, not on their order."""

    state: InstalledState
    requests: InstallRequest

    def select(self, name: str, requirements: Sequence[Requirement]) -> SourceSelection:
        """What to fetch for a skill with these requirements.

        Raises:
            BadSourceError: an address of an override or of the lock can't be used.
        """
        constraint = self.constraint(name, requirements)
        selection = self._wanted(name, constraint, requirements)
        renews = name not in self.requests.excluded and self._renews(name, constraint, selection, requirements)
        if not self.state.is_present(name) or renews:
            return selection
        if self.state.is_stale(name) and name not in self.requests.excluded:
            return SourceSelection((self.state.locked_spec(name),))
        return SourceSelection()

    def constraint(self, name: str, requirements: Sequence[Requirement]) -> Constraint:
        """Command line, then overrides, then declarations, then an earlier command line."""
        declared = self._declared(name, requirements)
        request = self._named.get(name)
        if request is None:
            return declared
        if request.source and not self._is_same(request.source, declared.source):
            # A version declared for another source does not apply.
            return Constraint(request.source, request.version, True, True)
        return Constraint(
            request.source or declared.source,
            request.version or declared.version,
            bool(request.source) or declared.source_settled,
            bool(request.version) or declared.version_settled,
        )

    def source(self, name: str, address: str, requirements: Iterable[Requirement]) -> Source:
        """The source of an address that is given for a skill.

        It may be a plain repository if the command line names it, if a declaration says so, or if the skill or one of
        its requesters came from it as such.

        Raises:
            BadSourceError: it can't be used.
        """
        source = self.state.source(address)
        request = self._named.get(name)
        known = [requirement.home.source for requirement in requirements if requirement.home is not None]
        stated = {requirement.source for requirement in requirements if requirement.plain}
        if self.state.locked(name) is not None:
            known.append(self.state.source_of(name))
        plain = address in stated or (request is not None and request.source == address)
        if plain or any(home.plain and source_key(home) == source_key(source) for home in known):
            return self.state.source(address, plain=True)
        return source

    def _declared(self, name: str, requirements: Sequence[Requirement]) -> Constraint:
        binding = [requirement for requirement in requirements if requirement.declares]
        if not any(requirement.source for requirement in binding):
            binding = [requirement for requirement in requirements if requirement.remembered]
        source = next((requirement.source for requirement in binding if requirement.source), None)
        version = (
            next((requirement.version for requirement in binding if requirement.version), None) if source else None
        )
        override = self.state.declarations.overrides.get(name)
        if override is None:
            return Constraint(source, version)
        if override.source:
            try:
                self.state.source(override.source)
            except BadSourceError as error:
                raise BadSourceError(f"{override.place}: {error}") from error
        return Constraint(
            override.source or source, override.version or version, bool(override.source), bool(override.version)
        )

    def _wanted(self, name: str, constraint: Constraint, requirements: Sequence[Requirement]) -> SourceSelection:
        """What to fetch if the skill is not installed."""
        if constraint.source is not None:
            spec = FetchSpec(self.source(name, constraint.source, requirements), constraint.version, None)
            return SourceSelection((self._as_locked(name, spec),))
        if newer := self._newer_homes(name, requirements):
            return SourceSelection(newer, by_name=True)
        homes = [(found.home, found.version) for found in requirements if found.home is not None]
        if homes:
            specs = (self._at_home(name, constraint.version, home, version) for home, version in homes)
            return SourceSelection(tuple(dict.fromkeys(specs)), by_name=True)
        locked = self.state.locked(name)
        if locked is None:
            return SourceSelection()
        version = constraint.version or locked.requested
        return SourceSelection((self._as_locked(name, FetchSpec(self.state.source_of(name), version, None)),))

    def _newer_homes(self, name: str, requirements: Iterable[Requirement]) -> tuple[FetchSpec, ...]:
        """The new source of a locked sibling if one of its requesters comes from another commit.

        In a new workspace it would come from there, and the order of installations must make no difference. Empty if no
        requester has changed; siblings of a skill that was updated by name stay.
        """
        homes = [(found.home, self._has_moved(name, found)) for found in requirements if found.home is not None]
        new = [home for home, has_moved in homes if has_moved]
        if not new:
            return ()
        versions = {(source_key(home.source), home.version) for home in new}
        # Of a branch that has moved, which is one version, the newer commit counts.
        kept = (home for home, _ in homes if home in new or (source_key(home.source), home.version) not in versions)
        return tuple(dict.fromkeys(kept))

    def _has_moved(self, name: str, requirement: Requirement) -> bool:
        """Whether the requester of a sibling comes from another commit in this run."""
        locked, requester, home = self.state.locked(name), self.state.locked(requirement.by), requirement.home
        if locked is None or home is None or home.resolved in (None, locked.resolved):
            return False
        if self.requests.upgrades(requirement.by) and requirement.by not in self._named:
            return False
        by = requirement.by
        if requester is not None and requester.resolved == home.resolved and self.state.came_from(by, home.source):
            return False
        return self.state.came_from(name, home.source)

    def _at_home(self, name: str, version: str | None, home: FetchSpec, wanted: str | None) -> FetchSpec:
        """A sibling at the locked commit if it has the same version, else at the requester's commit.

        That of a skill of a registry is another skill of that registry, at the `wanted` version of the declaration.
        """
        if home.source.kind.has_releases:
            return self._as_locked(name, FetchSpec(registry_source(home.source.address, name), version or wanted, None))
        spec = self._as_locked(name, FetchSpec(home.source, version or home.version, None))
        return spec if spec.resolved or version is not None or self.requests.upgrades(name) else home

    def _as_locked(self, name: str, spec: FetchSpec) -> FetchSpec:
        """The spec at the locked commit or archive, unless another or a newer version is required."""
        locked = self.state.locked(name)
        if locked is None or not self._is_locked(name, spec):
            return spec
        pin = pinned_hash(spec.source, spec.version)
        if self.requests.upgrades(name) and pin is None:
            return spec
        return FetchSpec(spec.source, spec.version or locked.requested, locked.resolved)

    def _is_locked(self, name: str, spec: FetchSpec) -> bool:
        """Whether the lock has this source and version."""
        locked = self.state.locked(name)
        if locked is None or not self.state.came_from(name, spec.source):
            return False
        pin = pinned_hash(spec.source, spec.version)
        if pin is not None:
            return pin == locked.resolved
        return spec.version in (None, locked.requested) or (locked.requested is None and name in self.requests.assumed)

    def _renews(
        self, name: str, constraint: Constraint, selection: SourceSelection, requirements: Sequence[Requirement]
    ) -> bool:
        """Whether an installed skill is fetched again: clause install.place, and overrides (resolution.order)."""
        if name in self.requests.renewed:
            return True
        if not selection.specs:
            return False
        if self.requests.upgrades(name):
            return True
        if self.state.locked(name) is None:
            # A merge may lose an entry of the lock: a skill that equals the declared one is locked again.
            return not selection.by_name or self.state.is_as_placed(name)
        if selection.by_name and self._newer_homes(name, requirements):
            return True
        decided = constraint.source_settled or constraint.version_settled or name in self.requests.declared
        return decided and not any(self._is_locked(name, spec) for spec in selection.specs)

    @cached_property
    def _named(self) -> dict[str, SkillRequest]:
        return {request.name: request for request in self.requests.skills if request.source or request.version}

    def _is_same(self, one: str, other: str | None) -> bool:
        return other is not None and source_key(self.state.source(one)) == source_key(self.state.source(other))
