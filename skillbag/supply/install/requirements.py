"""Which skills are required, and by what: a context file, the command line, the lock, another skill.

A manifest names skills and ranges, and no source. So an installation follows it where the skill comes from a registry,
which has versions by name; else it says what is missing.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass

from skillbag.kernel.standard.declarations import Declaration, Level, Place
from skillbag.kernel.workspace.lock_file import COMMAND_LINE, LOCK
from skillbag.kernel.workspace.target import CONTEXT, MANIFEST_FILE
from skillbag.supply.install.request import InstallRequest, SkillRequest
from skillbag.supply.install.state import InstalledState
from skillbag.supply.sources.address import without_credentials
from skillbag.supply.sources.fetched import FetchSpec

UNVERSIONED = "latest"
"""What is declared for a zip or a folder without a version: `CONTEXT.md` wants one (clause context.shape)."""


@dataclass(frozen=True, slots=True)
class Requirement:
    """One requirement of a skill.

    `source` is as written, with any credentials, for the fetch only. `chain` leads from the first requester to the
    last (`CONTEXT.md:5`, `a`, `b`); `by` is the last one as the lock records it, or empty. `home` is the source of a
    requesting skill, at its commit, in which names without a source are looked up. A `remembered` request of an earlier
    command line is only in the lock, and counts if there is no other requirement. With `plain` a declaration says
    that the source may be a plain repository, and `folder` which one of it has the skill.
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
    plain: bool = False
    folder: str | None = None

    @property
    def declares(self) -> bool:
        """Whether a file declares it."""
        return self.level is not Level.CONVERSATION

    @property
    def shown_source(self) -> str | None:
        """The source without credentials."""
        return self.source and without_credentials(self.source)

    @property
    def full_chain(self) -> tuple[str, ...]:
        """The chain with the skill itself at its end, and its declared source and version."""
        constraint = " ".join(filter(None, (self.shown_source, self.version)))
        return (*self.chain, self.name, constraint) if constraint else (*self.chain, self.name)


def first_requirements(state: InstalledState, requests: InstallRequest) -> Iterator[Requirement]:
    """The requirements of `CONTEXT.md` (clause context.first), the command line, and earlier ones in the lock."""
    for name, source, version, _, place, plain, folder in state.declarations.dependencies:
        chain = (str(place),)
        yield Requirement(name, source, version, CONTEXT, chain, Level.CONTEXT, place, plain=plain, folder=folder)
    for (name, source, version, _, place, *_), level in requests.listed:
        yield Requirement(name, source, version, COMMAND_LINE, (str(place),), level, place)
    for request in requests.skills:
        # An installed skill that is upgraded by name has a requirement already.
        known = state.locked(request.name) is not None and requests.upgrades(request.name)
        if request.source or request.version or not known:
            yield _cli_requirement(request, (COMMAND_LINE,))
    for name, locked in sorted(state.lock.skills.items()):
        if COMMAND_LINE in locked.asked_by and name not in requests.declared:
            request = SkillRequest(name, locked.source, locked.requested)
            yield _cli_requirement(request, (f"{COMMAND_LINE} (earlier, {LOCK})",), remembered=True)


def _cli_requirement(request: SkillRequest, chain: tuple[str, ...], *, remembered: bool = False) -> Requirement:
    place = Place(LOCK if remembered else COMMAND_LINE, 0)
    name, source, version = request.name, request.source, request.version
    return Requirement(name, source, version, COMMAND_LINE, chain, Level.CONVERSATION, place, remembered=remembered)


def orphan_requirements(
    state: InstalledState, requests: InstallRequest, claimed: Container[str]
) -> Iterator[Requirement]:
    """The requirements of orphaned skills: still in the lock and updated, though nothing requires them."""
    named = {request.name for request in requests.skills}
    for name, locked in sorted(state.lock.skills.items()):
        wanted = requests.upgrades(name) or name in requests.renewed
        if name not in claimed and wanted and (name in named or state.is_present(name)):
            home = FetchSpec(state.source_of(name), locked.requested, None)
            place = Place(LOCK, 0)
            yield Requirement(name, None, None, "", (LOCK,), Level.CONVERSATION, place, home=home, remembered=True)


def requirements_of_skill(
    name: str, chain: tuple[str, ...], wants: tuple[Declaration, ...], home: FetchSpec | None
) -> Iterator[Requirement]:
    """The requirements that follow from the dependencies of the skill `name`."""
    for wanted, source, version, required, place, *_ in wants:
        yield Requirement(
            wanted, source, version, name, (*chain, name), Level.SKILL, place, required=required, home=home
        )


def followed(wants: Iterable[Declaration], home: FetchSpec | None) -> tuple[Declaration, ...]:
    """Those that an installation can follow for a skill from `home`; None if that is not known."""
    has_versions = home is not None and home.source.kind.has_releases
    return tuple(wanted for wanted in wants if has_versions or not _is_of_manifest(wanted))


def missing_notes(name: str, wants: Iterable[Declaration], present: Container[str]) -> Iterator[str]:
    """Which dependencies of a manifest nothing installs, and what to do."""
    for wanted in wants:
        if _is_of_manifest(wanted) and wanted.name not in present:
            needs = "needs" if wanted.required else "can use"
            version = f"@{wanted.version}" if wanted.version else ""
            command = shlex.join(["skillbag", "install", f"registry:{wanted.name}{version}"])
            yield (
                f"{name} {needs} {wanted.name}{version} ({wanted.place}), which is not in this workspace: "
                f"{command}, or name another source of it."
            )


def _is_of_manifest(wanted: Declaration) -> bool:
    return os.path.basename(wanted.place.file) == MANIFEST_FILE
