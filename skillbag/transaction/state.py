"""The state of a path as one short text, to find out whether it is still the same."""

from __future__ import annotations

import os
import re
import stat
from hashlib import sha256

from skillbag.workspace.tree import list_tree
from skillbag.workspace.tree_hash import pieces, tree_hash

FILE_STATE, FOLDER_STATE, LINK_STATE = "file:", "sha256:", "link:"
STATE = re.compile(r"(file|sha256|link):[0-9a-f]{64}")

_REPOSITORIES = frozenset({".git", ".hg", ".svn"})


def state_of(path: str, *, others: bool = False) -> str | None:
    """What is at the absolute `path`; None where nothing is.

    The tree hash of a folder; `file:` and the SHA-256 of a file's content, byte for byte; `link:` and the SHA-256 of
    where a symbolic link points: it is not followed. With `others` a device, pipe or socket is read as an empty file,
    and passed over in a folder: that is for those who only look.

    Raises:
        OSError: it can't be read.
    """
    try:
        mode = os.lstat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    if stat.S_ISLNK(mode):
        return LINK_STATE + sha256(os.fsencode(os.readlink(path))).hexdigest()
    if stat.S_ISDIR(mode):
        return tree_hash(path, others=others)
    return state_of_bytes(b"") if others and not stat.S_ISREG(mode) else _file_state(path)


def _file_state(path: str) -> str:
    content = sha256()
    for piece in pieces(path):
        content.update(piece)
    return FILE_STATE + content.hexdigest()


def state_of_bytes(data: bytes) -> str:
    """The state of a file with this content."""
    return FILE_STATE + sha256(data).hexdigest()


def may_be_deleted(path: str, state: str | None) -> bool:
    """Whether what is at `path` is still what `state` says, and nothing else would go with it.

    The history of a repository is no part of a tree's hash, and nothing could bring it back.
    """
    try:
        return state_of(path) == state and not _holds_repository(path)
    except OSError:
        return False


def _holds_repository(path: str) -> bool:
    if os.path.islink(path) or not os.path.isdir(path):
        return False
    return any(entry.relative.rpartition("/")[2] in _REPOSITORIES for entry in list_tree(path).entries)
