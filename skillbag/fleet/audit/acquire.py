"""A source as a folder that can be checked: fetched into a scratch folder that is deleted, or the user's own folder."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from skillbag.fleet.audit.settings import AuditSettings
from skillbag.fleet.audit.sources import AuditTask
from skillbag.kernel.base.user_dirs import cache_folder
from skillbag.supply.sources.checkout import move_out
from skillbag.supply.sources.fetch import Fetcher
from skillbag.supply.sources.fetched import FetchError
from skillbag.supply.sources.folder import check_size
from skillbag.supply.sources.source import Source


class Obtained(NamedTuple):
    """The absolute `root` of a source, the commit or hash that it is, and how many bytes were fetched for it."""

    root: str
    resolved: str | None
    fetched: int


@contextlib.contextmanager
def obtain(task: AuditTask, settings: AuditSettings) -> Iterator[Obtained]:
    """The source of a task as a folder, which is deleted after the block unless it is the user's own.

    Raises:
        FetchError: it can't be fetched.
        InvalidSourceError: its contents are hostile or broken.
        OSError: the scratch folder or the cache can't be written.
    """
    source = task.source
    assert source is not None  # noqa: S101 -- a task without one was recorded as failed
    if source.kind.is_in_place:
        yield Obtained(_folder(source), None, 0)
        return
    if settings.scratch:
        os.makedirs(settings.scratch, mode=0o700, exist_ok=True)
    with tempfile.TemporaryDirectory(
        prefix="skillbag-audit-", dir=settings.scratch, ignore_cleanup_errors=True
    ) as scratch:
        cache = os.path.abspath(cache_folder()) if settings.keep else os.path.join(scratch, "cache")
        before = _size(cache)
        with contextlib.closing(Fetcher(offline=settings.offline, cache=cache, own=True)) as fetcher:
            fetched = fetcher.fetch(replace(source, plain=True, whole=True), task.version)
            root = move_out(fetched, scratch)
            yield Obtained(root, fetched.resolved, max(0, _size(cache) - before))


def _folder(source: Source) -> str:
    if not os.path.isdir(source.address):
        raise FetchError(source.declared, "there is no such folder")
    # Raises for a folder that can't be read, which would otherwise look empty.
    os.scandir(source.address).close()
    check_size(source.address)
    return source.address


def _size(cache: str) -> int:
    """Bytes of the packs and archives in a cache."""
    total = 0
    for kind in ("git", "archives"):
        for folder, _, names in os.walk(os.path.join(cache, kind)):
            if kind == "archives" or os.path.basename(folder) == "pack":
                total += sum(os.lstat(os.path.join(folder, name)).st_size for name in names)
    return total
