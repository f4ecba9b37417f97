"""The bare repository of a git source in the cache: made without templates, cleaned up, and checked when git fails.

It also records whether a version is a tag or a branch, as git notes it of a fetch.
"""

from __future__ import annotations

import contextlib
import os

from skillbag.kernel.fs.atomic import write_atomic
from skillbag.kernel.fs.changes import remove
from skillbag.kernel.workspace.lock_file import BRANCH, COMMIT, TAG
from skillbag.supply.sources.cache import key_of, touch
from skillbag.supply.sources.git_command import BLOBLESS, run
from skillbag.supply.sources.git_errors import GitError, NoGitError

_OF_SHA256 = b"[extensions]\n\tobjectFormat = sha256\n"


def prepare(repository: str, digits: int = 40) -> bool:
    """Make the bare repository, or remove what an interrupted run left in it; whether it existed.

    `digits`: the length of object names in a new one.
    """
    was_there = os.path.exists(os.path.join(repository, "HEAD"))
    if was_there:
        touch(os.path.join(repository, "HEAD"))
        _clear(repository)
    try:
        _make(repository, digits)
    except (FileExistsError, NotADirectoryError, IsADirectoryError):
        remove(repository)
        _make(repository, digits)
    return was_there


def _make(repository: str, digits: int) -> None:
    for folder in ("objects/pack", "refs"):
        os.makedirs(os.path.join(repository, folder), exist_ok=True)
    path = os.path.join(repository, "config")
    with contextlib.suppress(FileNotFoundError), open(path, "rb") as file:
        digits = 64 if _OF_SHA256 in file.read() else 40
    text = b"[core]\n\trepositoryformatversion = %d\n\tbare = true\n" % (digits == 64)
    # Each time: what else a configuration says could lead git to another address, or start a program.
    write_atomic(path, text + _OF_SHA256 * (digits == 64), root=repository, durable=False)
    if not os.path.exists(head := os.path.join(repository, "HEAD")):
        write_atomic(head, b"ref: refs/heads/none\n", root=repository, durable=False)


def _clear(repository: str) -> None:
    """Remove the locks and partial files of a git that was killed; no other process uses the repository."""
    for folder in (repository, f"{repository}/refs/skillbag", f"{repository}/objects/pack"):
        with contextlib.suppress(OSError):
            for name in os.listdir(folder):
                if name.startswith("tmp_") or name.endswith(".lock"):
                    os.unlink(os.path.join(folder, name))


def is_damaged(repository: str) -> bool:
    """Whether git finds the repository damaged; contents may be missing."""
    try:
        # The progress keeps a long check from looking stalled.
        run(repository, ["fsck", "--progress", "--no-dangling"], settings=BLOBLESS)
    except NoGitError:
        return False
    except GitError:
        return True
    return False


def remembered_ref(repository: str, name: str) -> str | None:
    """The kind of the version when it was last fetched, as in the lock; None if unknown."""
    with contextlib.suppress(OSError, UnicodeDecodeError), open(_ref_file(repository, name), encoding="ascii") as file:
        found = file.read(10)
        return found if found in (TAG, BRANCH, COMMIT) else None
    return None


def remember_ref(repository: str, name: str, ref: str) -> None:
    """Record the kind of a version."""
    write_atomic(_ref_file(repository, name), ref.encode("ascii"), root=repository, durable=False)


def remember_fetched_ref(repository: str, name: str) -> None:
    """Record whether the version that was just fetched is a tag or a branch."""
    try:
        with open(os.path.join(repository, "FETCH_HEAD"), encoding="utf-8", errors="replace") as file:
            line = file.readline()
    except OSError:
        return
    # `<commit> TAB [not-for-merge] TAB tag 'v1' of <address>`; the head of the default branch has no name there.
    what = line.rstrip("\n").split("\t")[-1]
    remember_ref(repository, name, TAG if what.startswith("tag '") else BRANCH)


def _ref_file(repository: str, name: str) -> str:
    return os.path.join(repository, "skillbag-refs", key_of(name))
