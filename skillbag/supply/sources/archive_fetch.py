"""Archives as sources: copied or downloaded into the cache under the hash of their content, and unpacked from there."""

from __future__ import annotations

import os
import re
from functools import partial

from skillbag.kernel.fs.changes import create
from skillbag.kernel.fs.read import FLAGS
from skillbag.supply.sources import limits
from skillbag.supply.sources.archive import unpack
from skillbag.supply.sources.cache import key_of
from skillbag.supply.sources.entry import EntryKind, kind_of
from skillbag.supply.sources.fetched import HASH, ChangedSourceError, ChangedVersionError, Unpacked
from skillbag.supply.sources.source import Source
from skillbag.supply.sources.task import FetchTask

_DIGEST = re.compile(r"[0-9a-f]{64}")
_PIECE = 1 << 20


def fetch(task: FetchTask) -> Unpacked:
    """Fetch an archive, and unpack it; if the task wants one (`sha256:<hex>`), only that one.

    If it is `locked` the source has given that archive before, so that the cache may supply it. Otherwise the source
    itself must: an archive of the cache may have come from anywhere. Raises as `Fetcher.fetch`.
    """
    source, cache = task.source, task.cache
    digest = task.wanted.removeprefix(HASH) if task.wanted else None
    if digest and not _DIGEST.fullmatch(digest):
        raise task.failed(f"{task.wanted!r} is no hash of an archive")
    known = digest if task.locked or digest == cache.remembered(source.identity) else None
    if known and (root := cache.tree(_tree_key(task, known))):
        return Unpacked(f"{HASH}{known}", root)
    with task.hold(key_of(source.identity)):
        found = _add_to_cache(task, known)
        if digest and found != digest and not task.accept_moved:
            raise _changed(source, digest, found, pinned=task.pinned)
        with task.hold(found):
            key = _tree_key(task, found)
            form = source.kind.lock_kind
            fill = partial(unpack, cache.archive(found), form=form, plain=source.plain, whole=source.whole)
            return Unpacked(f"{HASH}{found}", cache.tree(key) or cache.add_tree(key, fill))


def _tree_key(task: FetchTask, digest: str) -> str:
    """One file may be a zip and a tar archive, with different contents."""
    kind = task.source.kind.lock_kind
    return task.tree_key(*([] if kind == "zip" else [kind]), digest)


def _add_to_cache(task: FetchTask, digest: str | None) -> str:
    """Get the archive into the cache, unless it is there; return its SHA-256."""
    source, cache = task.source, task.cache
    if digest and cache.has_archive(digest):
        return digest
    if not source.kind.row.is_downloaded:
        return cache.add_archive(partial(_copy, task))
    if task.offline:
        known = cache.remembered(source.identity)
        if known and cache.has_archive(known):
            return known
        raise task.failed("it is not in the cache; run once without --offline")
    digest = cache.add_archive(partial(_download, task))
    cache.remember(source.identity, digest)
    return digest


def _changed(source: Source, digest: str, found: str, *, pinned: bool) -> ChangedSourceError:
    expected = f"expected {HASH}{digest}, found {HASH}{found}. It was replaced or tampered with, or altered on its way"
    if not pinned:
        return ChangedVersionError(
            [f"the archive is not the one that was locked: {expected}"],
            source.declared,
            "Ask its publisher which hash is right. --accept moved takes the new content (install, add, update).",
        )
    return ChangedSourceError(
        [f"the archive is not the one that is asked for: {expected}"],
        source.declared,
        "Ask its publisher which hash is right. If it is the new one, give that.",
    )


def _copy(task: FetchTask, to: str) -> None:
    """Copy a local archive: the copy is hashed and unpacked, and stays available when the file changes."""
    path = task.source.address
    try:
        kind = kind_of(os.stat(path).st_mode)
        if kind is EntryKind.FILE:
            # If it has become a pipe meanwhile, don't wait for its other end.
            read = os.fdopen(os.open(path, FLAGS), "rb")
    except FileNotFoundError as error:
        from skillbag.supply.sources.location import path_hint

        raise task.failed(f"there is no such file: {path}{path_hint(task.source.declared)}") from error
    if kind is not EntryKind.FILE:
        raise task.failed(f"it is no regular file but a {kind}; save it as a file first")
    left = limits.MAX_ARCHIVE
    with read, create(to) as write:
        while piece := read.read(_PIECE):
            left -= len(piece)
            if left < 0:
                size = f"{limits.MAX_ARCHIVE >> 20} MiB, the most that is taken"
                raise task.failed(f"the archive is larger than {size}; pack the skills alone")
            write.write(piece)


def _download(task: FetchTask, to: str) -> None:
    from skillbag.supply.sources.http_client import download

    message = f"downloading {task.source.declared}"
    reported = 0

    def report(so_far: int, total: int | None) -> None:
        nonlocal reported
        if so_far >> 20 > reported:
            reported = so_far >> 20
            of = f" of {total >> 20}" if total else ""
            task.progress(f"{message}: {reported}{of} MiB")

    task.progress(message)
    download(task.source, to, report)
