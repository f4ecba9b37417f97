"""Git sources: one shallow, blobless fetch for a version, the contents of the skills in one more, then a tree of files.

Each source has a bare repository in the cache. What a version last meant is kept there as a reference, so that it is
known offline; what is in the repository is not fetched again.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable
from typing import NamedTuple

from skillbag.sources.address import Source
from skillbag.sources.cache import Cache, key_of, remove
from skillbag.sources.fetched import FetchError, Progress, silent
from skillbag.sources.git_command import BLOBLESS, REMOTE, Remote, reach, run
from skillbag.sources.git_errors import GitError
from skillbag.sources.git_objects import BrokenRepositoryError, Commit, Objects, unpack
from skillbag.sources.git_refs import note_fetched, remember_ref, remembered_ref
from skillbag.sources.git_repository import is_damaged, prepare
from skillbag.workspace.lock_file import COMMIT

_FULL = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_SHORT = re.compile(r"[0-9a-f]{7,63}")
_NO_NAME = re.compile(r"^[-/]|[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|[/.]$|(?:^|/)\.|\.lock(?:/|$)|^@$")
_UNKNOWN = re.compile(r"couldn't find remote ref|no such remote ref")
_REFUSED = re.compile(r"not our ref|unadvertised object|no such remote ref|couldn't find remote ref")
_INCAPABLE = re.compile(r"filter .*not supported|does not support shallow|shallow clients")
_OTHER_FORMAT = re.compile(r"mismatched algorithms|object format")
_FETCH = ("fetch", "--progress", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules")
_ALL = ("+refs/heads/*:refs/all/heads/*", "+refs/tags/*:refs/all/tags/*")
_WHOLE_HISTORY = "--depth=2147483647"
_TRIES = 4
_FEW = 5


class Unpacked(NamedTuple):
    """A commit (40 or 64 hexadecimal digits), and the tree in the cache (absolute) that was unpacked from it.

    `ref`: what the version that led to it is, as in the lock; None where nobody knows.
    """

    commit: str
    root: str
    ref: str | None


class _Task(NamedTuple):
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
        """Those of the repository's object names, as far as the version tells."""
        return len(self.name) if self.is_exact else 40

    @property
    def ref(self) -> str | None:
        """What the version was when it was last fetched, as in the lock."""
        if self.is_exact:
            return COMMIT
        return remembered_ref(self.repository, self.name)

    def failed(self, reason: object) -> FetchError:
        return FetchError(self.source.declared, str(reason))


def fetch(source: Source, wanted: str | None, cache: Cache, *, offline: bool, progress: Progress) -> Unpacked:
    """Get what a version (tag, branch or commit; None: the head of the default branch) means, unpacked.

    Raises:
        FetchError: it can't be had.
        InvalidSourceError: what it holds is hostile or no source.
        OSError: the cache can't be written.
    """
    task = _Task(source, wanted, cache, offline, progress)
    _check_name(task)
    if task.is_exact and (root := cache.tree(_tree_key(task, task.name))):
        return Unpacked(task.name, root, COMMIT)
    with _held(task):
        return _cached(task) or _fetched(task)


def known_ref(source: Source, version: str | None, cache: Cache) -> str | None:
    """What a version is, as in the lock, as far as the cache knows."""
    return _Task(source, version, cache, True, silent).ref


def latest(source: Source, version: str | None, cache: Cache, *, offline: bool, progress: Progress) -> str:
    """The commit that a version means now; nothing is fetched for it unless it is an abbreviated commit.

    Raises:
        FetchError: it can't be had.
    """
    task = _Task(source, version, cache, offline, progress)
    _check_name(task)
    if task.is_exact:
        return task.name
    found = None if offline else _advertised(task)
    # Not the name of a tag or branch: fetching tells, be it an abbreviation or unknown.
    return found or fetch(source, version, cache, offline=offline, progress=progress).commit


def default_branch(source: Source, cache: Cache, *, offline: bool, progress: Progress) -> str:
    """The name of the default branch.

    Raises:
        FetchError: it can't be had, or the repository has none.
    """
    task = _Task(source, None, cache, offline, progress)
    if offline:
        raise task.failed("the name of its default branch is not in the cache; give a version, or leave --offline out")
    match = re.search(
        r"^ref: refs/heads/(\S+)\tHEAD$", _remote_says(task, "--symref", "--", REMOTE, "HEAD"), re.MULTILINE
    )
    if match is None:
        raise task.failed("it has no default branch; give a version")
    return match[1]


