"""Fetching sources: each once, several at a time, from the cache where possible, into folders."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from skillbag.kernel.workspace.source_kind import SourceKind
from skillbag.supply.sources.cache import Cache, open_cache
from skillbag.supply.sources.fetched import (
    ChangedSourceError,
    Fetched,
    FetchError,
    InvalidSourceError,
    Progress,
    Unpacked,
    pinned_hash,
    silent,
)
from skillbag.supply.sources.skill_layout import checked_skills, is_of_standard
from skillbag.supply.sources.source import Source, module_of
from skillbag.supply.sources.task import FetchTask


class Fetcher:
    """Fetches the sources of one run: each version of a source once, from any thread.

    `offline` reads only the cache and local files; `cache` is the cache's folder, if not the user's. With `own`, trees
    are unpacked for this run only, so that skills can be moved instead of copied; `close` deletes these trees.
    `on_wait` is called before git or a server is waited for; `accept_moved` takes archives that the lock does not have.
    """

    def __init__(
        self,
        *,
        offline: bool = False,
        progress: Progress = silent,
        cache: str | None = None,
        own: bool = False,
        on_wait: Callable[[], None] | None = None,
        accept_moved: bool = False,
    ) -> None:
        self.offline = offline
        self.remarks: dict[str, None] = {}
        """What a registry left out, and which of its answers may be out of date, in order."""
        self._progress = progress
        self._on_wait = on_wait
        self._accept_moved = accept_moved
        self._folder = cache
        self._own = own
        self._cache: Cache | None = None
        self._got: dict[tuple[SourceKind, str, bool, str | None], Unpacked] = {}
        self._failed: dict[tuple[str, bool, str | None], FetchError | InvalidSourceError] = {}
        self._tags: dict[str, tuple[str, ...]] = {}
        self._guard = threading.Lock()
        self._locks: dict[str, threading.Lock] = {}

    def fetch(self, source: Source, version: str | None = None, commit: str | None = None) -> Fetched:
        """The source at `version`, or at the exact `commit` (of an archive: `sha256:…`) instead.

        A folder and a zip have no versions: there `version` is only passed on, except that `sha256:…` pins the content
        of a zip. A SkillBag source, and what has `.skills/` as one, has to keep the rules of sources, also if it was
        requested as `plain`.

        Raises:
            BadSourceError: the version looks like a hash, and is none for this source.
            FetchError: it can't be fetched.
            ChangedSourceError: an archive is not the requested one; a ChangedVersionError, if it is not the locked one.
            InvalidSourceError: its content is hostile or broken.
            OSError: the cache can't be written.
        """
        pin = pinned_hash(source, version)
        if pin and commit and pin != commit:
            fault = (
                f"its version asks for the archive {pin}, and skillbag.lock says that {commit} is installed: the lock "
                "was edited, tampered with, or written by a program that does not verify the hashes of archives"
            )
            fix = "Find out which archive is the right one; --overwrite NAME installs the requested one."
            raise ChangedSourceError([fault], source.declared, fix)
        wanted = commit or (pin if source.kind.is_in_place or source.kind.is_archive else version)
        with self._working_on(source):
            key = (source.kind, source.identity, source.plain, wanted)
            task = self._task(source, wanted, locked=commit is not None, pinned=pin is not None)
            got = self._got.get(key) or self._fetch_new(task)
        # Skills of a plain repository may be nested: none is moved out of it.
        own = self._cache is not None and got.plain is None and got.root in (self._cache.own or ())
        ref = got.ref
        if wanted != version and source.kind.has_revisions:
            # The commit was requested by its name.
            ref = module_of(source.kind).known_ref(self._task(source, version))
        return Fetched(source, version, got.resolved, got.root, own, got.plain, ref)

    def close(self) -> None:
        """Delete the trees that were unpacked for this run only."""
        if self._cache is not None:
            self._cache.close()

    def latest(self, source: Source, version: str | None) -> str | None:
        """The current commit of `version`, the hash of the archive (`sha256:…`), or None for a folder."""
        if not source.kind.has_revisions:
            return self.fetch(source, version).resolved
        with self._working_on(source):
            found: str | None = module_of(source.kind).latest(self._task(source, version))
            return found

    def default_branch(self, source: Source) -> str:
        """The name of the default branch of a source with revisions."""
        with self._working_on(source):
            found: str = module_of(source.kind).default_branch(self._task(source, None))
            return found

    def split_reference(self, source: Source, rest: str) -> tuple[str, str]:
        """The tag, branch or commit of a source with revisions with which `rest` begins, and the path that follows."""
        with self._working_on(source):
            found: tuple[str, str] = module_of(source.kind).split_reference(self._task(source, None), rest)
            return found

    def tags(self, source: Source) -> tuple[str, ...]:
        """The tags of a source with revisions."""
        with self._working_on(source):
            if source.identity not in self._tags:
                self._tags[source.identity] = module_of(source.kind).tags(self._task(source, None))
            return self._tags[source.identity]

    def commit_with(
        self, source: Source, version: str | None, folder: str, place: str | None
    ) -> tuple[str, str] | None:
        """The commit of a git source that has a skill most like the absolute `folder`, and its place there."""
        if self.offline or not source.kind.has_revisions:
            return None
        from skillbag.supply.sources.git_history import commit_with

        with self._working_on(source):
            return commit_with(self._task(source, version), folder, place)

    @contextmanager
    def _working_on(self, source: Source) -> Iterator[None]:
        """Hold the lock of a source; too long a wait for another process is a failed fetch.

        An error of the system names a local source as it was declared.
        """
        with self._guard:
            lock = self._locks.setdefault(source.identity, threading.Lock())
        with lock:
            try:
                yield
            except TimeoutError as error:
                reason = "another process has been fetching it for a long time; wait for it, or end it"
                raise FetchError(source.declared, reason) from error
            except OSError as error:
                path = os.fspath(error.filename or "")
                if not source.remote and path.startswith(source.address):
                    error.filename = source.declared + path.removeprefix(source.address)
                raise

    def _opened_cache(self) -> Cache:
        with self._guard:
            self._cache = self._cache or open_cache(self._folder, own=self._own)
            return self._cache

    def _fetch_new(self, task: FetchTask) -> Unpacked:
        source, wanted = task.source, task.wanted
        # Another spelling of the source, such as with other credentials, may not fail.
        spelling = (source.address, source.plain, wanted)
        if spelling in self._failed:
            raise self._failed[spelling]
        try:
            is_plain = source.plain and not source.kind.has_releases
            got = (self._plain if is_plain else self._dispatch)(task)
        except FetchError as error:
            self._failed[spelling] = error
            raise
        except InvalidSourceError as error:
            self._failed[spelling] = error.of(source.declared)
            raise self._failed[spelling] from error
        self._got[source.kind, source.identity, source.plain, wanted] = got
        # Skills of the same source are requested by the commit of the first one.
        self._got[source.kind, source.identity, source.plain, got.resolved] = got
        return got

    def _plain(self, task: FetchTask) -> Unpacked:
        """Fetch a source that may be a plain repository or a SkillBag source."""
        source, got = task.source, self._dispatch(task)
        if source.whole or source.entire:
            return got
        if is_of_standard(got.root):
            # It is the same commit by its name, so keep the kind of the version.
            again = self._task(replace(source, plain=False), got.resolved, locked=True, pinned=True)
            return self._dispatch(again)._replace(ref=got.ref)
        return got._replace(plain=checked_skills(got.root, is_folder=source.kind.is_in_place))

    def _dispatch(self, task: FetchTask) -> Unpacked:
        """Fetch a source of any kind."""
        kind = task.source.kind
        if self._on_wait is not None and not kind.is_in_place:
            self._on_wait()
        got: Unpacked = module_of(kind).fetch(task)
        return got

    def _task(self, source: Source, version: str | None, *, locked: bool = False, pinned: bool = False) -> FetchTask:
        accept = self._accept_moved and not pinned
        return FetchTask(
            source, version, self._opened_cache, self.offline, self._progress, self._remark, locked, pinned, accept
        )

    def _remark(self, text: str) -> None:
        """Keep a remark on a registry, once, from any thread."""
        with self._guard:
            self.remarks.setdefault(text)
