"""A source as a folder that can be checked: fetched into a scratch folder that is deleted, or the user's own folder."""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from skillbag.fleet.audit.settings import AuditSettings
from skillbag.fleet.audit.sources import AuditTask
from skillbag.kernel.base.user_dirs import cache_folder
from skillbag.kernel.fs.atomic import move_folder
from skillbag.kernel.fs.changes import write_new
from skillbag.kernel.workspace.target import USER_CONTEXT
from skillbag.supply.sources.archive_formats import without_end
from skillbag.supply.sources.fetch import Fetcher
from skillbag.supply.sources.fetched import FetchError
from skillbag.supply.sources.folder import check_size
from skillbag.supply.sources.git_command import run
from skillbag.supply.sources.git_errors import GitError
from skillbag.supply.sources.source import Source

_PLAIN_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,99}", re.ASCII)
_MEANING = ("skills", "cache")
"""Folders of these names would be a skills root, or our cache."""

_NO_BLOB = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
"""The git object id of an empty file; it need not exist to be in the index."""


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
            # Not below a hidden folder, which would count as an agent's.
            root = os.path.join(scratch, _name(source))
            move_folder(fetched.root, root)
            _make_repository(root)
            yield Obtained(root, fetched.resolved, max(0, _size(cache) - before))


def _folder(source: Source) -> str:
    if not os.path.isdir(source.address):
        raise FetchError(source.declared, "there is no such folder")
    # Raises for a folder that can't be read, which would otherwise look empty.
    os.scandir(source.address).close()
    check_size(source.address)
    return source.address


def _name(source: Source) -> str:
    """The folder name of a checkout: a repository may be a skill itself, whose name must be that of its folder."""
    name = without_end(os.path.basename(source.identity.rstrip("/")).removesuffix(".git"))
    return name if _PLAIN_NAME.fullmatch(name) and name not in _MEANING else "source"


def _size(cache: str) -> int:
    """Bytes of the packs and archives in a cache."""
    total = 0
    for kind in ("git", "archives"):
        for folder, _, names in os.walk(os.path.join(cache, kind)):
            if kind == "archives" or os.path.basename(folder) == "pack":
                total += sum(os.lstat(os.path.join(folder, name)).st_size for name in names)
    return total


def _make_repository(root: str) -> None:
    """Make the unpacked tree a git repository, as a checkout is: searches upward end here.

    A user context in it was committed, so it is put into the index.
    """
    folder = os.path.join(root, ".git")
    for name in ("objects", "refs"):
        os.makedirs(os.path.join(folder, name))
    write_new(os.path.join(folder, "HEAD"), b"ref: refs/heads/none\n")
    paths = [os.path.join(at, USER_CONTEXT) for at, _, names in os.walk(root) if USER_CONTEXT in names]
    if paths:
        names = (os.path.relpath(path, root).replace(os.sep, "/") for path in paths)
        lines = "".join(f"100644 {_NO_BLOB}\t{name}\0" for name in names)
        with contextlib.suppress(GitError):
            run(folder, ["update-index", "-z", "--index-info"], stdin=lines.encode("utf-8", "surrogateescape"))
