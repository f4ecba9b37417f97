"""Which commit of a git source holds a folder as it is here: for skills whose installer recorded no commit."""

from __future__ import annotations

import hashlib
import os

from skillbag.kernel.workspace.tree import LINK
from skillbag.kernel.workspace.tree_hash import pieces, tree_files
from skillbag.supply.sources.git_command import BLOBLESS, REMOTE, reach, run
from skillbag.supply.sources.git_errors import GitError
from skillbag.supply.sources.git_repository import prepare
from skillbag.supply.sources.task import FetchTask, GitTask

_MAX_COMMITS = 300
"""Commits that are compared, the newest first."""


def commit_with(given: FetchTask, path: str, folder: str) -> str | None:
    """The newest commit of the version whose `path` (relative, with `/`) has the files of the absolute `folder`.

    None if there is none, or the history can't be fetched.
    """
    task = GitTask(*given)
    wanted = _blobs(folder)
    task.progress(f"looking for the version of {path} in {task.source.declared}")
    with task.hold_repository():
        prepare(task.repository, task.digits)
        try:
            depth = ["--depth=2147483647"] if os.path.exists(os.path.join(task.repository, "shallow")) else []
            fetch = ["fetch", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", *depth]
            refspec = f"+{task.name}:{task.reference}"
            remote = reach(task.repository, task.source)
            run(task.repository, [*fetch, "--progress", "--", REMOTE, refspec], remote, settings=BLOBLESS)
            listing = run(task.repository, ["log", f"-n{_MAX_COMMITS}", "--format=%H", task.reference, "--", path])
            for commit in listing.decode("ascii").split():
                if _listed(run(task.repository, ["ls-tree", "-r", "-z", f"{commit}:{path}"])) == wanted:
                    return commit
        except GitError:
            return None
    return None


def _blobs(folder: str) -> dict[str, str]:
    """The name that git gives the content of each file, by path."""
    found = {}
    for entry in tree_files(folder, others=True):
        parts = [os.fsencode(os.readlink(entry.path))] if entry.kind is LINK else [*pieces(entry.path)]
        content = hashlib.sha1(b"blob %d\0" % sum(map(len, parts)), usedforsecurity=False)
        for part in parts:
            content.update(part)
        found[entry.relative] = content.hexdigest()
    return found


def _listed(listing: bytes) -> dict[str, str]:
    lines = (line.partition(b"\t") for line in listing.split(b"\0") if line)
    return {os.fsdecode(path): about.split()[2].decode("ascii") for about, _, path in lines}
