"""One way to any source: fetched once, kept in the cache, and there to be read as a folder."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import NamedTuple

from skillbag.sources.address import Source, SourceKind
from skillbag.sources.cache import Cache, open_cache
from skillbag.sources.fetched import (
    ChangedSourceError,
    Fetched,
    FetchError,
    InvalidSourceError,
    PlainSkills,
    Progress,
    silent,
)
from skillbag.sources.pins import pinned_hash
from skillbag.workspace.target import Kind


class _Got(NamedTuple):
    resolved: str | None
    root: str
    ref: str | None = None
    plain: PlainSkills | None = None


class Fetcher:
    """Fetches the sources of one run: each version of a source once, however often and in however many threads.

    `offline`: nothing but the cache and this machine's own files is looked at; `cache`: its folder, if not the user's.
    `own`: what has to be unpacked is unpacked for this run alone, so that it can be moved into place instead of copied;
    `close` deletes what is left of it.
    """

    def __init__(
        self,
        *,
        offline: bool = False,
        progress: Callable[[str], None] | None = None,
        cache: str | None = None,
        own: bool = False,
    ) -> None:
        self.offline = offline
        self._progress: Progress = progress or silent
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
        with self._lock(source.identity):
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

        try:
            with self._lock(source.identity):
                return git.latest(source, version, self._opened(), offline=self.offline, progress=self._progress)
        except TimeoutError as error:
            raise _busy(source) from error

    def default_branch(self, source: Source) -> str:
        """The name of a git source's default branch.

        Raises:
            FetchError: it can't be had.
        """
        from skillbag.sources import git

        try:
            with self._lock(source.identity):
                return git.default_branch(source, self._opened(), offline=self.offline, progress=self._progress)
        except TimeoutError as error:
            raise _busy(source) from error

    def tags(self, source: Source) -> tuple[str, ...]:
        """The tags of a git source.

        Raises:
            FetchError: they can't be had.
        """
        from skillbag.sources import git

        try:
            with self._lock(source.identity):
                if source.identity not in self._tags:
                    told = self._progress
                    self._tags[source.identity] = git.tags(source, self._opened(), offline=self.offline, progress=told)
                return self._tags[source.identity]
        except TimeoutError as error:
            raise _busy(source) from error

    def _lock(self, identity: str) -> threading.Lock:
        with self._guard:
            return self._locks.setdefault(identity, threading.Lock())

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
        except TimeoutError as error:
            raise _busy(source) from error
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
        from skillbag.sources.skill_layout import plain_folders, plain_skills
        from skillbag.workspace.kinds import kind_at

        is_folder = source.kind is SourceKind.FOLDER
        got = _Got(None, _existing(source)) if is_folder else self._dispatch(source, wanted, locked)
        if source.whole:
            return got
        if kind_at(got.root) is Kind.SOURCE:
            # It is the same commit, by its name: what led to it is known already.
            return self._dispatch(replace(source, plain=False), got.resolved, True)._replace(ref=got.ref)
        from skillbag.sources.refused_skills import is_refused, recorded

        if is_folder:
            from skillbag.sources import folder

            folder.check_size(got.root)
        folders = plain_folders(got.root)
        if is_folder:
            refused = folder.check_plain(got.root, folders)
        else:
            # Where the repository is a skill itself, that name would be a file of its own.
            refused = {} if folders == [got.root] else recorded(got.root)
        paths = {path: os.path.relpath(path, got.root).replace(os.sep, "/") for path in folders}
        sound = [path for path in folders if not is_refused(paths[path], refused)]
        return got._replace(plain=plain_skills(got.root, sound)._replace(refused=refused))

    def _dispatch(self, source: Source, wanted: str | None, locked: bool) -> _Got:
        if source.kind is SourceKind.FOLDER:
            return _folder(source)
        _meanwhile()
        if source.kind is SourceKind.GIT:
            from skillbag.sources import git

            return _Got(*git.fetch(source, wanted, self._opened(), offline=self.offline, progress=self._progress))
        from skillbag.sources import zips

        cache, told = self._opened(), self._progress
        return _Got(*zips.fetch(source, wanted, cache, offline=self.offline, progress=told, locked=locked))


def _contradicted(source: Source, pin: str, resolved: str) -> ChangedSourceError:
    return ChangedSourceError(
        f"its version asks for the archive {pin}, and skillbag.lock says that {resolved} is installed: the lock was "
        "changed by hand, tampered with, or written by a program that did not hold archives to their hashes",
        "Find out which archive is the right one; --overwrite NAME installs the one that is asked for.",
        source.declared,
    )


def _busy(source: Source) -> FetchError:
    return FetchError(source.declared, "another process has been fetching it for long; let it end, or end it")


@cache
def _meanwhile() -> None:
    """Load, while git or a server is at work, the rules that will judge what comes: a tenth of a second saved."""

    def load() -> None:
        from skillbag.install.verify import load_default_rules

        load_default_rules()

    threading.Thread(target=load, daemon=True).start()


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
