"""Whether a version is a tag or a branch: git notes it of what it fetches, and the cache remembers it."""

from __future__ import annotations

import contextlib
import os

from skillbag.fs.atomic import write_atomic
from skillbag.sources.cache import key_of
from skillbag.workspace.lock_file import BRANCH, COMMIT, TAG

_NOTE = "FETCH_HEAD"
_FOLDER = "skillbag-refs"


def remembered_ref(repository: str, name: str) -> str | None:
    """What the version was when it was last fetched, as in the lock; None if unknown."""
    with contextlib.suppress(OSError, UnicodeDecodeError), open(_file(repository, name), encoding="ascii") as file:
        found = file.read(10)
        return found if found in (TAG, BRANCH, COMMIT) else None
    return None


def remember_ref(repository: str, name: str, ref: str) -> None:
    """Note what a version is.

    Raises:
        OSError: the note can't be written.
    """
    write_atomic(_file(repository, name), ref.encode("ascii"), root=repository, durable=False)


def note_fetched(repository: str, name: str) -> None:
    """Note whether the version that was just fetched is a tag or a branch. Raises as `remember_ref`."""
    try:
        with open(os.path.join(repository, _NOTE), encoding="utf-8", errors="replace") as file:
            line = file.readline()
    except OSError:
        return
    # `<commit> TAB [not-for-merge] TAB tag 'v1' of <address>`; the head of the default branch has no name there.
    what = line.rstrip("\n").split("\t")[-1]
    remember_ref(repository, name, TAG if what.startswith("tag '") else BRANCH)


def _file(repository: str, name: str) -> str:
    return os.path.join(repository, _FOLDER, key_of(name))
