"""Fetching several sources at once, and its failures as troubles: all of them are told, not only the first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from skillbag.install.address import Source
from skillbag.install.fetch import Fetcher
from skillbag.install.fetched import Fetched, FetchError, InvalidSourceError
from skillbag.install.outcome import Trouble, TroubleKind

_AT_ONCE = 4
"""Sources that are fetched side by side: a handful of connections is quick, and polite to a host."""


class Wish(NamedTuple):
    """A source at a version, or at the exact commit or archive that `resolved` names."""

    source: Source
    version: str | None
    resolved: str | None


Answer = Fetched | tuple[Trouble, ...]


def fetch_all(fetcher: Fetcher, wishes: Iterable[Wish]) -> Mapping[Wish, Answer]:
    """Fetch every different wish once."""
    distinct = list(dict.fromkeys(wishes))
    if len(distinct) < 2:
        return {wish: fetch_one(fetcher, wish) for wish in distinct}
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        return dict(zip(distinct, pool.map(lambda wish: fetch_one(fetcher, wish), distinct), strict=True))


def fetch_one(fetcher: Fetcher, wish: Wish) -> Answer:
    """Fetch one source; a failure comes back as troubles."""
    try:
        return fetcher.fetch(wish.source, wish.version, wish.resolved)
    except FetchError as error:
        return (Trouble(TroubleKind.FETCH, error.reason, source=wish.source.declared),)
    except InvalidSourceError as error:
        return tuple(
            Trouble(TroubleKind.INVALID_SOURCE, fault, source=wish.source.declared, clause="source.contents")
            for fault in error.faults
        )
    except OSError as error:
        # Disk full, a cache that can't be written: the environment's fault, told for this source.
        what = f"{error.filename}: {error.strerror}" if error.filename else str(error)
        return (Trouble(TroubleKind.FETCH, what, source=wish.source.declared),)
