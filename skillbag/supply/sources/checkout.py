"""A fetched source as a folder to check: in a scratch folder, as a repository of its own."""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
from collections.abc import Iterator
from dataclasses import replace

from skillbag.kernel.fs.atomic import move_folder
from skillbag.kernel.fs.changes import write_new
from skillbag.kernel.workspace.target import USER_CONTEXT
from skillbag.supply.sources.archive_formats import without_end
from skillbag.supply.sources.fetch import Fetcher
from skillbag.supply.sources.fetched import Fetched
from skillbag.supply.sources.git_command import run
from skillbag.supply.sources.git_errors import GitError
from skillbag.supply.sources.source import Source

_PLAIN_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,99}", re.ASCII)
_MEANING = ("skills", "cache")
"""Folders of these names would be a skills root, or our cache."""

_NO_BLOB = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
"""The git object id of an empty file; it need not exist to be in the index."""


@contextlib.contextmanager
def checked_out(source: Source, version: str | None, fetcher: Fetcher, folder: str = "") -> Iterator[str]:
    """All of a source as a folder, which is deleted after the block; with `folder`, only that part of it.

    A folder of the user stays where it is. `fetcher` has trees of its own.

    Raises:
        FetchError: it can't be fetched.
        InvalidSourceError: its contents are hostile or broken.
        OSError: the scratch folder or the cache can't be written.
    """
    fetched = fetcher.fetch(replace(source, plain=True, entire=True), version)
    if source.kind.is_in_place:
        yield os.path.join(fetched.root, folder)
        return
    with tempfile.TemporaryDirectory(prefix="skillbag-check-", ignore_cleanup_errors=True) as scratch:
        yield os.path.join(move_out(fetched, scratch), folder).rstrip(os.sep)


def move_out(fetched: Fetched, scratch: str) -> str:
    """Move a fetched tree into the `scratch` folder, under the name of its source; its absolute root."""
    # Not below a hidden folder, which would count as an agent's.
    root = os.path.join(scratch, _name(fetched.source))
    move_folder(fetched.root, root)
    _make_repository(root)
    return root


def _name(source: Source) -> str:
    """The folder name of a checkout: a repository may be a skill itself, whose name must be that of its folder."""
    name = without_end(os.path.basename(source.identity.rstrip("/")).removesuffix(".git"))
    return name if _PLAIN_NAME.fullmatch(name) and name not in _MEANING else "source"


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
