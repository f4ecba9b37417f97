"""What is asked of a git source."""

from __future__ import annotations

import contextlib
import os
import re
from typing import NamedTuple

from skillbag.sources.address import Source
from skillbag.sources.cache import Cache, key_of
from skillbag.sources.fetched import FetchError, Progress
from skillbag.sources.git_refs import remembered_ref
from skillbag.workspace.lock_file import COMMIT

_FULL = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_NO_NAME = re.compile(r"^[-/]|[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|[/.]$|(?:^|/)\.|\.lock(?:/|$)|^@$")


class Task(NamedTuple):
    """What is asked for; `wanted` is a version, or the commit to take instead."""

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
        """Where the repository keeps what the version last meant."""
        return f"refs/skillbag/{key_of(self.name)}"

    @property
    def is_exact(self) -> bool:
        return _FULL.fullmatch(self.name) is not None

    @property
    def digits(self) -> int:
        """The length of the repository's object names, as far as the version shows it."""
        return len(self.name) if self.is_exact else 40

    @property
    def ref(self) -> str | None:
        """What the version was when it was last fetched, as in the lock."""
        if self.is_exact:
            return COMMIT
        return remembered_ref(self.repository, self.name)

    def failed(self, reason: object) -> FetchError:
        return FetchError(self.source.declared, str(reason))


def check_name(task: Task) -> None:
    if _NO_NAME.search(task.name) or not task.name.isprintable():
        raise task.failed(f"version {task.name!r} is no name of a tag, branch or commit")


def hold_repository(task: Task) -> contextlib.AbstractContextManager[None]:
    def waiting() -> None:
        task.progress(f"waiting for another process that fetches {task.source.declared}")

    return task.cache.held(os.path.basename(task.repository), waiting)
