"""Who wants which skill: the command line, a context file, the lock's memory of the command line, or another skill."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from skillbag.install.address import Source
from skillbag.install.declarations import Level, Override, Place, Wanted
from skillbag.install.fetched import Fetched
from skillbag.install.state import State
from skillbag.workspace.lock_file import COMMAND_LINE, LOCK
from skillbag.workspace.target import CONTEXT


@dataclass(frozen=True, slots=True)
class Home:
    """The source that a requester came from, at its commit: where its names without a source are found."""

    source: Source
    version: str | None
    resolved: str | None

    @staticmethod
    def of_fetched(fetched: Fetched) -> Home:
        """The home of a skill that was fetched in this run."""
        return Home(fetched.source, fetched.requested, fetched.resolved)


@dataclass(frozen=True, slots=True)
class Claim:
    """One wish for a skill.

    `chain` leads from the first requester to the last (`CONTEXT.md:5`, `a`, `b`); `by` is the last one as the lock
    records it. `remembered` is a wish of an earlier command line that only the lock knows: it holds where nobody else
    says anything.
    """

    name: str
    source: str | None
    version: str | None
    by: str
    chain: tuple[str, ...]
    level: Level
    place: str
    required: bool = True
    home: Home | None = None
    remembered: bool = False

    @property
    def way(self) -> tuple[str, ...]:
        """The chain with the skill itself at its end, and what is declared of it."""
        said = " ".join(filter(None, (self.source, self.version)))
        return (*self.chain, self.name, said) if said else (*self.chain, self.name)


@dataclass(frozen=True, slots=True)
class Ask:
    """One skill that the command line names, with the source and version given for it."""

    name: str
    source: str | None = None
    version: str | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """What the command line asks for.

    `upgrade` looks for newer versions of `upgraded`, or of everything where that is empty. `renewed` are the skills
    whose local state may give way (`--overwrite`, `--merge`). With `declare` the run itself writes the skills into
    `CONTEXT.md`.
    """

    skills: tuple[Ask, ...] = ()
    upgrade: bool = False
    upgraded: frozenset[str] = frozenset()
    optional: bool = False
    renewed: frozenset[str] = frozenset()
    declare: bool = False

    def override(self, name: str) -> Override | None:
        """The source and version that the command line gives for a skill."""
        for ask in self.skills:
            if ask.name == name and (ask.source or ask.version):
                return Override(name, ask.source, ask.version, Place(COMMAND_LINE, 0))
        return None

    def upgrades(self, name: str) -> bool:
        """Whether a newer version of the skill is looked for."""
        return self.upgrade and (not self.upgraded or name in self.upgraded)


def first_claims(state: State, asked: Asked) -> Iterator[Claim]:
    """The claims that no skill makes: `CONTEXT.md` (clause context.first), the command line, the lock's memory."""
    for wanted in state.declarations.dependencies:
        yield Claim(
            wanted.name, wanted.source, wanted.version, CONTEXT, (str(wanted.place),), Level.CONTEXT, str(wanted.place)
        )
    by = CONTEXT if asked.declare else COMMAND_LINE
    for ask in asked.skills:
        yield Claim(ask.name, ask.source, ask.version, by, (COMMAND_LINE,), Level.CONVERSATION, COMMAND_LINE)
    for name, locked in sorted(state.lock.skills.items()):
        if COMMAND_LINE in locked.asked_by and name not in {ask.name for ask in asked.skills}:
            chain = (f"{COMMAND_LINE} (earlier, {LOCK})",)
            yield Claim(
                name, locked.source, locked.requested, COMMAND_LINE, chain, Level.CONVERSATION, LOCK, remembered=True
            )


def claims_of_skill(name: str, chain: tuple[str, ...], wants: tuple[Wanted, ...], home: Home | None) -> Iterator[Claim]:
    """The claims that the dependencies of the skill `name` make."""
    for wanted in wants:
        yield Claim(
            wanted.name,
            wanted.source,
            wanted.version,
            name,
            (*chain, name),
            Level.SKILL,
            str(wanted.place),
            required=wanted.required,
            home=home,
        )
