"""From what is wanted to what is fetched: declarations, overrides, what is installed, and what each skill depends on.

Clauses resolution.order, resolution.dependency-conflict, dependencies.recurse, dependencies.acyclic,
dependencies.local-name, context.first.
Nothing is written here; fetching fills the cache alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from skillbag.install.address import BadSourceError, Source, parse_source
from skillbag.install.claims import Asked, Claim, Home, claims_of_skill, first_claims
from skillbag.install.conflicts import conflicts, cycles
from skillbag.install.declarations import Override, Wanted, skill_wants
from skillbag.install.fetch import Fetcher
from skillbag.install.fetched import Fetched
from skillbag.install.fetching import Wish, fetch_all
from skillbag.install.outcome import SkillRow, Status, Trouble, TroubleKind
from skillbag.install.state import State
from skillbag.workspace.lock_file import COMMAND_LINE
from skillbag.workspace.skill import Card, read_skill
from skillbag.workspace.target import SKILL_ROOT

_MOST_ROUNDS = 50
"""Each round learns of a declaration that came to light too late for the one before; there are few of them."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """Where one skill comes from. `fetched` is None where what is installed stays; `wants` are its dependencies."""

    name: str
    claims: tuple[Claim, ...]
    fetched: Fetched | None
    wants: tuple[Wanted, ...]


@dataclass(frozen=True, slots=True)
class Resolution:
    """All that is wanted, each with its origin; what was left out; and why the run can't go on, if it can't."""

    chosen: Mapping[str, Chosen]
    left_out: tuple[SkillRow, ...]
    troubles: tuple[Trouble, ...]


def resolve(state: State, asked: Asked, fetcher: Fetcher) -> Resolution:
    """Follow every wish to a source or to what is installed, level by level.

    Raises:
        BadSourceError: an address of the command line or of a context file can't be used.
        OSError: an installed skill can't be read.
    """
    known: dict[str, Claim] = {}
    for _ in range(_MOST_ROUNDS):
        attempt = _Attempt(state, asked, fetcher, known)
        attempt.run()
        late = attempt.late()
        if not late:
            break
        known |= late
    return attempt.resolution()


class _Attempt:
    """One walk from the first claims to the last dependency, with what earlier walks learnt in `known`."""

    def __init__(self, state: State, asked: Asked, fetcher: Fetcher, known: Mapping[str, Claim]) -> None:
        self.state = state
        self.asked = asked
        self.fetcher = fetcher
        self.known = known
        self.claims: dict[str, list[Claim]] = {}
        self.chosen: dict[str, Chosen] = {}
        self.decisive: dict[str, Claim | None] = {}
        self.left_out: dict[str, SkillRow] = {}
        self.troubles: list[Trouble] = []
        self._pending: dict[str, None] = {}

    def run(self) -> None:
        """Choose wave by wave: names with an address first, since a bare name is content with what those bring."""
        for claim in first_claims(self.state, self.asked):
            self._claim(claim)
        while self._pending:
            addressed = [name for name in self._pending if self._has_address(name)]
            wave = addressed or list(self._pending)
            for name in wave:
                del self._pending[name]
            self._choose(wave)

    def _claim(self, claim: Claim) -> None:
        if reason := self._left_out(claim):
            if not self.state.is_present(claim.name):
                row = SkillRow(
                    claim.name, Status.LEFT_OUT, claim.source, claim.version, asked_by=(claim.by,), why=reason
                )
                self.left_out.setdefault(claim.name, row)
            return
        self.claims.setdefault(claim.name, []).append(claim)
        if claim.name not in self.chosen:
            self._pending[claim.name] = None

    def _left_out(self, claim: Claim) -> str | None:
        if prohibition := self.state.declarations.prohibits(claim.name, claim.level):
            return f"{prohibition.place} prohibits it"
        if not claim.required and not self.asked.optional:
            return f"optional for {claim.by}: --optional installs it"
        return None

    def _has_address(self, name: str) -> bool:
        decisive = self._decisive(name)
        return self.state.is_present(name) or (decisive is not None and decisive.source is not None)

    def _decisive(self, name: str) -> Claim | None:
        """The claim that says where the skill comes from: overridden, or the first with a source, its pin filled in."""
        claims = self.claims.get(name, [])
        explicit = [claim for claim in claims if claim.source is not None]
        live = [claim for claim in explicit if not claim.remembered] or explicit
        base = live[0] if live else self.known.get(name) or next(iter(claims), None)
        if base is not None and base.version is None:
            pinned = next((claim for claim in live if claim.version is not None), None)
            known = self.known.get(name)
            base = replace(base, version=(pinned or known or base).version)
        return self._overridden(name, base)

    def _overridden(self, name: str, base: Claim | None) -> Claim | None:
        override = self._override(name)
        if override is None or base is None:
            return base
        return replace(base, source=override.source or base.source, version=override.version or base.version)

    def _override(self, name: str) -> Override | None:
        return self.asked.override(name) or self.state.declarations.overrides.get(name)

    def _choose(self, names: list[str]) -> None:
        wishes = {name: wish for name in names if (wish := self._wish(name)) is not None}
        answers = fetch_all(self.fetcher, wishes.values())
        for name in names:
            wish = wishes.get(name)
            answer = answers[wish] if wish else None
            if isinstance(answer, tuple):
                self.troubles += (trouble for trouble in answer if trouble not in self.troubles)
            elif wish is not None or self.state.is_present(name):
                self._take(name, answer)

    def _wish(self, name: str) -> Wish | None:
        """What to fetch for the skill; None where what is installed stays, or nothing says where it could come from."""
        decisive = self._decisive(name)
        self.decisive[name] = decisive
        try:
            source, version, commit = self._origin(name, decisive)
        except BadSourceError as error:
            self._bad_address(decisive, error)
            return None
        if self.state.is_present(name) and not self._renews(name, source, version):
            return None
        if source is None:
            self._unresolved(name)
            return None
        return Wish(source, version, commit)

    def _origin(self, name: str, claim: Claim | None) -> tuple[Source | None, str | None, str | None]:
        """Source, version and (where it is settled) commit or archive hash that the skill should come from."""
        locked = self.state.locked(name)
        if claim is not None and claim.source is not None:
            source = parse_source(claim.source, self.state.root)
            if locked is not None and not self.asked.upgrades(name) and self._matches(name, source, claim.version):
                return source, claim.version or locked.requested, locked.resolved
            return source, claim.version, None
        if claim is not None and claim.home is not None:
            return claim.home.source, claim.home.version, claim.home.resolved
        if locked is not None:
            kept = None if self.asked.upgrades(name) else locked.resolved
            return parse_source(locked.source, self.state.root), locked.requested, kept
        return None, None, None

    def _matches(self, name: str, source: Source, version: str | None) -> bool:
        """Whether the lock speaks of this source and version."""
        locked = self.state.locked(name)
        if locked is None or version not in (None, locked.requested):
            return False
        return parse_source(locked.source, self.state.root).identity == source.identity

    def _renews(self, name: str, source: Source | None, version: str | None) -> bool:
        """Whether a skill that is present is looked at anew: clause install.place, and overrides (resolution.order)."""
        if name in self.asked.renewed:
            return True
        if self.state.locked(name) is None or source is None:
            return False
        return self.asked.upgrades(name) or (
            self._override(name) is not None and not self._matches(name, source, version)
        )

    def _take(self, name: str, fetched: Fetched | None) -> None:
        folder = f"{fetched.root}/{SKILL_ROOT}/{name}" if fetched else self.state.folder(name)
        skills_root = f"{fetched.root}/{SKILL_ROOT}" if fetched else self.state.workspace.path(SKILL_ROOT)
        card = read_skill(folder, skills_root, fetched.root).card if fetched else self.state.card(name)
        wants = skill_wants(card) if isinstance(card, Card) and card.problem is None else ()
        claims = tuple(self.claims[name])
        self.chosen[name] = Chosen(name, claims, fetched, wants)
        home = Home.of_fetched(fetched) if fetched else self._installed_home(name)
        for claim in claims_of_skill(name, claims[0].chain, wants, home):
            if self._may_name(claim, home):
                self._claim(claim)

    def _installed_home(self, name: str) -> Home | None:
        locked = self.state.locked(name)
        if locked is None:
            return None
        return Home(parse_source(locked.source, self.state.root), locked.requested, locked.resolved)

    def _may_name(self, claim: Claim, home: Home | None) -> bool:
        """A skill that came from afar may not reach into this machine's files (decisions.md, Installation)."""
        if claim.source is None or home is None or not home.source.remote or self._override(claim.name):
            return True
        try:
            if parse_source(claim.source, self.state.root).remote:
                return True
            reason = "a skill from a remote source may not name a path of this machine"
        except BadSourceError as error:
            reason = str(error)
        self.troubles.append(
            Trouble(
                TroubleKind.INVALID_SOURCE,
                f"dependency `{claim.name}`: {reason}",
                source=home.source.declared,
                path=f"{SKILL_ROOT}/{claim.by}/SKILL.md",
                clause="source.kinds",
                fix=f"Override it: `overrides: {{{claim.name}: {{source: …}}}}` in USER_CONTEXT.md, or --source.",
                chains=(claim.way,),
            )
        )
        return False

    def _bad_address(self, claim: Claim | None, error: BadSourceError) -> None:
        place = claim.place if claim else COMMAND_LINE
        raise BadSourceError(f"{place}: {error}") from error

    def _unresolved(self, name: str) -> None:
        claims = self.claims[name]
        self.troubles.append(
            Trouble(
                TroubleKind.UNRESOLVED,
                f"{name}: no source says where it comes from, and no skill of that name is installed",
                clause="dependencies.local-name",
                fix=f"Give one: skillbag install {name} --source ADDRESS, or declare it in CONTEXT.md.",
                chains=tuple(claim.way for claim in claims),
            )
        )

    def late(self) -> dict[str, Claim]:
        """Skills that would have been chosen otherwise had all claims been known."""
        found = {}
        for name in self.chosen:
            now, then = self._decisive(name), self.decisive.get(name)
            if now is not None and then is not None and (now.source, now.version) != (then.source, then.version):
                found[name] = now
        return {name: claim for name, claim in found.items() if self.known.get(name) != claim}

    def resolution(self) -> Resolution:
        """The outcome of the walk."""
        overridden = {name for name in self.claims if self._override(name) is not None}
        found = [
            *self.troubles,
            *conflicts(self.claims, overridden, set(self._kept()), self.state.root, self.fetcher),
            *cycles(self._needs(), self.claims),
        ]
        left_out = tuple(row for name, row in sorted(self.left_out.items()) if name not in self.chosen)
        return Resolution(self.chosen, left_out, tuple(found))

    def _kept(self) -> Iterator[str]:
        yield from (name for name, chosen in self.chosen.items() if chosen.fetched is None)

    def _needs(self) -> dict[str, Iterable[str]]:
        return {
            name: [wanted.name for wanted in chosen.wants if wanted.name in self.chosen]
            for name, chosen in self.chosen.items()
        }
