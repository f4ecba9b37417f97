"""What is fetched, what comes of it, and the ways in which it fails."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

from skillbag.base.errors import UserError
from skillbag.sources.address import Source

Progress = Callable[[str], None]
"""Receives one line about what is being done, without credentials."""


def silent(_line: str) -> None:
    """Ignore the progress."""


class PlainSkills(NamedTuple):
    """The skills of a plain repository of Agent Skills.

    `folders` are the absolute folders of the skills, by name, sorted. Not among them are `ambiguous`, the names that
    several folders with different contents have, and `nameless`, the folders whose skill has no name that a skill can
    have; both are paths relative to the root, with `/`. Nor are the `refused`: such paths of skills with a link that
    may not be followed, each with a sentence about it.
    """

    folders: Mapping[str, str]
    ambiguous: Mapping[str, tuple[str, ...]]
    nameless: tuple[str, ...]
    refused: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Fetched:
    """A source, there to be read. `root` (absolute) holds `AGENTS.md` and `.skills/`: a read-only tree in
    the cache, or the user's folder itself. `requested` is the version as declared; `resolved` the commit of a git
    source (40 or 64 hex digits), `sha256:<hex>` of an archive, None for a folder; `ref` what the version of a git
    source is, as in the lock, if that is known. With `own` the tree is this run's
    alone, and what is installed may be moved out of it. `plain` is where the skills lie in a plain repository of Agent
    Skills; None for a SkillBag source, which has them in `.skills/`.
    """

    source: Source
    requested: str | None
    resolved: str | None
    root: str
    own: bool = False
    plain: PlainSkills | None = field(default=None, compare=False)
    ref: str | None = field(default=None, compare=False)


class FetchSpec(NamedTuple):
    """A source at a version, or at the exact commit or archive that `resolved` names."""

    source: Source
    version: str | None = None
    resolved: str | None = None


class FetchError(OSError):
    """A source could not be had (network, git, time, missing version, offline): which, why, and what to do next."""

    def __init__(self, source: str, reason: str) -> None:
        # With an errno and a text `str()` would put a number in front; the sentence says it all.
        super().__init__(f"{source}: {reason}")
        self.errno = errno.EIO
        self.source = source
        self.reason = reason


class InvalidSourceError(UserError):
    """What a source holds is hostile or broken. `faults`: one sentence each; `source`: its declared form, where known.

    Code that checks content leaves `source` out; the fetcher raises the error again with it.
    """

    def __init__(self, faults: Iterable[str], source: str = "") -> None:
        self.source = source
        self.faults = tuple(faults)
        super().__init__("\n".join(f"{source}: {fault}" if source else fault for fault in self.faults))

    def of(self, source: str) -> InvalidSourceError:
        """The same error, of the source that is declared so."""
        return InvalidSourceError(self.faults, source)


class ChangedSourceError(InvalidSourceError):
    """A source does not hold what it was expected to: what that is, and what to do (`fix`)."""

    def __init__(self, fault: str, fix: str, source: str = "") -> None:
        super().__init__([fault], source)
        self.fix = fix

    def of(self, source: str) -> ChangedSourceError:
        """The same error, of the source that is declared so."""
        return ChangedSourceError(self.faults[0], self.fix, source)


class FetchFailure(NamedTuple):
    """Why a source could not be fetched, as a value: a failing source does not affect the others.

    `source` is its declared form.
    """

    source: str
    error: InvalidSourceError | OSError

    @property
    def reasons(self) -> tuple[str, ...]:
        """One sentence for each fault."""
        error = self.error
        if isinstance(error, InvalidSourceError):
            return error.faults
        if isinstance(error, FetchError):
            return (error.reason,)
        # The environment's fault, such as a full disk.
        return (f"{error.filename}: {error.strerror}" if error.filename else str(error),)


Answer = Fetched | FetchFailure
