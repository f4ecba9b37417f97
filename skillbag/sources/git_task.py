"""A request to a git source."""

from __future__ import annotations

import contextlib
import os
import re
from typing import NamedTuple

from skillbag.sources.address import Source
from skillbag.sources.cache import Cache, key_of
from skillbag.sources.fetched import FetchError, Progress
from skillbag.sources.git_repository import remembered_ref
from skillbag.workspace.lock_file import COMMIT

_FULL = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_NO_NAME = re.compile(r"^[-/]|[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|[/.]$|(?:^|/)\.|\.lock(?:/|$)|^@$")


class Task(NamedTuple):
    """A request; `wanted` is a version, or the commit to take instead."""

    source: Source
    wanted: str | None
    cache: Cache
    offline: bool
    progress: Progress

    @property
    def repository(self) -> str:
        return self.cache.repository(self.source.identity)

    @property
    def name(self) -> str:
        return self.wanted or "HEAD"

    @property
    def reference(self) -> str:
        """The reference under which the repository keeps the version's last commit."""
        return f"refs/skillbag/{key_of(self.name)}"

    @property
    def is_exact(self) -> bool:
        return _FULL.fullmatch(self.name) is not None

    @property
    def digits(self) -> int:
        """The length of the repository's object names, guessed from the version."""
        return len(self.name) if self.is_exact else 40

    @property
    def ref(self) -> str | None:
        """The kind of the version when it was last fetched, as in the lock."""
        return COMMIT if self.is_exact else remembered_ref(self.repository, self.name)

    def failed(self, reason: object) -> FetchError:
        return FetchError(self.source.declared, str(reason))

    def check_name(self) -> None:
        if _NO_NAME.search(self.name) or not self.name.isprintable():
            raise self.failed(f"version {self.name!r} is no name of a tag, branch or commit")

    def hold_repository(self) -> contextlib.AbstractContextManager[None]:
        wait_message = f"waiting for another process that fetches {self.source.declared}"
        return self.cache.held(os.path.basename(self.repository), lambda: self.progress(wait_message))
