"""The state of the marketplace: its sources and its index."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from enum import StrEnum
from typing import NamedTuple

from skillbag.agents.marketplace.index import (
    DamagedIndexError,
    IndexedSource,
    NoIndexError,
    index_path,
    reading,
)
from skillbag.agents.settings.user_settings import MarketSource, read_user_settings


class IndexKind(StrEnum):
    """Whether there is an index."""

    READY = "ready"
    MISSING = "missing"
    DAMAGED = "damaged"


class SourceState(NamedTuple):
    """A configured source. `skills` and `updated` (UTC, as `2026-01-31T12:00:00Z`) are None if it was never indexed
    with its current settings; `resolved` is the indexed commit or archive, None for a folder; `remarks` are about
    skipped skills."""

    source: MarketSource
    skills: int | None = None
    updated: str | None = None
    resolved: str | None = None
    remarks: tuple[str, ...] = ()


class MarketplaceState(NamedTuple):
    """The sources in the order of the settings; the index's absolute path, state and size."""

    sources: tuple[SourceState, ...]
    path: str
    kind: IndexKind
    bytes: int

    @property
    def where(self) -> str:
        """The path of the index with its size or state."""
        return f"{self.path} ({self.bytes / 1e3:,.0f} kB)" if self.bytes else f"{self.path} ({self.kind})"


def marketplace_state() -> MarketplaceState:
    """The sources and the index as they are now.

    Raises:
        UserError: the settings can't be read.
        OSError: the index can't be read.
    """
    sources, path = read_user_settings().sources, index_path()
    known: dict[str, IndexedSource] = {}
    try:
        with reading() as index:
            known, kind = index.sources(), IndexKind.READY
    except NoIndexError:
        kind = IndexKind.MISSING
    except DamagedIndexError:
        kind = IndexKind.DAMAGED
    size = os.path.getsize(path) if kind is IndexKind.READY else 0
    return MarketplaceState(tuple(_state(source, known.get(source.name)) for source in sources), path, kind, size)


def _state(source: MarketSource, known: IndexedSource | None) -> SourceState:
    if known is None or known[:3] != source:
        return SourceState(source)
    updated = datetime.fromtimestamp(known.updated, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return SourceState(source, known.skills, updated, known.resolved, known.remarks)