def tags(source: Source, cache: Cache, *, offline: bool, progress: Progress) -> tuple[str, ...]:
    """The names of the tags.

    Raises:
        FetchError: they can't be had.
    """
    task = _Task(source, None, cache, offline, progress)
    if offline:
        raise task.failed("its tags are not in the cache; leave --offline out")
    rows = _remote_says(task, "--tags", "--refs", "--", REMOTE).splitlines()
    return tuple(row.partition("\trefs/tags/")[2] for row in rows if "\trefs/tags/" in row)


def _check_name(task: _Task) -> None:
    if _NO_NAME.search(task.name) or not task.name.isprintable():
        raise task.failed(f"version {task.name!r} is no name of a tag, branch or commit")


def _held(task: _Task) -> contextlib.AbstractContextManager[None]:
    def waiting() -> None:
        task.progress(f"waiting for another process that fetches {task.source.declared}")

    return task.cache.held(os.path.basename(task.repository), waiting)


def _tree_key(task: _Task, commit: str) -> str:
    kinds = [name for name in ("plain", "whole") if getattr(task.source, name)]
    return key_of(task.source.identity, commit, *kinds)


def _uncached(task: _Task) -> FetchError:
    what = f"version {task.wanted}" if task.wanted else "its default branch"
    return task.failed(f"{what} is not in the cache; run once without --offline")


def _cached(task: _Task) -> Unpacked | None:
    """What is wanted, if it needs no network."""
    if not (task.is_exact or task.offline):
        return None
    with contextlib.suppress(BrokenRepositoryError, GitError):
        prepare(task.repository, task.digits)
        with Objects(task.repository) as objects:
            if commit := _known(task, objects):
                return _unpacked(task, objects, commit, _supply_nothing)
    if task.offline:
        raise _uncached(task)
    return None


def _known(task: _Task, objects: Objects) -> Commit | None:
    """The commit of the version, as far as the repository in the cache knows."""
    commit = objects.commit(task.name if task.is_exact else task.reference)
    if commit is None and _SHORT.fullmatch(task.name):
        commit = objects.commit(task.name)
    return commit


def _supply_nothing(names: list[str]) -> None:
    raise BrokenRepositoryError(names[0])


def _unpacked(task: _Task, objects: Objects, commit: Commit, supply: Callable[[list[str]], None]) -> Unpacked:
    key, source = _tree_key(task, commit.name), task.source
    root = task.cache.tree(key)
    if root is None:

        def fill(to: str) -> str:
            return unpack(objects, commit, to, supply, plain=source.plain, whole=source.whole)

        root = task.cache.add_tree(key, fill)
    return Unpacked(commit.name, root, task.ref)


class _NotSuppliedError(Exception):
    """The server leaves contents out, and does not hand them out one by one."""


def _fetched(task: _Task) -> Unpacked:
    """What is wanted, from the remote. A repository that turns out to be broken is begun anew."""
    task.progress(f"fetching {task.source.declared}" + (f" at {task.wanted}" if task.wanted else ""))
    blobless, digits = True, task.digits
    was_there = prepare(task.repository, digits)
    for _ in range(_TRIES):
        try:
            return _from_remote(task, blobless)
        except BrokenRepositoryError:
            pass
        except _NotSuppliedError:
            blobless = False
        except GitError as error:
            if _OTHER_FORMAT.search(error.text):
                digits = 64 if digits == 40 else 40
            elif not (was_there and is_damaged(task.repository)):
                raise task.failed(error.advice) from error
        remove(task.repository)
        was_there = prepare(task.repository, digits)
    raise task.failed("what the server sends is damaged; try again, or ask whoever keeps the repository")


def _from_remote(task: _Task, blobless: bool) -> Unpacked:
    remote = reach(task.repository, task.source)

    def supply(names: list[str]) -> None:
        _fetch_contents(task, remote, names)

    revision = _fetch_version(task, remote, blobless)
    with Objects(task.repository) as objects:
        commit = objects.commit(revision)
        if commit is None:
            raise _no_commit(task, remote)
        return _unpacked(task, objects, commit, supply)


