"""The user's registry in a search of the marketplace (skill runtime, sections 9 and 10).

Nothing is asked of the network where no registry is configured.
"""

from __future__ import annotations

from skillbag.marketplace.index import Offered, Search
from skillbag.sources.address import registry_source
from skillbag.sources.cache import open_cache
from skillbag.sources.fetched import FetchError
from skillbag.sources.registry import Registry
from skillbag.sources.registry_address import configured_registry

REGISTRY = "registry"
"""What a skill of the registry has in the place of a source's name."""


def search_registry(query: str, limit: int, *, offline: bool = False) -> Search | None:
    """The matches in the configured registry, in its order; None without one. A failure is a remark.

    Raises:
        UserError: the address of the registry or the token can't be used.
    """
    address = configured_registry()
    if address is None:
        return None
    remarks: list[str] = []
    registry = Registry(address, open_cache(), offline, remarks.append)
    try:
        found = registry.search(query)[:limit]
    except FetchError as error:
        return Search((), remarks=(*remarks, str(error)))
    skills = (
        Offered(name, description, REGISTRY, registry_source(address, name).declared, version)
        for name, version, description in found
    )
    return Search(tuple(skills), remarks=tuple(remarks))
