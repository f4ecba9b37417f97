"""Fetching sources: each once, several at a time, from the cache where possible, into folders."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, assert_never

from skillbag.kernel.workspace.kinds import kind_at
from skillbag.kernel.workspace.source_kind import SourceKind
from skillbag.kernel.workspace.target import TargetKind
from skillbag.supply.sources.cache import Cache, open_cache
from skillbag.supply.sources.fetched import (
    ChangedSourceError,
    Fetched,
    FetchError,
    InvalidSourceError,
    Progress,
    Unpacked,
    Wish,
    pinned_hash,
    silent,
)
from skillbag.supply.sources.skill_layout import checked_skills
from skillbag.supply.sources.source import Source

if TYPE_CHECKING:
    from skillbag.supply.sources.task import FetchTask, GitTask


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
        of a zip. A SkillBag source has to keep the rules of sources, also if it was requested as `plain`.

        Raises:
            BadSourceError: the version looks like a hash, and is none for this source.
            FetchError: it can't be fetched.
            ChangedSourceError: an archive is not the requested one; a ChangedVersionError, if it is not the locked one.
            InvalidSourceError: its content is hostile or broken.
            OSError: the cache can't be written.
        """
        pin = pinned_hash(source, version)
        if pin and commit and pin != commit:
            raise ChangedSourceError(
                f"its version asks for the archive {pin}, and skillbag.lock says that {commit} is installed: the lock "
                "was edited, tampered with, or written by a program that does not verify the hashes of archives",
                "Find out which archive is the right one; --overwrite NAME installs the requested one.",
                source.declared,
            )
        wanted = commit or (pin if source.kind.is_in_place or source.kind.is_archive else version)
        with self._working_on(source):
            key = (source.kind, source.identity, source.plain, wanted)
            got = self._got.get(key) or self._fetch_new(source, Wish(wanted, commit is not None, pin is not None))
        # Skills of a plain repository may be nested: none is moved out of it.
        own = self._cache is not None and got.plain is None and got.root in (self._cache.own or ())
        ref = got.ref
        if wanted != version and source.kind.has_revisions:
            # The commit was requested by its name.
            from skillbag.supply.sources import git

            ref = git.known_ref(self._git_task(source, version))
        return Fetched(source, version, got.resolved, got.root, own, got.plain, ref)

    def close(self) -> None:
        """Delete the trees that were unpacked for this run only."""
        if self._cache is not None:
            self._cache.close()

    def latest(self, source: Source, version: str | None) -> str | None:
        """The current commit of `version`, the hash of the archive (`sha256:…`), or None for a folder."""
        if not source.kind.has_revisions:
            return self.fetch(source, version).resolved
        from skillbag.supply.sources import git

        with self._working_on(source):
            return git.latest(self._git_task(source, version))

    def default_branch(self, source: Source) -> str:
        """The name of a git source's default branch."""
        from skillbag.supply.sources import git_remote

        with self._working_on(source):
            return git_remote.default_branch(self._git_task(source, None))

    def split_reference(self, source: Source, rest: str) -> tuple[str, str]:
        """The tag, branch or commit of a git source with which `rest` begins, and the path that follows it."""
        from skillbag.supply.sources import git_remote

        with self._working_on(source):
            return git_remote.split_reference(self._git_task(source, None), rest)

    def tags(self, source: Source) -> tuple[str, ...]:
        """The tags of a git source."""
        from skillbag.supply.sources import git_remote

        with self._working_on(source):
            if source.identity not in self._tags:
                self._tags[source.identity] = git_remote.tags(self._git_task(source, None))
            return self._tags[source.identity]

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

    def _git_task(self, source: Source, version: str | None) -> GitTask:
        from skillbag.supply.sources.task import GitTask

        return GitTask(source, version, self._opened_cache(), self.offline, self._progress)

    def _fetch_new(self, source: Source, wish: Wish) -> Unpacked:
        # Another spelling of the source, such as with other credentials, may not fail.
        spelling = (source.address, source.plain, wish.version)
        if spelling in self._failed:
            raise self._failed[spelling]
        try:
            is_plain = source.plain and not source.kind.has_releases
            got = (self._plain if is_plain else self._dispatch)(source, wish)
        except FetchError as error:
            self._failed[spelling] = error
            raise
        except InvalidSourceError as error:
            self._failed[spelling] = error.of(source.declared)
            raise self._failed[spelling] from error
        self._got[source.kind, source.identity, source.plain, wish.version] = got
        # Skills of the same source are requested by the commit of the first one.
        self._got[source.kind, source.identity, source.plain, got.resolved] = got
        return got

    def _plain(self, source: Source, wish: Wish) -> Unpacked:
        """Fetch a source that may be a plain repository or a SkillBag source."""
        is_folder = source.kind.is_in_place
        got = Unpacked(None, _existing(source)) if is_folder else self._dispatch(source, wish)
        if source.whole or source.entire:
            return got
        if kind_at(got.root) is TargetKind.SOURCE:
            # It is the same commit by its name, so keep the kind of the version.
            return self._dispatch(replace(source, plain=False), Wish(got.resolved, True, True))._replace(ref=got.ref)
        return got._replace(plain=checked_skills(got.root, is_folder=is_folder))

    def _dispatch(self, source: Source, wish: Wish) -> Unpacked:
        """Fetch a source of any kind. mypy names this place for a kind that it does not know."""
        if self._on_wait is not None and not source.kind.is_in_place:
            self._on_wait()
        match source.kind:
            case SourceKind.FOLDER:
                from skillbag.supply.sources import folder

                root = _existing(source)
                folder.check(root)
                return Unpacked(None, root)
            case SourceKind.GIT:
                from skillbag.supply.sources import git

                return git.fetch(self._git_task(source, wish.version))
            case SourceKind.REGISTRY:
                from skillbag.supply.sources import registry, registry_fetch

                task = self._task(source, wish)
                client = registry.RegistryClient(source.address, task.cache, self.offline, self._remark)
                return registry_fetch.fetch(task, client)
            case SourceKind.ZIP | SourceKind.HTTP_ZIP | SourceKind.TAR | SourceKind.HTTP_TAR:
                from skillbag.supply.sources import archive_fetch

                return archive_fetch.fetch(self._task(source, wish), locked=wish.locked, pinned=wish.pinned)
            case unknown:
                assert_never(unknown)

    def _task(self, source: Source, wish: Wish) -> FetchTask:
        from skillbag.supply.sources.task import FetchTask

        accept = self._accept_moved and not wish.pinned
        return FetchTask(source, wish.version, self._opened_cache(), self.offline, self._progress, accept)

    def _remark(self, text: str) -> None:
        """Keep a remark on a registry, once, from any thread."""
        with self._guard:
            self.remarks.setdefault(text)


def _existing(source: Source) -> str:
    if not os.path.isdir(source.address):
        from skillbag.supply.sources.location import path_hint

        raise FetchError(source.declared, f"there is no such folder: {source.address}{path_hint(source.declared)}")
    return source.address
