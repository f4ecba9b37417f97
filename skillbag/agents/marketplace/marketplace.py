"""The marketplace: skills of the user's configured sources, found and listed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skillbag.agents.marketplace.index import Index, Offered, SearchResult


def search(query: str, limit: int = 20, source: str | None = None) -> SearchResult:
    """The best matches in the index, of one source or all, offline.

    Raises:
        UserError: no source is configured, or the index is empty.
        OSError: the index can't be read.
    """
    with _index(source) as index:
        return index.search(query, limit, source)


def search_everywhere(query: str, limit: int = 20, source: str | None = None, *, offline: bool = False) -> SearchResult:
    """The matches in the index, then those of the user's registry, if one is configured and no `source` is named.

    Raises as `search`; but where a registry is configured, the index need not be there.
    """
    from skillbag.agents.marketplace.registry_search import search_registry

    results = search_registry(query, limit, offline=offline) if source is None else None
    from skillbag.agents.marketplace.index import NoIndexError
    from skillbag.agents.marketplace.sources import NoSourceError

    if results is None:
        try:
            return search(query, limit, source)
        except NoSourceError as error:
            from skillbag.supply.sources.configured_hosts import HOW_TO_CONFIGURE

            raise NoSourceError(error if source else f"{error}. To search a registry, {HOW_TO_CONFIGURE}") from None
    try:
        found = search(query, limit)
    except (NoSourceError, NoIndexError):
        return results
    skills = (*found.skills, *results.skills)[:limit]
    return found._replace(skills=skills, meant=() if skills else found.meant, remarks=results.remarks)


def list_offered(limit: int | None = None, source: str | None = None) -> tuple[Offered, ...]:
    """The skills of the index, of one source or all, by source and name. Raises as `search`."""
    with _index(source) as index:
        return index.skills(source, limit)


@contextmanager
def _index(source: str | None) -> Iterator[Index]:
    """The index, which must have the source, or at least one if none is named."""
    from skillbag.agents.marketplace.index import UPDATE, NoIndexError, reading

    try:
        with reading() as index:
            known = index.sources()
            if not known or (source is not None and source not in known):
                missing = f"the source {source} is not indexed" if known else "no source is indexed"
                raise NoIndexError(f"{missing} yet; {UPDATE} does it")
            yield index
    except NoIndexError:
        from skillbag.agents.marketplace.sources import chosen

        # A source that is not configured is the more helpful error.
        chosen((source,) if source is not None else ())
        raise
