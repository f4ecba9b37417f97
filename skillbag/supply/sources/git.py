"""Git sources: one shallow, blobless fetch for a version, the contents of the skills in one more, then a tree of files.

Each source has a bare repository in the cache. A reference in it keeps the last commit of each version, for offline
use; objects that are in the repository are not fetched again.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable

from skillbag.kernel.fs.changes import remove
from skillbag.kernel.workspace.lock_file import COMMIT
from skillbag.supply.sources.fetched import Unpacked
from skillbag.supply.sources.git_command import BLOBLESS, REMOTE, Remote, reach, run
from skillbag.supply.sources.git_errors import GitError
from skillbag.supply.sources.git_objects import BrokenRepositoryError, CommitObject, Objects
from skillbag.supply.sources.git_remote import advertised, default_branch, no_commit, split_reference, tags
from skillbag.supply.sources.git_repository import (
    is_damaged,
    prepare,
    remember_fetched_ref,
    remember_ref,
    remembered_ref,
)
from skillbag.supply.sources.git_unpack import unpack
from skillbag.supply.sources.task import FetchTask, GitTask

__all__ = ["default_branch", "fetch", "known_ref", "latest", "split_reference", "tags"]

_SHORT = re.compile(r"[0-9a-f]{7,63}")
_REFUSED = re.compile(r"not our ref|unadvertised object|no such remote ref|couldn't find remote ref")
_INCAPABLE = re.compile(r"filter .*not supported|does not support shallow|shallow clients")
_OTHER_FORMAT = re.compile(r"mismatched algorithms|object format")
_FETCH = ("fetch", "--progress", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules")
_ALL_REFS = ("+refs/heads/*:refs/all/heads/*", "+refs/tags/*:refs/all/tags/*")
_MAX_DEPTH = "--depth=2147483647"
_TRIES = 4


def fetch(task: FetchTask) -> Unpacked:
    """Fetch and unpack a version: a tag, branch or commit; None: the head of the default branch.

    Raises as `Fetcher.fetch`.
    """
    task = GitTask(*task)
    task.check_name()
    if task.is_exact and (root := task.cache.tree(task.tree_key(task.source.identity, task.name))):
        return Unpacked(task.name, root, COMMIT)
    with task.hold_repository():
        return _cached(task) or _fetched(task)


def known_ref(task: FetchTask) -> str | None:
    """The kind of the version when it was last fetched, as in the lock; None if unknown."""
    task = GitTask(*task)
    return COMMIT if task.is_exact else remembered_ref(task.repository, task.name)


def latest(task: FetchTask) -> str | None:
    """The current commit of a version; nothing is fetched unless it is an abbreviated commit. Raises as `fetch`."""
    task = GitTask(*task)
    task.check_name()
    if task.is_exact:
        return task.name
    found = None if task.offline else advertised(task)
    # Not the name of a tag or branch: an abbreviated commit, or unknown.
    return found or fetch(task).resolved


def _cached(task: GitTask) -> Unpacked | None:
    """The version from the cache, if no network is needed."""
    if not (task.is_exact or task.offline):
        return None
    with contextlib.suppress(BrokenRepositoryError, GitError):
        prepare(task.repository, task.digits)
        with Objects(task.repository) as objects:
            commit = objects.commit(task.name if task.is_exact else task.reference)
            if commit is None and _SHORT.fullmatch(task.name):
                commit = objects.commit(task.name)
            if commit is not None:
                return _unpacked(task, objects, commit, _refuse_supply)
    if task.offline:
        what = f"version {task.wanted}" if task.wanted else "its default branch"
        raise task.failed(f"{what} is not in the cache; run once without --offline")
    return None


def _refuse_supply(names: list[str]) -> None:
    raise BrokenRepositoryError(names[0])


def _unpacked(task: GitTask, objects: Objects, commit: CommitObject, supply: Callable[[list[str]], None]) -> Unpacked:
    source = task.source
    key = task.tree_key(source.identity, commit.name)
    root = task.cache.tree(key)
    if root is None:

        def fill(to: str) -> str:
            return unpack(objects, commit, to, supply, plain=source.plain, whole=source.whole, entire=source.entire)

        root = task.cache.add_tree(key, fill)
    return Unpacked(commit.name, root, known_ref(task))


class _NotSuppliedError(Exception):
    """The server leaves contents out of a fetch, and does not send them by name."""


def _fetched(task: GitTask) -> Unpacked:
    """The version from the remote. A broken repository is made again."""
    task.progress(f"fetching {task.source.declared}" + (f" at {task.wanted}" if task.wanted else ""))
    blobless, digits = True, task.digits
    existed = prepare(task.repository, digits)
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
            elif not (existed and is_damaged(task.repository)):
                raise task.failed(error.advice) from error
        remove(task.repository)
        existed = prepare(task.repository, digits)
    raise task.failed("what the server sends is damaged; try again, or ask the repository's maintainer")


def _from_remote(task: GitTask, blobless: bool) -> Unpacked:
    remote = reach(task.repository, task.source)

    def supply(names: list[str]) -> None:
        _fetch_contents(task, remote, names)

    revision = _fetch_version(task, remote, blobless)
    with Objects(task.repository) as objects:
        commit = objects.commit(revision)
        if commit is None:
            raise no_commit(task, remote)
        return _unpacked(task, objects, commit, supply)


def _fetch_version(task: GitTask, remote: Remote, blobless: bool) -> str:
    """Fetch the commit of the version into the repository; return its name there."""
    try:
        _fetch(task, remote, blobless, [f"+{task.name}:{task.reference}"], "--depth=1", write_fetch_head=True)
    except GitError as error:
        if not _REFUSED.search(error.text):
            raise
        if not _SHORT.fullmatch(task.name) and not task.is_exact:
            raise no_commit(task, remote) from error
        with Objects(task.repository) as objects:
            if not objects.commit(task.name):
                # Only all branches and tags with their history lead to a commit that the server does not send by name.
                is_shallow = os.path.exists(os.path.join(task.repository, "shallow"))
                _fetch(task, remote, blobless, list(_ALL_REFS), *([_MAX_DEPTH] if is_shallow else []))
        remember_ref(task.repository, task.name, COMMIT)
        return task.name
    remember_fetched_ref(task.repository, task.name)
    return task.reference


def _fetch(
    task: GitTask, remote: Remote, blobless: bool, refspecs: list[str], *options: str, write_fetch_head: bool = False
) -> None:
    """Fetch; with `write_fetch_head`, git writes `FETCH_HEAD`."""
    settings = BLOBLESS if blobless else ()
    command = [*_FETCH, *(["--write-fetch-head"] if write_fetch_head else [])]
    try:
        run(task.repository, [*command, *options, "--", REMOTE, *refspecs], remote, settings=settings)
    except GitError as error:
        if not _INCAPABLE.search(error.text):
            raise
        # An old server can only send everything.
        run(task.repository, [*command, "--", REMOTE, *refspecs], remote)


def _fetch_contents(task: GitTask, remote: Remote, names: list[str]) -> None:
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
