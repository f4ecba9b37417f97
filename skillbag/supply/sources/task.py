"""One fetch: the source, the version, and the means."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import NamedTuple

from skillbag.supply.sources.cache import Cache, key_of
from skillbag.supply.sources.fetched import FetchError, Progress, silent
from skillbag.supply.sources.source import Source

_FULL = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_NO_NAME = re.compile(r"^[-/]|[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|[/.]$|(?:^|/)\.|\.lock(?:/|$)|^@$")


class FetchTask(NamedTuple):
    """A request; `wanted` is a version, or the exact commit or archive (`sha256:<hex>`) to take instead, which the lock
    has (`locked`) or the user's version names (`pinned`). `remark` gets what a registry left out.
    """

    source: Source
    wanted: str | None
    opened: Callable[[], Cache]
    offline: bool
    progress: Progress
    remark: Progress = silent
    locked: bool = True
    pinned: bool = False
    accept_moved: bool = False
    """Whether another content than the version had before may be taken."""

    @property
    def cache(self) -> Cache:
        """The cache, opened when it is needed first."""
        return self.opened()

    def failed(self, reason: object) -> FetchError:
        """The error for this source."""
        return FetchError(self.source.declared, str(reason))

    def tree_key(self, *names: str) -> str:
        """The name in the cache of the tree that is unpacked from what has these names."""
        return key_of(*names, *(kind for kind in ("plain", "whole", "entire") if getattr(self.source, kind)))

    def hold(self, key: str) -> AbstractContextManager[object]:
        """Hold the lock of `key` in the cache, and report a wait."""
        message = f"waiting for another process that fetches {self.source.declared}"
        return self.cache.held(key, lambda: self.progress(message))


class GitTask(FetchTask):
    """A request to a git source."""

    __slots__ = ()

    @property
    def repository(self) -> str:
        """The absolute path of the bare repository in the cache."""
        return self.cache.repository(self.source.identity)

    @property
    def name(self) -> str:
        """The version as git names it."""
        return self.wanted or "HEAD"

    @property
    def reference(self) -> str:
        """The reference under which the repository keeps the version's last commit."""
        return f"refs/skillbag/{key_of(self.name)}"

    @property
    def is_exact(self) -> bool:
        """Whether the version is a whole commit name."""
        return _FULL.fullmatch(self.name) is not None

    @property
    def digits(self) -> int:
        """The length of the repository's object names, guessed from the version."""
        return len(self.name) if self.is_exact else 40

    def check_name(self) -> None:
        """Raise `FetchError` for a version that git can't have."""
        if _NO_NAME.search(self.name) or not self.name.isprintable():
            raise self.failed(f"version {self.name!r} is no name of a tag, branch or commit")

    def hold_repository(self) -> AbstractContextManager[object]:
        """Hold the lock of the repository in the cache."""
        return self.hold(os.path.basename(self.repository))
