"""A skill of a registry as a source: the version is chosen, its archive judged and unpacked in the cache."""

from __future__ import annotations

import os
import re
from functools import partial

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.standard.names import is_name
from skillbag.kernel.workspace.target import SKILL_FILE
from skillbag.supply.sources.address import refuse
from skillbag.supply.sources.cache import key_of
from skillbag.supply.sources.configured_hosts import (
    HOW_TO_CONFIGURE,
    configured_registry,
    is_registry_name,
    parse_registry,
)
from skillbag.supply.sources.fetched import HASH, REWRITTEN, ChangedVersionError, FetchError, PlainSkills, Unpacked
from skillbag.supply.sources.registry import RegistryClient, UnknownError
from skillbag.supply.sources.registry_versions import NoVersionError, Resolved, choose, parse_resolved
from skillbag.supply.sources.source import BadSourceError, Source, registry_source
from skillbag.supply.sources.task import FetchTask

_ADDRESS = re.compile(r"registry(?:\+(https?://.*)/([^/]*)|:(?!//)(.*))", re.IGNORECASE)
"""`registry+https://HOST/PATH/NAME`, or `registry:NAME` of the configured one."""


def source_at(text: str) -> Source | None:
    """The skill at an address; None if it is no address of a registry.

    Raises:
        BadSourceError: the name or the address of the registry can't be used, or none is configured.
    """
    parts = _ADDRESS.fullmatch(text)
    if parts is None:
        return None
    name = parts[2] if parts[1] else parts[3]
    if not is_registry_name(name):
        refuse(text, "it must end with a skill's name; write registry:NAME, and a range of versions apart from it")
    try:
        address = parse_registry(parts[1], "source") if parts[1] else configured_registry()
    except UserError as error:
        raise BadSourceError(str(error)) from error
    if address is None:
        refuse(text, f"no registry is configured; {HOW_TO_CONFIGURE}, or write registry+https://HOST/{name}")
    return registry_source(address, name)


def fetch(task: FetchTask) -> Unpacked:
    """Fetch and unpack a skill at the version or range that the task wants, or at what the lock has (`Resolved`).

    A published version never changes, so that an archive is downloaded once. Raises as `Fetcher.fetch`.
    """
    # Each command reads addresses here, and few fetch: this takes ten milliseconds.
    from skillbag.supply.sources.skill_archive import unpack_skill

    registry = RegistryClient(task.source.address, task.cache, task.offline, task.remark)
    known = parse_resolved(task.wanted or "")
    version = known.version if known else _chosen(task, registry)
    with task.hold(key_of(task.source.identity, version)):
        digest = _archive(task, registry, version, known)
        key = task.tree_key("registry", task.source.skill, version, digest)
        fill = partial(unpack_skill, task.cache.archive(digest), name=task.source.skill, version=version)
        root = task.cache.tree(key) or task.cache.add_tree(key, fill)
    return Unpacked(str(Resolved(version, digest)), root, plain=_skills(task.source.skill, root))


def _chosen(task: FetchTask, registry: RegistryClient) -> str:
    try:
        return choose(registry.versions(task.source.skill), task.wanted)
    except NoVersionError as error:
        raise task.failed(error) from None
    except UnknownError as error:
        raise task.failed(error.reason + registry.meant(task.source.skill)) from None
    except FetchError as error:
        raise task.failed(error.reason) from None


def _archive(task: FetchTask, registry: RegistryClient, version: str, known: Resolved | None) -> str:
    """Get the archive into the cache, unless it is there; return its SHA-256."""
    source, cache = task.source, task.cache
    identity = f"{source.identity}@{version}"
    digest = known.digest if known else cache.remembered(identity)
    if digest and cache.has_archive(digest):
        return digest
    if task.offline:
        raise task.failed(f"version {version} is not in the cache; run once without --offline")
    task.progress(f"downloading {source.declared} {version}")
    try:
        found = cache.add_archive(partial(registry.download, source.skill, version))
    except FetchError as error:
        raise task.failed(error.reason) from None
    if digest and found != digest and not task.accept_moved:
        raise replaced(source, version, digest, found)
    cache.remember(identity, found)
    return found


def replaced(source: Source, version: str, digest: str, found: str) -> ChangedVersionError:
    """The error for a version whose archive was `digest` (SHA-256, hexadecimal), and is `found` now."""
    fault = (
        f"the archive of version {version} is not the one that was published: expected {HASH}{digest}, found "
        f"{HASH}{found}. {REWRITTEN}"
    )
    fix = (
        "Ask who runs the registry: a published version must never change. --accept moved takes the new content "
        "(install, add, update, personal add)."
    )
    return ChangedVersionError([fault], source.declared, fix)


def _skills(name: str, root: str) -> PlainSkills:
    """The skill in its folder; none if it has no `SKILL.md`, or a name that no workspace allows."""
    folders = {name: root} if is_name(name) and os.path.isfile(os.path.join(root, SKILL_FILE)) else {}
    return PlainSkills(folders, {}, ())
