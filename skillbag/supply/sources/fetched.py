"""What to fetch, the fetched source, and the errors."""

from __future__ import annotations

import errno
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

from skillbag.kernel.base.errors import UserError, format_error
from skillbag.supply.sources.source import BadSourceError, Source

HASH = "sha256:"
"""The prefix of the version, and of the resolved version, of an archive."""

REWRITTEN = "Its publisher has rewritten it, or somebody tampered with the source"
"""What it means that a version has changed."""

Progress = Callable[[str], None]
"""Receives one line about the current work, without credentials."""


def silent(_line: str) -> None:
    """Ignore the progress."""


class PlainSkills(NamedTuple):
    """The skills of a plain repository of Agent Skills.

    `folders` are the absolute folders of the skills, by name, sorted; of names that several folders have, `copies` has
    all of them. The others can't be installed: `ambiguous` names that several folders with different contents have
    (unless one of them counts, which is in `folders`), `nameless` folders without a valid name, and skills that are
    `refused` for a link, each with a sentence about it. `origins` are the folders of skills that are taken
    under another name. Their paths are relative to the root, with `/`.
    """

    folders: Mapping[str, str]
    ambiguous: Mapping[str, tuple[str, ...]]
    nameless: tuple[str, ...]
    refused: Mapping[str, str] = MappingProxyType({})
    copies: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    origins: Mapping[str, str] = MappingProxyType({})


class Unpacked(NamedTuple):
    """A source on the disk; the fields are those of `Fetched`."""

    resolved: str | None
    root: str
    ref: str | None = None
    plain: PlainSkills | None = None


@dataclass(frozen=True, slots=True)
class Fetched:
    """A source that can be read. `root` (absolute) holds `AGENTS.md` and `.skills/`: a read-only tree in the cache, or
    the user's folder itself. `requested` is the version as declared; `resolved` the commit of a git source (40 or 64
    hex digits), `sha256:<hex>` of an archive, `VERSION@sha256:<hex>` of a skill of a registry, None for a folder; `ref`
    the kind of a git version, as in the lock, if known. With `own` only this run uses the tree, and skills may be
    moved out of it. `plain` are the skills of a plain repository; None for a SkillBag source, which has them in
    `.skills/`.
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
    """A source could not be fetched (network, git, time, missing version, offline); the reason says what to do."""

    def __init__(self, source: str, reason: str) -> None:
        # With an errno and a text `str()` would begin with a number.
        super().__init__(f"{source}: {reason}")
        self.errno = errno.EIO
        self.source = source
        self.reason = reason


class InvalidSourceError(UserError):
    """The content of a source is hostile or broken. `faults`: one sentence each; `source`: its declared form, if known;
    `fix` says what to do.

    Code that checks content leaves `source` out; the fetcher raises the error again with it.
    """

    def __init__(
        self, faults: Iterable[str], source: str = "", fix: str = "Correct the source, or ask its publisher to."
    ) -> None:
        self.source = source
        self.faults = tuple(faults)
        self.fix = fix
        super().__init__("\n".join(f"{source}: {fault}" if source else fault for fault in self.faults))

    def of(self, source: str) -> InvalidSourceError:
        """The same error with a declared source."""
        return type(self)(self.faults, source, self.fix)


class ChangedSourceError(InvalidSourceError):
    """The content of a source is not the expected one."""


class ChangedVersionError(ChangedSourceError):
    """A version, which should never change, is not what it was: the user can accept that."""


class FetchFailure(NamedTuple):
    """Why a source could not be fetched, as a value: a failing source does not affect the others.

    `source` is its declared form.
    """

    source: str
    error: InvalidSourceError | OSError

    @property
    def reasons(self) -> tuple[str, ...]:
        """One sentence for each fault."""
        if isinstance(self.error, InvalidSourceError):
            return self.error.faults
        return (self.error.reason if isinstance(self.error, FetchError) else format_error(self.error),)


Answer = Fetched | FetchFailure

_PIN = re.compile(r"sha256:[0-9a-f]{64}", re.IGNORECASE)
_ALGORITHM = r"sha[-_ ]?(?:[123]|224|256|384|512)|md[-_]?[245]|blake[-_]?[23][bsp]*|ripemd[-_]?\d*|crc[-_]?32c?"
_DIGEST = re.compile(
    rf"^(?:sha-?\d|md5|blake)\w*[-:=]|(?<![a-z])(?:{_ALGORITHM})(?:sum)?[^a-z0-9]|[0-9a-f]{{64}}", re.IGNORECASE
)
"""What people write for a hash, wherever it stands: ignored, it would look verified."""


def pinned_hash(source: Source, version: str | None) -> str | None:
    """The `sha256:<hex>`, in lower case, to which `version` pins the content of an archive; None if it pins nothing.

    Any other version of an archive or a folder is not interpreted, and git reads the versions of its own sources.

    Raises:
        BadSourceError: the version is or holds a malformed or another hash, or is the hash of a folder; or it
            is neither a version nor a range, and the source is a skill of a registry.
    """
    if source.kind.has_releases:
        _check_range(source, version)
        return None
    if source.kind.has_revisions or version is None or not _DIGEST.search(version):
        return None
    if not _PIN.fullmatch(version):
        raise BadSourceError(
            f"source {source.declared!r}: version {version!r} is not a SHA-256; write `{HASH}` and 64 hexadecimal "
            "digits, as `sha256sum` prints them for the archive; no other hash is verified"
        )
    if source.kind.is_in_place:
        raise BadSourceError(
            f"source {source.declared!r}: a folder has no SHA-256 to verify; pack it as a zip, or leave the version out"
        )
    return version.lower()


def _check_range(source: Source, version: str | None) -> None:
    from skillbag.supply.sources.registry_versions import is_wanted

    if version is not None and not is_wanted(version):
        raise BadSourceError(
            f"source {source.declared!r}: {version!r} is no version or range of SemVer; write 1.2.3, ^1.2 or latest"
        )
