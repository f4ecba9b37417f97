"""What fetches each kind of source, for mypy. Made by tools/generate.py from the table of kinds; do not edit."""

from __future__ import annotations

from typing import Protocol, assert_never

import skillbag.supply.sources.archive_fetch
import skillbag.supply.sources.folder
import skillbag.supply.sources.git
import skillbag.supply.sources.registry_fetch
from skillbag.kernel.workspace.source_kind import SourceKind
from skillbag.supply.sources.fetched import Unpacked
from skillbag.supply.sources.source import Source
from skillbag.supply.sources.task import FetchTask


class KindModule(Protocol):
    """What the module of each kind has."""

    def fetch(self, task: FetchTask) -> Unpacked: ...


class PrefixModule(KindModule, Protocol):
    """What that of a kind with a prefix has."""

    def source_at(self, text: str) -> Source | None: ...


class RevisionsModule(KindModule, Protocol):
    """What that of a kind has whose versions are revisions."""

    def latest(self, task: FetchTask) -> str | None: ...
    def known_ref(self, task: FetchTask) -> str | None: ...
    def default_branch(self, task: FetchTask) -> str: ...
    def tags(self, task: FetchTask) -> tuple[str, ...]: ...
    def split_reference(self, task: FetchTask, rest: str) -> tuple[str, str]: ...


def module_for(kind: SourceKind) -> KindModule:
    """The module of a kind."""
    prefixed: PrefixModule
    revised: RevisionsModule
    match kind:
        case SourceKind.GIT:
            revised = skillbag.supply.sources.git
            return revised
        case SourceKind.HTTP_ZIP:
            return skillbag.supply.sources.archive_fetch
        case SourceKind.ZIP:
            return skillbag.supply.sources.archive_fetch
        case SourceKind.HTTP_TAR:
            return skillbag.supply.sources.archive_fetch
        case SourceKind.TAR:
            return skillbag.supply.sources.archive_fetch
        case SourceKind.FOLDER:
            return skillbag.supply.sources.folder
        case SourceKind.REGISTRY:
            prefixed = skillbag.supply.sources.registry_fetch
            return prefixed
        case unknown:
            assert_never(unknown)
