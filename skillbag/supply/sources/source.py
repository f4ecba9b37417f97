"""What a source is: its kind, and its address without credentials (`sources.address` parses it)."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field
from importlib import import_module
from types import ModuleType

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.workspace.source_kind import SourceKind


class BadSourceError(UserError):
    """A source can't be used as it is written; the message says what to write instead."""


@dataclass(frozen=True, slots=True)
class Credentials:
    """The decoded user information of an address; the password may be empty."""

    user: str = field(repr=False)
    password: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Source:
    """One source. `address` is for git, HTTP or the file system (absolute where it is local), without credentials, and
    of a `skill` in a registry that of the registry;
    `declared` may be shown and stored; `identity` is the same for two spellings of one source. With `plain` it may also
    be a plain repository of Agent Skills; with `whole`, all of that repository is taken that a check could look at;
    with `entire`, everything, whether there are skills or not.
    """

    kind: SourceKind
    address: str
    declared: str
    identity: str
    remote: bool
    credentials: Credentials | None = field(default=None, repr=False, compare=False)
    query: str = field(default="", repr=False, compare=False)
    """The secret part of the query string of a downloaded archive (without `?`), needed for the fetch only."""
    plain: bool = False
    whole: bool = False
    entire: bool = False
    skill: str = ""
    """The skill in a registry; a source of another kind has none."""

    @property
    def full_address(self) -> str:
        """The address with the secret part of its query string: for the request only, never for a message."""
        return f"{self.address}{'&' if '?' in self.address else '?'}{self.query}" if self.query else self.address


@dataclass(frozen=True, slots=True)
class Location:
    """A source, and what is meant of it.

    `address` is one for `parse_source`. `version` is what the text names, if anything. `folder` (relative, with `/`) is
    a part of the source: only the skills there are meant. `rest` is a reference and a folder, joined by `/`: references
    may hold a `/`, so that only the repository's own tell where one ends. With `file` the last name of `folder` or
    `rest` is that of a file. `note` tells the user how the text was read.
    """

    address: str
    version: str | None = None
    folder: str = ""
    rest: str = ""
    file: bool = False
    note: str = ""


def module_of(kind: SourceKind) -> ModuleType:
    """The module that fetches a kind of source."""
    return import_module(f"skillbag.supply.sources.{kind.row.module}")


def registry_source(address: str, name: str) -> Source:
    """The skill `name` of the registry at the normalized `address`; both are checked."""
    declared = f"registry+{address}/{name}"
    return Source(SourceKind.REGISTRY, address, declared, declared, remote=True, plain=True, skill=name)


def source_key(source: Source) -> tuple[str, str]:
    """A key that is equal for two spellings of one source. A folder and the git repository in it are two sources."""
    return source.kind.lock_kind, source.identity


def install_command(name: str, source: Source, version: str | None, command: str = "install") -> str:
    """`skillbag install NAME` with the source and its options, quoted for a shell: it runs as it stands."""
    words = ["skillbag", command]
    if source.kind.has_releases:
        return shlex.join([*words, f"{source.declared}@{version}" if version else source.declared])
    words += [name, "--source", source.declared]
    return shlex.join([*words, *(["--version", version] if version else [])])
