"""Where a skill comes from, given all that is said of it: a decision, without any fetching.

Clauses resolution.order, dependencies.local-name, install.place, bootstrap.default-head.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from skillbag.install.fetching import FetchSpec
from skillbag.install.requirements import RequestSet, Requirement, SkillRequest
from skillbag.install.state import InstalledState
from skillbag.sources.address import BadSourceError, Source
from skillbag.sources.pins import pinned_hash


class Constraint(NamedTuple):
    """The source and version that all voices come to; None where nobody gives one.

    Declarations can't conflict in what a voice above them has `settled`: a command line or an override.
    """

    source: str | None = None
    version: str | None = None
    source_settled: bool = False
    version_settled: bool = False


class Origin(NamedTuple):
    """What to fetch for a skill: nothing where what is installed stays, or where nothing says whence it could come.

    With `sought` it was asked for by its name alone: each of the wishes is the source of a skill that asks, and need
    not hold it.
    """

    wishes: tuple[FetchSpec, ...] = ()
    sought: bool = False


def place(source: Source) -> tuple[str, str]:
    """Equal for two spellings of one source. A folder as it is and the git repository in it are two."""
    return source.kind.lock_kind, source.identity


@dataclass(frozen=True)
class Origins:
    """Decides for one run; what is decided of a skill depends on its claims alone, whatever their order of arrival."""

    state: InstalledState
    asked: RequestSet

    def of(self, name: str, claims: Sequence[Requirement]) -> Origin:
        """What to fetch for a skill of which these claims are all.

        Raises:
            BadSourceError: an address of an override or of the lock can't be used.
        """
        said = self.said(name, claims)
        origin = self._wanted(name, said, claims)
        renews = name not in self.asked.excluded and self._renews(name, said, origin, claims)
        if self.state.is_present(name) and not renews:
            return Origin()
        return origin

    def said(self, name: str, claims: Sequence[Requirement]) -> Constraint:
        """Command line over overrides over declarations over what an earlier command line said."""
        declared = self._declared(name, claims)
        ask = self._asks.get(name)
        if ask is None:
            return declared
        if ask.source and not self._is_same(ask.source, declared.source):
            # A version that was declared for another source is none of this one.
            return Constraint(ask.source, ask.version, True, True)
        return Constraint(
            ask.source or declared.source,
            ask.version or declared.version,
            bool(ask.source) or declared.source_settled,
            bool(ask.version) or declared.version_settled,
        )

    def source(self, name: str, address: str, claims: Iterable[Requirement]) -> Source:
        """The source of an address that is said for a skill.

        It may be a plain repository where the command line says so; or where the skill was taken from it as one, or
        another that asks for it was: a declaration has no word for that.

        Raises:
            BadSourceError: it can't be used.
        """
        source = self.state.source(address)
        ask = self._asks.get(name)
        known = [claim.home.source for claim in claims if claim.home is not None]
        if self.state.locked(name) is not None:
            known.append(self.state.source_of(name))
        plain = ask is not None and ask.plain and ask.source == address
        if plain or any(one.plain and place(one) == place(source) for one in known):
            return self.state.source(address, plain=True)
        return source

    def _declared(self, name: str, claims: Sequence[Requirement]) -> Constraint:
        binding = [claim for claim in claims if claim.declares]
        if not any(claim.source for claim in binding):
            binding = [claim for claim in claims if claim.remembered]
        source = next((claim.source for claim in binding if claim.source), None)
        version = next((claim.version for claim in binding if claim.version), None) if source else None
        override = self.state.declarations.overrides.get(name)
        if override is None:
            return Constraint(source, version)
        if override.source:
            self._check(override.source, str(override.place))
        return Constraint(
            override.source or source, override.version or version, bool(override.source), bool(override.version)
        )

    def _wanted(self, name: str, said: Constraint, claims: Sequence[Requirement]) -> Origin:
        """What to fetch if the skill is not there."""
        if said.source is not None:
            wish = FetchSpec(self.source(name, said.source, claims), said.version, None)
            return Origin((self._as_locked(name, wish),))
        if newer := self._newer_homes(name, claims):
            return Origin(newer, sought=True)
        homes = [claim.home for claim in claims if claim.home is not None]
        if homes:
            return Origin(tuple(dict.fromkeys(self._at_home(name, said.version, home) for home in homes)), sought=True)
        locked = self.state.locked(name)
        if locked is None:
            return Origin()
        version = said.version or locked.requested
        return Origin((self._as_locked(name, FetchSpec(self.state.source_of(name), version, None)),))

    def _newer_homes(self, name: str, claims: Iterable[Requirement]) -> tuple[FetchSpec, ...]:
        """Where a sibling that is locked comes from instead, when one that asks for it has come from another commit.

        It would come from there in a new workspace; so what is installed must not depend on what came first. Empty
        where nobody who asks has been changed: of one that an update was asked for by name, siblings stay.
        """
        homes = [claim.home for claim in claims if claim.home is not None]
        new = [claim.home for claim in claims if claim.home is not None and self._has_come(name, claim)]
        if not new:
            return ()
        versions = {(place(home.source), home.version) for home in new}
        # A branch that has moved is one version: the newer commit of it counts.
        kept = (home for home in homes if home in new or (place(home.source), home.version) not in versions)
        return tuple(dict.fromkeys(kept))

    def _has_come(self, name: str, claim: Requirement) -> bool:
        """Whether the one who asks for a sibling comes, in this run, from another commit than the sibling has."""
        locked, asker, home = self.state.locked(name), self.state.locked(claim.by), claim.home
        if locked is None or home is None or home.resolved in (None, locked.resolved):
            return False
        if self.asked.upgrades(claim.by) and claim.by not in self._asks:
            return False
        is_same = asker is not None and place(self.state.source_of(claim.by)) == place(home.source)
        if asker is not None and is_same and asker.resolved == home.resolved:
            return False
        return place(self.state.source_of(name)) == place(home.source)

    def _at_home(self, name: str, version: str | None, home: FetchSpec) -> FetchSpec:
        """A sibling: at the lock's commit, if that is of the same version, else at that of who asks for it."""
        wish = self._as_locked(name, FetchSpec(home.source, version or home.version, None))
        return wish if wish.resolved or version is not None or self.asked.upgrades(name) else home

    def _as_locked(self, name: str, wish: FetchSpec) -> FetchSpec:
        """The wish at the lock's commit or archive, as long as that is what is wished and nothing newer is."""
        locked = self.state.locked(name)
        if locked is None or not self._is_locked(name, wish):
            return wish
        pin = pinned_hash(wish.source, wish.version)
        if self.asked.upgrades(name) and pin is None:
            return wish
        return FetchSpec(wish.source, wish.version or locked.requested, locked.resolved)

    def _is_locked(self, name: str, wish: FetchSpec) -> bool:
        """Whether the lock speaks of this source and version."""
        locked = self.state.locked(name)
        if locked is None or place(self.state.source_of(name)) != place(wish.source):
            return False
        pin = pinned_hash(wish.source, wish.version)
        if pin is not None:
            return pin == locked.resolved
        return wish.version in (None, locked.requested) or (locked.requested is None and name in self.asked.assumed)

    def _renews(self, name: str, said: Constraint, origin: Origin, claims: Sequence[Requirement]) -> bool:
        """Whether a skill that is there is looked at anew: clause install.place, and overrides (resolution.order)."""
        if name in self.asked.renewed:
            return True
        if not origin.wishes:
            return False
        if self.asked.upgrades(name):
            return True
        if self.state.locked(name) is None:
            # Where the lock was lost, what is there may well be what is declared: then the lock knows it again.
            return not self.state.has_lock and not origin.sought
        if origin.sought and self._newer_homes(name, claims):
            return True
        decided = said.source_settled or said.version_settled or name in self.asked.declared
        return decided and not any(self._is_locked(name, wish) for wish in origin.wishes)

    @cached_property
    def _asks(self) -> dict[str, SkillRequest]:
        return {ask.name: ask for ask in self.asked.skills if ask.source or ask.version}

    def _is_same(self, one: str, other: str | None) -> bool:
        return other is not None and place(self.state.source(one)) == place(self.state.source(other))

    def _check(self, source: str, where: str) -> None:
        try:
            self.state.source(source)
        except BadSourceError as error:
            raise BadSourceError(f"{where}: {error}") from error
