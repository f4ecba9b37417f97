"""Which commit of a git source holds a folder as it is here: for skills whose installer recorded no commit."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping

from skillbag.kernel.workspace.target import SKILL_FILE
from skillbag.kernel.workspace.tree import LINK, left_out
from skillbag.kernel.workspace.tree_hash import line_ends, pieces, tree_files
from skillbag.supply.sources.git_command import BLOBLESS, REMOTE, reach, run
from skillbag.supply.sources.git_errors import GitError
from skillbag.supply.sources.git_repository import prepare
from skillbag.supply.sources.task import FetchTask, GitTask

Blobs = Mapping[str, set[str]]

_MAX_COMMITS = 300
"""Commits that are compared, the newest first."""


def commit_with(given: FetchTask, folder: str, place: str | None) -> tuple[str, str] | None:
    """The newest commit of the version that has most files of the skill in the absolute `folder`, and where.

    Searched are `place` (relative, with `/`), and every other where its `SKILL.md` was: skills are moved. None if no
    commit has it there, or the history can't be fetched.
    """
    task = GitTask(*given)
    wanted = _blobs(folder)
    task.progress(f"looking for the version of {os.path.basename(folder)} in {task.source.declared}")
    with task.hold_repository():
        prepare(task.repository, task.digits)
        try:
            depth = ["--depth=2147483647"] if os.path.exists(os.path.join(task.repository, "shallow")) else []
            fetch = ["fetch", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", *depth]
            refspec = f"+{task.name}:{task.reference}"
            remote = reach(task.repository, task.source)
            run(task.repository, [*fetch, "--progress", "--", REMOTE, refspec], remote, settings=BLOBLESS)
            skill = next((forms for path, forms in wanted.items() if path.lower() == SKILL_FILE.lower()), ())
            places = [at for blob in skill for at in _places(task, blob)]
            return _nearest(task, wanted, dict.fromkeys([*places, *([] if place is None else [place])]))
        except GitError:
            return None


def _nearest(task: GitTask, wanted: Blobs, places: Iterable[str]) -> tuple[str, str] | None:
    best, found = (-1, 0), None
    for place in places:
        log = ["log", "--full-history", f"-n{_MAX_COMMITS}", "--format=%H", task.reference, "--"]
        listing = run(task.repository, [*log, f":(literal){place}" if place else "."])
        within = [f"{place}/"] if place else []
        for commit in listing.decode("ascii").split():
            here = _listed(run(task.repository, ["ls-tree", "-r", "-z", commit, *within]), sum(map(len, within)))
            same = sum(here.get(path) in forms for path, forms in wanted.items())
            alike = same, -abs(len(wanted) - len(here))
            if here and alike > best:
                best, found = alike, (commit, place)
            if same == len(wanted) == len(here):
                return found
    return found


def _places(task: GitTask, skill: str) -> Iterable[str]:
    """The folders that had a `SKILL.md` of this content, the latest first."""
    find = ["log", "-m", "--no-renames", "--raw", "-z", "--no-abbrev", "--format=", f"--find-object={skill}"]
    paths = map(os.fsdecode, run(task.repository, [*find, task.reference]).split(b"\0"))
    at = [os.path.split(path) for path in paths if not path.startswith(":")]
    return [place for place, name in at if name.lower() == SKILL_FILE.lower()]


def _blobs(folder: str) -> Blobs:
    """The names that git gives the content of each file, by path: as it is, and with the line ends of each system."""
    found = {}
    for entry in tree_files(folder, others=True):
        if entry.kind is LINK:
            found[entry.relative] = {_blob(os.fsencode(os.readlink(entry.path)))}
        else:
            found[entry.relative] = {*map(_blob, line_ends(b"".join(pieces(entry.path))))}
    return found


def _blob(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def _listed(listing: bytes, prefix: int) -> dict[str, str]:
    lines = (line.partition(b"\t") for line in listing.split(b"\0") if line)
    here = {os.fsdecode(path)[prefix:]: about.split()[2].decode("ascii") for about, _, path in lines}
    return {path: blob for path, blob in here.items() if not left_out(path)}
