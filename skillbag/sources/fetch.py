"""Fetching sources: each once, several at a time, kept in the cache, and there to be read as a folder."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import replace
from functools import partial
from typing import NamedTuple, TypeVar

from skillbag.base.cancellation import check_stop
from skillbag.sources.address import Source, SourceKind
from skillbag.sources.cache import Cache, open_cache
from skillbag.sources.fetched import (
    Answer,
    ChangedSourceError,
    Fetched,
    FetchError,
    FetchFailure,
    FetchSpec,
    InvalidSourceError,
    PlainSkills,
    Progress,
    pinned_hash,
    silent,
)
from skillbag.sources.skill_layout import judged_skills
from skillbag.workspace.kinds import kind_at
from skillbag.workspace.target import Kind

_AT_ONCE = 4
"""Sources that are fetched at the same time: quick, and polite to a host."""

T = TypeVar("T")


class _Got(NamedTuple):
    resolved: str | None
    root: str
    ref: str | None = None
    plain: PlainSkills | None = None


class Fetcher:
    """Fetches the sources of one run: each version of a source once, from any thread.

    `offline` reads only the cache and local files; `cache` is the cache's folder, if not the user's. With `own`, what
    is unpacked is unpacked for this run alone, so that it can be moved instead of copied; `close` deletes the rest of
    it. `on_wait` is called before git or a server is waited for.
    """

    def __init__(
        self,
        *,
        offline: bool = False,
        progress: Progress = silent,
        cache: str | None = None,
        own: bool = False,
        on_wait: Callable[[], None] | None = None,
    ) -> None:
        self.offline = offline
        self._progress = progress
        self._on_wait = on_wait
        self._folder = cache
        self._own = own
        self._cache: Cache | None = None
        self._got: dict[tuple[SourceKind, str, bool, str | None], _Got] = {}
        self._failed: dict[tuple[str, bool, str | None], FetchError | InvalidSourceError] = {}
        self._tags: dict[str, tuple[str, ...]] = {}
        self._guard = threading.Lock()
        self._locks: dict[str, threading.Lock] = {}

    def fetch(self, source: Source, version: str | None = None, commit: str | None = None) -> Fetched:
        """The source at `version`, or at the exact `commit` (of an archive: `sha256:…`) instead.

        A folder and a zip have no versions: there `version` is only passed on, except that `sha256:…` holds a zip to
        its bytes. Of a source that may be `plain` it is looked whether it is: a SkillBag source is held to the rules of
        sources however it was asked for.

        Raises:
            BadSourceError: the version looks like a hash, and is none for this source.
            FetchError: it can't be had.
            ChangedSourceError: an archive is not the one that is asked for.
            InvalidSourceError: what it holds is hostile or broken.
            OSError: the cache can't be written.
        """
        pin = pinned_hash(source, version)
        if pin and commit and pin != commit:
            raise _contradicted(source, pin, commit)
        wanted = (commit or version) if source.kind is SourceKind.GIT else (commit or pin)
        with self._working_on(source):
            key = (source.kind, source.identity, source.plain, wanted)
            got = self._got.get(key) or self._fetch_new(source, wanted, locked=commit is not None)
        # Skills of a plain repository may lie one within the other: none is moved out of it.
        own = self._cache is not None and got.plain is None and got.root in (self._cache.own or ())
        ref = got.ref if wanted == version else self._known_ref(source, version)
        return Fetched(source, version, got.resolved, got.root, own, got.plain, ref)

    def _known_ref(self, source: Source, version: str | None) -> str | None:
        """What a version is, where its commit was asked for by its name."""
        if source.kind is not SourceKind.GIT or self._cache is None:
            return None
        from skillbag.sources import git

        return git.known_ref(source, version, self._cache)

    def close(self) -> None:
        """Delete what was unpacked for this run alone."""
        if self._cache is not None:
            self._cache.close()

    def latest(self, source: Source, version: str | None) -> str | None:
        """What `version` means now: a commit, the hash of the archive (`sha256:…`), or None for a folder.

        Raises:
            FetchError: it can't be had.
        """
        if source.kind is not SourceKind.GIT:
            return self.fetch(source, version).resolved
        from skillbag.sources import git

        with self._working_on(source):
            return git.latest(source, version, self._opened(), offline=self.offline, progress=self._progress)

    def default_branch(self, source: Source) -> str:
        """The name of a git source's default branch.

        Raises:
            FetchError: it can't be had.
        """
        from skillbag.sources import git_remote

        with self._working_on(source):
            return git_remote.default_branch(source, self._opened(), offline=self.offline, progress=self._progress)

    def tags(self, source: Source) -> tuple[str, ...]:
        """The tags of a git source.

        Raises:
            FetchError: they can't be had.
        """
        from skillbag.sources import git_remote

        with self._working_on(source):
            if source.identity not in self._tags:
                cache, progress = self._opened(), self._progress
                self._tags[source.identity] = git_remote.tags(source, cache, offline=self.offline, progress=progress)
            return self._tags[source.identity]

    @contextmanager
    def _working_on(self, source: Source) -> Iterator[None]:
        """Hold the lock of a source; a process that holds its part of the cache for too long is a failed fetch."""
        with self._guard:
            lock = self._locks.setdefault(source.identity, threading.Lock())
        with lock:
            try:
                yield
            except TimeoutError as error:
                reason = "another process has been fetching it for long; let it end, or end it"
                raise FetchError(source.declared, reason) from error

    def _opened(self) -> Cache:
        with self._guard:
            self._cache = self._cache or open_cache(self._folder, own=self._own)
            return self._cache

    def _fetch_new(self, source: Source, wanted: str | None, *, locked: bool) -> _Got:
        # Another spelling of the source may do better, with other credentials: failures are its own.
        spelt = (source.address, source.plain, wanted)
        if spelt in self._failed:
            raise self._failed[spelt]
        try:
            got = (self._plain if source.plain else self._dispatch)(source, wanted, locked)
        except FetchError as error:
            self._failed[spelt] = error
            raise
        except InvalidSourceError as error:
            self._failed[spelt] = error.of(source.declared)
            raise self._failed[spelt] from error
        self._got[source.kind, source.identity, source.plain, wanted] = got
        # The siblings of a skill are asked for by the commit that it came from.
        self._got[source.kind, source.identity, source.plain, got.resolved] = got
        return got

    def _plain(self, source: Source, wanted: str | None, locked: bool) -> _Got:
        """A source that may be a plain repository, as what it is."""
        is_folder = source.kind is SourceKind.FOLDER
        got = _Got(None, _existing(source)) if is_folder else self._dispatch(source, wanted, locked)
        if source.whole:
            return got
        if kind_at(got.root) is Kind.SOURCE:
            # It is the same commit, by its name: what led to it is known already.
            return self._dispatch(replace(source, plain=False), got.resolved, True)._replace(ref=got.ref)
        return got._replace(plain=judged_skills(got.root, is_folder=is_folder))

    def _dispatch(self, source: Source, wanted: str | None, locked: bool) -> _Got:
        if source.kind is SourceKind.FOLDER:
            return _folder(source)
        if self._on_wait is not None:
            self._on_wait()
        if source.kind is SourceKind.GIT:
            from skillbag.sources import git

            return _Got(*git.fetch(source, wanted, self._opened(), offline=self.offline, progress=self._progress))
        from skillbag.sources import zips

        cache, progress = self._opened(), self._progress
        return _Got(*zips.fetch(source, wanted, cache, offline=self.offline, progress=progress, locked=locked))


def _contradicted(source: Source, pin: str, resolved: str) -> ChangedSourceError:
    return ChangedSourceError(
        f"its version asks for the archive {pin}, and skillbag.lock says that {resolved} is installed: the lock was "
        "changed by hand, tampered with, or written by a program that did not hold archives to their hashes",
        "Find out which archive is the right one; --overwrite NAME installs the one that is asked for.",
        source.declared,
    )


def _folder(source: Source) -> _Got:
    from skillbag.sources import folder

    root = _existing(source)
    folder.check(root)
    return _Got(None, root)


def _existing(source: Source) -> str:
    if not os.path.isdir(source.address):
        hint = "" if os.path.isabs(source.declared) else "; a repository's address begins with https://, ssh:// or git@"
        raise FetchError(source.declared, f"there is no such folder: {source.address}{hint}")
    return source.address


def fetch_all(fetcher: Fetcher, specs: Iterable[FetchSpec]) -> Mapping[FetchSpec, Answer]:
    """Fetch every different source once, several at a time."""
    answers: dict[FetchSpec, Answer] = {}
    with _started(fetcher.fetch, specs) as calls:
        for spec, fetch in calls:
            try:
                answers[spec] = fetch()
            except (InvalidSourceError, OSError) as error:
                answers[spec] = FetchFailure(spec.source.declared, error)
    return answers


def fetch_one(fetcher: Fetcher, spec: FetchSpec) -> Answer:
    """Fetch one source."""
    return fetch_all(fetcher, [spec])[spec]


def latest_all(fetcher: Fetcher, specs: Iterable[FetchSpec]) -> Mapping[FetchSpec, str | FetchFailure | None]:
    """What each version means now, as `Fetcher.latest` says."""
    answers: dict[FetchSpec, str | FetchFailure | None] = {}
    with _started(lambda source, version, _: fetcher.latest(source, version), specs) as calls:
        for spec, latest in calls:
            try:
                answers[spec] = latest()
            except (InvalidSourceError, OSError) as error:
                answers[spec] = FetchFailure(spec.source.declared, error)
    return answers


@contextmanager
def _started(
    work: Callable[[Source, str | None, str | None], T], specs: Iterable[FetchSpec]
) -> Iterator[list[tuple[FetchSpec, Callable[[], T]]]]:
    """A call for each different spec; where there are several, they run in threads already."""
    check_stop()
    calls: dict[FetchSpec, Callable[[], T]] = {spec: partial(work, *spec) for spec in specs}
    if len(calls) < 2:
        yield list(calls.items())
        return
    from concurrent.futures import ThreadPoolExecutor

    pool = ThreadPoolExecutor(_AT_ONCE)
    try:
        yield [(spec, pool.submit(copy_context().run, call).result) for spec, call in calls.items()]
    except BaseException:
        # After Ctrl-C or a cancellation, don't wait for a server that may never answer.
        pool.shutdown(wait=False, cancel_futures=True)
        if git := sys.modules.get("skillbag.sources.git_command"):
            git.end_all()
        raise
    finally:
        pool.shutdown(wait=False)