def _fetch_version(task: _Task, remote: Remote, blobless: bool) -> str:
    """Bring the commit of the version into the repository; the name under which it is found there."""
    try:
        _fetch(task, remote, blobless, [f"+{task.name}:{task.reference}"], "--depth=1", noted=True)
    except GitError as error:
        if not _REFUSED.search(error.text):
            raise
        if not _SHORT.fullmatch(task.name) and not task.is_exact:
            raise _no_commit(task, remote) from error
        with Objects(task.repository) as objects:
            if not objects.commit(task.name):
                _fetch_everything(task, remote, blobless)
        remember_ref(task.repository, task.name, COMMIT)
        return task.name
    note_fetched(task.repository, task.name)
    return task.reference


def _fetch_everything(task: _Task, remote: Remote, blobless: bool) -> None:
    """All branches and tags with their history: the only way to a commit that the server does not give by its name."""
    is_shallow = os.path.exists(os.path.join(task.repository, "shallow"))
    _fetch(task, remote, blobless, list(_ALL), *([_WHOLE_HISTORY] if is_shallow else []))


def _fetch(
    task: _Task, remote: Remote, blobless: bool, refspecs: list[str], *options: str, noted: bool = False
) -> None:
    """Fetch; with `noted`, git notes what it fetched."""
    settings = BLOBLESS if blobless else ()
    command = [*_FETCH, *(["--write-fetch-head"] if noted else [])]
    try:
        run(task.repository, [*command, *options, "--", REMOTE, *refspecs], remote, settings=settings)
    except GitError as error:
        if not _INCAPABLE.search(error.text):
            raise
        # A plain old server: everything that it has, then.
        run(task.repository, [*command, "--", REMOTE, *refspecs], remote)


def _fetch_contents(task: _Task, remote: Remote, names: list[str]) -> None:
    task.progress(f"fetching {len(names)} files of {task.source.declared}")
    try:
        run(
            task.repository,
            [*_FETCH, "--stdin", "--", REMOTE],
            remote,
            stdin="\n".join((*names, "")).encode(),
            settings=(*BLOBLESS, "fetch.negotiationAlgorithm=noop"),
        )
    except GitError as error:
        if _REFUSED.search(error.text):
            raise _NotSuppliedError from error
        raise


def _advertised(task: _Task) -> str | None:
    """The commit that the remote says a tag or branch has now; names mean what they mean to `git fetch`."""
    name = task.name
    rows = (line.split("\t") for line in _remote_says(task, "--", REMOTE, name, f"{name}^{{}}").splitlines())
    heads = {row[1]: row[0] for row in rows if len(row) == 2}
    for pattern in ("{}", "refs/{}", "refs/tags/{}", "refs/heads/{}", "refs/remotes/{}"):
        full = pattern.format(name)
        if full in heads and (full == "HEAD" or full.startswith("refs/")):
            # A tag that is an object of its own is told twice, the second time as what it marks.
            return heads.get(f"{full}^{{}}", heads[full])
    return None


def _remote_says(task: _Task, *arguments: str) -> str:
    """The answer of `git ls-remote`; a repository that turns out to be broken is begun anew."""
    with _held(task):
        for is_last in (False, True):
            prepare(task.repository)
            try:
                output = run(task.repository, ["ls-remote", *arguments], reach(task.repository, task.source))
                return output.decode("utf-8", "replace")
            except GitError as error:
                if is_last or not is_damaged(task.repository):
                    raise task.failed(error.advice) from error
            remove(task.repository)
    raise AssertionError("unreachable")


def _no_commit(task: _Task, remote: Remote) -> FetchError:
    """The version is not there: tell what is, nearest first."""
    import difflib

    try:
        output = run(task.repository, ["ls-remote", "--heads", "--tags", "--refs", "--", REMOTE], remote)
    except GitError as error:
        return task.failed(error.advice)
    refs = [line.partition("\t")[2] for line in output.decode("utf-8", "replace").splitlines()]
    names = [ref.split("/", 2)[2] for ref in refs if ref.count("/") >= 2]
    if not names:
        return task.failed("it has no branch and no tag: it is empty, or no git repository")
    near = difflib.get_close_matches(task.name, names, _FEW, 0.4) or names[:_FEW]
    if task.wanted is None:
        return task.failed(f"it has no default branch; give a version, such as {', '.join(near)}")
    said = f"there is no tag, branch or commit {task.wanted}; it has {', '.join(near)}"
    gone = "If the commit was there before, the history was rewritten, or this is another repository"
    return task.failed(f"{said}. {gone}" if task.is_exact else said)
