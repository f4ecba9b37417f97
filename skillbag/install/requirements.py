"""Which skills are required, and by what: a context file, the command line, the lock, another skill."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass

from skillbag.install.state import InstalledState
from skillbag.sources.address import without_credentials
from skillbag.sources.fetched import FetchSpec
from skillbag.standard.declarations import Level, Place, Wanted
from skillbag.workspace.lock_file import COMMAND_LINE, LOCK
from skillbag.workspace.target import CONTEXT

_NOBODY = ""


@dataclass(frozen=True, slots=True)
class Requirement:
    """One requirement of a skill.

    `source` is as it was written, with any credentials, for the fetch alone. `chain` leads from the first requester to
    the last (`CONTEXT.md:5`, `a`, `b`); `by` is the last one as the lock records it, or empty. `home` is the
    source that a requesting skill came from, at its commit: its names without a source are found there. `remembered` is
    a request of an earlier command line that only the lock records: it counts where there is no other requirement.
    """

    name: str
    source: str | None
    version: str | None
    by: str
    chain: tuple[str, ...]
    level: Level
    place: Place
    required: bool = True
    home: FetchSpec | None = None
    remembered: bool = False

    @property
    def declares(self) -> bool:
        """Whether a file declares it."""
        return self.level is not Level.CONVERSATION

    @property
    def shown_source(self) -> str | None:
        """The source, fit to be shown."""
        return self.source and without_credentials(self.source)

    @property
    def full_chain(self) -> tuple[str, ...]:
        """The chain with the skill itself at its end, and what is declared of it."""
        constraint = " ".join(filter(None, (self.shown_source, self.version)))
        return (*self.chain, self.name, constraint) if constraint else (*self.chain, self.name)


@dataclass(frozen=True, slots=True)
class SkillRequest:
    """One skill that the command line names, with the source and version given for it; with `plain` the source may be
    a plain repository.
    """

    name: str
    source: str | None = None
    version: str | None = None
    plain: bool = False


@dataclass(frozen=True, slots=True)
class RequestSet:
    """What the command line asks for.

    `upgraded` are the skills to look for newer versions of; None means all. The local state of `renewed` skills may be
    replaced, and the local edits of the `merged` ones among them are kept. `declared` are the skills that are being
    added to `CONTEXT.md`, `assumed` those of them without a version on the command line. `listed` are skills that a
    context file lists for the reserved skill to install, each with the level of that file. `excluded` skills are left
    as they are.
    """

    skills: tuple[SkillRequest, ...] = ()
    upgraded: frozenset[str] | None = frozenset()
    optional: bool = False
    renewed: frozenset[str] = frozenset()
    merged: frozenset[str] = frozenset()
    declared: frozenset[str] = frozenset()
    assumed: frozenset[str] = frozenset()
    listed: tuple[tuple[Wanted, Level], ...] = ()
    excluded: frozenset[str] = frozenset()

    def upgrades(self, name: str) -> bool:
        """Whether a newer version of the skill is looked for."""
        return self.upgraded is None or name in self.upgraded


def first_requirements(state: InstalledState, requests: RequestSet) -> Iterator[Requirement]:
    """The requirements of `CONTEXT.md` (clause context.first), the command line, and earlier ones in the lock."""
    for name, source, version, _, place in state.declarations.dependencies:
        yield Requirement(name, source, version, CONTEXT, (str(place),), Level.CONTEXT, place)
    for (name, source, version, _, place), level in requests.listed:
        yield Requirement(name, source, version, COMMAND_LINE, (str(place),), level, place)
    for request in requests.skills:
        # An installed skill that is upgraded by name has a requirement already.
        if (
            request.source
            or request.version
            or state.locked(request.name) is None
            or not requests.upgrades(request.name)
        ):
            yield _cli_requirement(request, (COMMAND_LINE,))
    for name, locked in sorted(state.lock.skills.items()):
        if COMMAND_LINE in locked.asked_by and name not in requests.declared:
            yield _cli_requirement(
                SkillRequest(name, locked.source, locked.requested),
                (f"{COMMAND_LINE} (earlier, {LOCK})",),
                remembered=True,
            )


def _cli_requirement(request: SkillRequest, chain: tuple[str, ...], *, remembered: bool = False) -> Requirement:
    place = Place(LOCK if remembered else COMMAND_LINE, 0)
    return Requirement(
        request.name,
        request.source,
        request.version,
        COMMAND_LINE,
        chain,
        Level.CONVERSATION,
        place,
        remembered=remembered,
    )


def orphan_requirements(state: InstalledState, requests: RequestSet, claimed: Container[str]) -> Iterator[Requirement]:
    """The requirements of orphaned skills: still in the lock and updated, though nothing requires them."""
    named = {request.name for request in requests.skills}
    for name, locked in sorted(state.lock.skills.items()):
        wanted = requests.upgrades(name) or name in requests.renewed
        if name not in claimed and wanted and (name in named or state.is_present(name)):
            home = FetchSpec(state.source_of(name), locked.requested, None)
            yield Requirement(
                name, None, None, _NOBODY, (LOCK,), Level.CONVERSATION, Place(LOCK, 0), home=home, remembered=True
            )


def requirements_of_skill(
    name: str, chain: tuple[str, ...], wants: tuple[Wanted, ...], home: FetchSpec | None
) -> Iterator[Requirement]:
    """The requirements that follow from the dependencies of the skill `name`."""
    way = (*chain, name)
    for wanted, source, version, required, place in wants:
        yield Requirement(wanted, source, version, name, way, Level.SKILL, place, required=required, home=home)
