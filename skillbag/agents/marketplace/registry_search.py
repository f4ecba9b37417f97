"""The user's registry in the marketplace: searched, and asked about a skill (skill runtime, sections 9 and 10).

Nothing is asked of the network where no registry is configured.
"""

from __future__ import annotations

from typing import NamedTuple

from skillbag.agents.marketplace.index import Offered, SearchResult
from skillbag.kernel.base.errors import UserError
from skillbag.kernel.manifest.versions import in_order
from skillbag.supply.install.request import is_of_registry, parse_origin
from skillbag.supply.sources.address import parse_source
from skillbag.supply.sources.cache import open_cache
from skillbag.supply.sources.configured_hosts import configured_registry
from skillbag.supply.sources.fetched import FetchError, pinned_hash
from skillbag.supply.sources.registry import RegistryClient, UnknownError
from skillbag.supply.sources.registry_versions import NoVersionError, choose
from skillbag.supply.sources.source import registry_source

REGISTRY = "registry"
"""What a skill of the registry has in the place of a source's name."""


def search_registry(query: str, limit: int, *, offline: bool = False) -> SearchResult | None:
    """The matches in the configured registry, in its order; None without one. A failure is a remark.

    Raises:
        UserError: the address of the registry or the token can't be used.
    """
    address = configured_registry()
    if address is None:
        return None
    remarks: list[str] = []
    registry = RegistryClient(address, open_cache(), offline, remarks.append)
    try:
        found = registry.search(query)[:limit]
    except FetchError as error:
        return SearchResult((), remarks=(*remarks, str(error)))
    skills = (
        Offered(name, description, REGISTRY, registry_source(address, name).declared, version)
        for name, version, description in found
    )
    return SearchResult(tuple(skills), remarks=tuple(remarks))


class RegistrySkill(NamedTuple):
    """A skill of a registry: the chosen `version` and its `manifest`, all versions in falling order, and remarks."""

    name: str
    version: str
    manifest: str
    versions: tuple[str, ...]
    remarks: tuple[str, ...]


def published(ref: str, *, offline: bool = False) -> RegistrySkill:
    """What a registry says of `registry:NAME@RANGE`, without fetching the skill.

    Raises:
        UserError: the reference is malformed, or no registry is configured.
        FetchError: the registry can't be asked, or has no such version.
    """
    if not is_of_registry(ref):
        raise UserError(f"{ref[:80]!r}: write registry:NAME or registry:NAME@RANGE")
    origin = parse_origin(ref)
    source = parse_source(origin.source or "", "/")
    pinned_hash(source, origin.version)
    remarks: dict[str, None] = {}
    registry = RegistryClient(source.address, open_cache(), offline, remarks.setdefault)
    try:
        versions = registry.versions(origin.name)
    except UnknownError as error:
        raise FetchError(source.declared, error.reason + registry.meant(origin.name)) from None
    try:
        version = choose(versions, origin.version)
    except NoVersionError as error:
        raise FetchError(source.declared, str(error)) from None
    manifest = registry.manifest(origin.name, version)
    return RegistrySkill(origin.name, version, manifest, tuple(in_order(versions)[::-1]), tuple(remarks))
