"""The state of a path as one short text, to find out whether it has changed."""

from __future__ import annotations

import os
import re
import stat
from hashlib import sha256

from skillbag.kernel.workspace.tree import list_tree
from skillbag.kernel.workspace.tree_hash import pieces, tree_hash

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
