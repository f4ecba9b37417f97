"""The repositories that hold the skills of a marketplace source: its own, and those that its list of plugins names."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from skillbag.agents.settings.user_settings import MarketSource
from skillbag.kernel.base.errors import UserError
from skillbag.kernel.base.user_dirs import cache_folder
from skillbag.kernel.workspace.marketplace_file import (
    BadMarketplaceError,
    MarketplaceFile,
    Plugin,
    read_marketplace,
)
from skillbag.kernel.workspace.source_kind import SourceKind
from skillbag.kernel.workspace.target import MARKETPLACE
from skillbag.supply.sources.address import parse_source
from skillbag.supply.sources.fetched import Fetched, FetchError, FetchSpec
from skillbag.supply.sources.source import Source

_MAX_REPOSITORIES = 100
"""Other repositories that one list may name. Their own lists are not read, so there are no cycles."""

_FOLDER = "marketplaces"
"""The folder of the cache for lists that are sources by themselves."""


class SourcePart(NamedTuple):
    """A repository with skills; all are indexed if `plugins` is None, else those of the plugins."""

    spec: FetchSpec
    plugins: tuple[Plugin, ...] | None = None


class Parts(NamedTuple):
    """The repositories of a source, and a sentence on each skipped plugin."""

    parts: tuple[SourcePart, ...]
    remarks: tuple[str, ...] = ()


def fetch_spec(address: str, version: str | None) -> FetchSpec:
    """The fetch of a repository, a SkillBag source or one of plain Agent Skills.

    Raises:
        BadSourceError: the address is unsupported.
    """
    return FetchSpec(replace(parse_source(address, os.sep), plain=True), version, None)


def is_list(source: MarketSource) -> bool:
    """Whether the source is a `marketplace.json` by itself."""
    return source.address.lower().endswith(".json")


def parts_of_repository(spec: FetchSpec, fetched: Fetched) -> Parts:
    """The repositories of a source that was fetched: by its list of plugins, if it has one."""
    path = os.path.join(fetched.root, MARKETPLACE)
    if fetched.plain is None or not os.path.lexists(path):
        return Parts((SourcePart(spec),))
    try:
        return _parts(read_marketplace(path, fetched.root), spec, spec.source)
    except BadMarketplaceError as error:
        return Parts((SourcePart(spec),), (f"{error}; all skills of the repository are taken instead",))


def parts_of_list(source: MarketSource, *, offline: bool) -> Parts:
    """The repositories of a source that is a `marketplace.json` by itself.

    Raises:
        FetchError: it can't be fetched.
        UserError: it can't be read.
        OSError: the cache can't be written.
    """
    at = parse_source(source.address, os.sep)
    if at.remote:
        path = _downloaded(at, offline)
        return _parts(read_marketplace(path, os.path.dirname(path)), None, at)
    folder = os.path.dirname(at.address)
    if not os.path.isfile(at.address):
        raise FetchError(at.declared, "there is no such file")
    root = os.path.dirname(folder) if os.path.basename(folder) == os.path.dirname(MARKETPLACE) else folder
    return _parts(read_marketplace(at.address, root), fetch_spec(root, source.version), at)


def _downloaded(at: Source, offline: bool) -> str:
    from skillbag.supply.sources.cache import key_of
    from skillbag.supply.sources.http_client import download

    path = os.path.join(cache_folder(), _FOLDER, f"{key_of(at.identity)}.json")
    if not offline:
        if not at.address.startswith(("https://", "http://")):
            raise FetchError(at.declared, "a list of plugins by itself is fetched over https:// or http:// alone")
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        download(replace(at, kind=SourceKind.HTTP_ZIP), path)
    elif not os.path.isfile(path):
        raise FetchError(at.declared, "it is not in the cache; run once without --offline")
    return path


def _parts(found: MarketplaceFile, own: FetchSpec | None, at: Source) -> Parts:
    """The repositories that a list names; `own` is the one that holds it, `at` its address."""
    plugins: dict[FetchSpec, list[Plugin]] = {}
    remarks = [*found.remarks, *found.elsewhere]
    for plugin in found.plugins:
        try:
            spec = _spec(plugin, own, at)
            if spec not in plugins and len(plugins.keys() - {own}) >= _MAX_REPOSITORIES:
                raise UserError(f"the list leads to more than {_MAX_REPOSITORIES} other repositories")
            plugins.setdefault(spec, []).append(plugin)
        except UserError as error:
            remarks.append(f"plugin {plugin.name}: {error}")
    return Parts(tuple(SourcePart(spec, tuple(some)) for spec, some in plugins.items()), tuple(remarks))


def _spec(plugin: Plugin, own: FetchSpec | None, at: Source) -> FetchSpec:
    if plugin.address is None:
        if own is None:
            raise UserError("its source is a path, which needs the repository around the list: add that instead")
        return own
    spec = fetch_spec(plugin.address, plugin.version)
    if spec.source.credentials or spec.source.query:
        raise UserError(f"{spec.source.declared}: an address with credentials is not used")
    is_absolute = plugin.address.startswith("file://") or os.path.isabs(plugin.address)
    if not spec.source.remote and (at.remote or not is_absolute):
        # A list from elsewhere must not read files of this machine.
        raise UserError("its source is no address of a repository elsewhere")
    return spec


def skills_within(fetched: Fetched, folders: Mapping[str, str], part: SourcePart) -> tuple[dict[str, str], list[str]]:
    """Of the skills (name to folder) those of the part's plugins, and a sentence on each place without a skill."""
    if part.plugins is None or fetched.plain is None:
        return dict(folders), []
    around = {name: set(_around(fetched, folder)) for name, folder in folders.items()}
    places = {place for plugin in part.plugins for place in plugin.places}
    used = set[str]().union(*around.values())
    empty = [
        f"plugin {plugin.name}: {place}: it holds no installable skill"
        for plugin in part.plugins
        for place in plugin.places
        if place not in used and place != plugin.usual
    ]
    return {name: folder for name, folder in folders.items() if not places.isdisjoint(around[name])}, empty


def _around(fetched: Fetched, folder: str) -> Iterator[str]:
    """The paths of a skill's folder and of those around it within the repository, as in `Plugin.places`."""
    path = os.path.relpath(folder, fetched.root).replace(os.sep, "/")
    while path and path != ".":
        yield path
        path = os.path.dirname(path)
    yield "."
