"""Archives as sources: copied or downloaded into the cache under the hash of their content, and unpacked from there."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from typing import NamedTuple

from skillbag.sources import archive, limits
from skillbag.sources.address import Source, SourceKind
from skillbag.sources.cache import Cache, key_of, touch
from skillbag.sources.entry import EntryKind, kind_of
from skillbag.sources.fetched import HASH, ChangedSourceError, FetchError, Progress

_DIGEST = re.compile(r"[0-9a-f]{64}")
_PIECE = 1 << 20
_FLAGS = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class Unpacked(NamedTuple):
    """The hash of an archive (`sha256:<hex>`), and the tree in the cache (absolute) that was unpacked from it."""

    resolved: str
    root: str


def fetch(
    source: Source, wanted: str | None, cache: Cache, *, offline: bool, progress: Progress, locked: bool = True
) -> Unpacked:
    """Get an archive, unpacked; if `wanted` (`sha256:<hex>`) is given, no other than that.

    With `locked` the source has given that archive before, so that the cache will do. Else it is looked whether the
    source itself gives it: an archive of the cache may have come from anywhere.

    Raises:
        FetchError: it can't be had.
        ChangedSourceError: it is not what is wanted.
        InvalidSourceError: what it holds is hostile or broken.
        OSError: the cache can't be written.
    """
    digest = wanted.removeprefix(HASH) if wanted else None
    if digest and not _DIGEST.fullmatch(digest):
        raise FetchError(source.declared, f"{wanted!r} is no hash of an archive")
    known = digest if locked or digest == cache.remembered(source.identity) else None
    if known and (root := cache.tree(_tree_key(source, known))):
        return Unpacked(f"{HASH}{known}", root)

    def waiting() -> None:
        progress(f"waiting for another process that fetches {source.declared}")

    with cache.held(key_of(source.identity), waiting):
        found = _obtained(source, known, cache, offline, progress)
        if digest and found != digest:
            raise _changed(source, digest, found, locked)
        with cache.held(found, waiting):
            key, path = _tree_key(source, found), cache.archive(found)

            def fill(to: str) -> None:
                archive.unpack(path, to, plain=source.plain, whole=source.whole)

            return Unpacked(f"{HASH}{found}", cache.tree(key) or cache.add_tree(key, fill))


def _tree_key(source: Source, digest: str) -> str:
    return key_of(digest, "plain", *(["whole"] if source.whole else [])) if source.plain else digest


def _obtained(source: Source, digest: str | None, cache: Cache, offline: bool, progress: Progress) -> str:
    """Get the archive into the cache, if it has to be; its SHA-256."""
    if digest and _is_whole(cache, digest):
        return digest
    if source.kind is SourceKind.ZIP:
        return _copied(source, cache)
    if offline:
        known = cache.remembered(source.identity)
        if known and _is_whole(cache, known):
            return known
        raise FetchError(source.declared, "it is not in the cache; run once without --offline")
    return _downloaded(source, cache, progress)


def _changed(source: Source, digest: str, found: str, locked: bool) -> ChangedSourceError:
    which = "that was locked" if locked else "that is asked for"
    return ChangedSourceError(
        f"the archive is not the one {which}: expected {HASH}{digest}, found {HASH}{found}. It was replaced or "
        "tampered with, or the download was altered on its way",
        "Ask its publisher which hash is right. "
        + ("If the change is wanted, `skillbag update` accepts it." if locked else "If it is the new one, give that."),
        source.declared,
    )


def _is_whole(cache: Cache, digest: str) -> bool:
    path = cache.archive(digest)
    try:
        touch(path)
        return _digest(path) == digest
    except OSError:
        return False


def _copied(source: Source, cache: Cache) -> str:
    """Copy a local archive, so that what is hashed is what is unpacked, and is there when the file has changed."""
    with _new(cache) as new:
        try:
            kind = kind_of(os.stat(source.address).st_mode)
            if kind is not EntryKind.FILE:
                raise FetchError(source.declared, f"it is no regular file but a {kind}; save it as a file first")
            # If it has become a pipe meanwhile, don't wait for its other end.
            read = os.fdopen(os.open(source.address, _FLAGS), "rb")
        except FetchError:
            raise
        except OSError as error:
            raise FetchError(source.declared, f"it can't be read: {error.strerror}: {source.address}") from error
        left = limits.MAX_ARCHIVE
        with read, open(new, "wb") as write:
            while piece := read.read(_PIECE):
                left -= len(piece)
                if left < 0:
                    raise FetchError(source.declared, _too_large())
                write.write(piece)
        return _kept(new, cache)


def _too_large() -> str:
    size = f"{limits.MAX_ARCHIVE >> 20} MiB, the most that is taken"
    return f"the archive is larger than {size}; pack the skills alone"


def _downloaded(source: Source, cache: Cache, progress: Progress) -> str:
    from skillbag.sources.http_client import download

    progress(f"downloading {source.declared}")
    with _new(cache) as new:
        download(source, new, _by_megabytes(source, progress))
        digest = _kept(new, cache)
    cache.remember(source.identity, digest)
    return digest


def _by_megabytes(source: Source, progress: Progress) -> Callable[[int, int | None], None]:
    """Tell how far the download is, once for each megabyte."""
    reported = 0

    def tell(so_far: int, total: int | None) -> None:
        nonlocal reported
        if so_far >> 20 > reported:
            reported = so_far >> 20
            of = f" of {total >> 20}" if total else ""
            progress(f"downloading {source.declared}: {reported}{of} MiB")

    return tell


@contextmanager
def _new(cache: Cache) -> Iterator[str]:
    new = cache.new_archive()
    try:
        yield new
    finally:
        if os.path.lexists(new):
            os.unlink(new)


def _kept(new: str, cache: Cache) -> str:
    digest = _digest(new)
    cache.add_archive(new, digest)
    return digest


def _digest(path: str) -> str:
    found = sha256()
    with open(path, "rb") as file:
        while piece := file.read(_PIECE):
            found.update(piece)
    return found.hexdigest()
