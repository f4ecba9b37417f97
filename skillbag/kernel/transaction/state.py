"""The state of paths before and after a transaction, where it is kept, and the errors about it (exit code 4)."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable
from hashlib import sha256

from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.workspace.target import SKILL_ROOT
from skillbag.kernel.workspace.tree import list_tree
from skillbag.kernel.workspace.tree_hash import pieces, tree_hash


class ChangedError(OSError):
    """Something has changed since the transaction was planned; the workspace is as it was."""


class BusyError(OSError):
    """Another process writes to the workspace, and did not end in time."""


class BadJournalError(OSError):
    """The content of `.skillbag/transaction` is not from this version of this program; nothing was touched."""


class ForeignJournalError(BadJournalError):
    """This user has not begun the change that a journal describes; nothing was touched, and readers go on."""


class RecoveryError(OSError):
    """An interrupted change can be neither completed nor rolled back now; the next command tries again."""


class CleanUpError(OSError):
    """The change is complete, but displaced files could not be moved to the backup; the next command tries again."""


STORE, IGNORE = ".skillbag", ".gitignore"

Notice = Callable[[str], None]
"""Receives one sentence about a wait or a recovery."""


class Locations(NamedTuple):
    """The locations of one kind of root.

    `root` is the root's name in messages; `skills` the path of its skills, relative to it: empty if the root is the
    folder of skills. `stage` is the folder in `.skillbag` in which changes are staged: each kind has its own, so that
    recovering one kind does not affect another.
    """

    root: str
    skills: str
    stage: str


WORKSPACE = Locations("workspace", SKILL_ROOT, "transaction")
SKILLS_FOLDER = Locations("folder of skills", "", "skills")
CHECKED_FOLDER = Locations("folder", "", "fixes")
"""For `check --fix`, which changes files in any checked folder; recovered together with the other kinds."""


FILE_STATE, FOLDER_STATE, LINK_STATE = "file:", "sha256:", "link:"
STATE = re.compile(r"(file|sha256|link):[0-9a-f]{64}")

_REPOSITORIES = frozenset({".git", ".hg", ".svn"})


def state_of(path: str, *, others: bool = False) -> str | None:
    """The state of the absolute `path`; None if nothing is there.

    The tree hash of a folder; `file:` and the SHA-256 of a file's bytes; `link:` and the SHA-256 of a symbolic link's
    target, which is not followed. With `others`, a device, pipe or socket counts as an empty file, and is skipped
    within a folder; such a state is for comparisons only.
    """
    try:
        mode = os.lstat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    if stat.S_ISLNK(mode):
        return LINK_STATE + sha256(os.fsencode(os.readlink(path))).hexdigest()
    if stat.S_ISDIR(mode):
        return tree_hash(path, others=others)
    content = sha256()
    if stat.S_ISREG(mode) or not others:
        for piece in pieces(path):
            content.update(piece)
    return FILE_STATE + content.hexdigest()


def state_of_bytes(data: bytes) -> str:
    """The state of a file with this content."""
    return FILE_STATE + sha256(data).hexdigest()


def may_be_deleted(path: str, state: str | None) -> bool:
    """Whether `path` still has this state and holds no repository: a tree hash leaves out a repository's history."""
    try:
        if state_of(path) != state:
            return False
        entries = list_tree(path).entries if os.path.isdir(path) and not os.path.islink(path) else ()
        return not any(entry.relative.rpartition("/")[2] in _REPOSITORIES for entry in entries)
    except OSError:
        return False
