"""The state of the marketplace: its sources, and what of them is in the index."""

from __future__ import annotations

import os
from enum import StrEnum
from typing import NamedTuple

from skillbag.marketplace.index import (
    DamagedIndexError,
    IndexedSource,
    NoIndexError,
    index_path,
    reading,
)
from skillbag.marketplace.sources import HOW_TO_ADD
from skillbag.settings.user_settings import MarketSource, read_user_settings


class IndexKind(StrEnum):
    """Whether there is an index."""

    READY = "ready"
    MISSING = "missing"
    DAMAGED = "damaged"


class SourceState(NamedTuple):
    """A configured source. `skills` and `updated` (UTC, as `2026-01-31T12:00:00Z`) are None where it was never indexed
    as it is configured now; `resolved` is the commit or archive then, None for a folder; `remarks` what was skipped."""

    source: MarketSource
    skills: int | None = None
    updated: str | None = None
    resolved: str | None = None
    remarks: tuple[str, ...] = ()


class MarketplaceState(NamedTuple):
    """The sources in the order of the settings; the index's absolute path, whether it is there, and its size."""

    sources: tuple[SourceState, ...]
    path: str
    kind: IndexKind
    bytes: int
    how_to_add: str = HOW_TO_ADD

    @property
    def where(self) -> str:
        """The index in a few words."""
        return f"{self.path} ({self.bytes / 1e3:,.0f} kB)" if self.bytes else f"{self.path} ({self.kind})"


def marketplace_state() -> MarketplaceState:
    """The sources and the index as they are now.

    Raises:
        UserError: the settings can't be read.
        OSError: the index can't be read.
    """
    sources = read_user_settings().sources
    known, kind = _known()
    path = index_path()
    size = os.path.getsize(path) if kind is IndexKind.READY else 0
    return MarketplaceState(tuple(_state(source, known.get(source.name)) for source in sources), path, kind, size)


def _known() -> tuple[dict[str, IndexedSource], IndexKind]:
    try:
        with reading() as index:
            return index.sources(), IndexKind.READY
    except NoIndexError:
        return {}, IndexKind.MISSING
    except DamagedIndexError:
        return {}, IndexKind.DAMAGED


def _state(source: MarketSource, known: IndexedSource | None) -> SourceState:
    if known is None or known[:3] != source:
        return SourceState(source)
    from datetime import UTC, datetime

    updated = datetime.fromtimestamp(known.updated, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return SourceState(source, known.skills, updated, known.resolved, known.remarks)
