"""From a source of the marketplace to the repositories that its skills lie in: its own, and those it leads on to."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from skillbag.base.errors import UserError
from skillbag.base.user_dirs import cache_folder
from skillbag.settings.user_settings import MarketSource
from skillbag.sources.address import Source, parse_source
from skillbag.sources.fetched import Fetched, FetchError, FetchSpec
from skillbag.workspace.marketplace_file import (
    BadMarketplaceError,
    MarketplaceFile,
    Plugin,
    read_marketplace,
)
from skillbag.workspace.target import MARKETPLACE

_MOST_FOLLOWED = 100
"""Other repositories that one list may lead to. Their own lists are not read: nothing goes in a circle."""

_FOLDER = "marketplaces"
"""Where lists that were fetched by themselves are kept, within the cache."""


class Part(NamedTuple):
    """A repository that skills are taken from; all of them where `plugins` is None, else those of the plugins."""

    wish: FetchSpec
    plugins: tuple[Plugin, ...] | None = None


class Parts(NamedTuple):
    """The repositories of a source, and a sentence on each thing that is passed over."""

    parts: tuple[Part, ...]
    remarks: tuple[str, ...] = ()


def wish_for(address: str, version: str | None) -> FetchSpec:
    """What is fetched of a repository, be it a SkillBag source or one of plain Agent Skills.

    Raises:
        BadSourceError: nothing can be fetched from such an address.
    """
    return FetchSpec(replace(parse_source(address, os.sep), plain=True), version, None)


def is_list(source: MarketSource) -> bool:
    """Whether the source is a `marketplace.json` by itself."""
    return source.address.lower().endswith(".json")


def parts_of_repository(wish: FetchSpec, fetched: Fetched) -> Parts:
    """Where the skills of a source lie that was fetched as a whole: by its list of plugins, if it has one."""
    if fetched.plain is None:
        return Parts((Part(wish),))
    path = os.path.join(fetched.root, MARKETPLACE)
    if not os.path.lexists(path):
        return Parts((Part(wish),))
    try:
        return _parts(read_marketplace(path, fetched.root), wish, wish.source)
    except BadMarketplaceError as error:
        return Parts((Part(wish),), (f"{error}; all skills of the repository are taken instead",))


def parts_of_list(source: MarketSource, *, offline: bool) -> Parts:
    """Where the skills of a source lie that is a `marketplace.json` by itself.

    Raises:
        FetchError: it can't be had.
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
    return _parts(read_marketplace(at.address, root), wish_for(root, source.version), at)


def _downloaded(at: Source, offline: bool) -> str:
    from skillbag.sources.address import SourceKind
    from skillbag.sources.cache import key_of
    from skillbag.sources.http_client import download

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
    """The repositories that a list leads to; `own` is the one that it lies in, `at` where it was read."""
    plugins: dict[FetchSpec, list[Plugin]] = {}
    remarks = list(found.remarks)
    for plugin in found.plugins:
        try:
            wish = _wish(plugin, own, at)
            if wish not in plugins and len(plugins.keys() - {own}) >= _MOST_FOLLOWED:
                raise UserError(f"the list leads to more than {_MOST_FOLLOWED} other repositories")
            plugins.setdefault(wish, []).append(plugin)
        except UserError as error:
            remarks.append(f"plugin {plugin.name}: {error}")
    return Parts(tuple(Part(wish, tuple(those)) for wish, those in plugins.items()), tuple(remarks))


def _wish(plugin: Plugin, own: FetchSpec | None, at: Source) -> FetchSpec:
    if plugin.address is None:
        if own is None:
            raise UserError("its source is a path, which needs the repository around the list: add that instead")
        return own
    wish = wish_for(plugin.address, plugin.version)
    if wish.source.credentials or wish.source.query:
        raise UserError(f"{wish.source.declared}: an address with credentials is not used")
    if not wish.source.remote and (at.remote or not _is_absolute(plugin.address)):
        # What comes from elsewhere has no business on this machine.
        raise UserError("its source is no address of a repository elsewhere")
    return wish


def _is_absolute(address: str) -> bool:
    return address.startswith("file://") or os.path.isabs(address)


def skills_within(fetched: Fetched, folders: Iterable[tuple[str, str]], part: Part) -> Iterator[tuple[str, str]]:
    """Of names and folders of skills those that the part's plugins have."""
    if part.plugins is None or fetched.plain is None:
        yield from folders
        return
    places = {place for plugin in part.plugins for place in plugin.places}
    for name, folder in folders:
        if not places.isdisjoint(_around(fetched, folder)):
            yield name, folder


def empty_places(fetched: Fetched, folders: Iterable[str], part: Part) -> Iterator[str]:
    """A sentence on each place that a plugin names and where no skill lies that can be installed."""
    if part.plugins is None or fetched.plain is None:
        return
    used = {place for folder in folders for place in _around(fetched, folder)}
    for plugin in part.plugins:
        for place in plugin.places:
            if place not in used and place != plugin.usual:
                yield f"plugin {plugin.name}: {place}: no skill lies there that can be installed"


def _around(fetched: Fetched, folder: str) -> Iterator[str]:
    """The paths of a skill's folder and of those around it within the repository, as `Plugin.places` has them."""
    path = os.path.relpath(folder, fetched.root).replace(os.sep, "/")
    while path and path != ".":
        yield path
        path = os.path.dirname(path)
    yield "."
