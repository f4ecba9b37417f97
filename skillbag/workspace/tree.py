"""Listing what lies in a folder, once, without following links."""

from __future__ import annotations

import os

from skillbag.base.records import NamedTuple
from skillbag.fs import tracked

PRUNED = frozenset({".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", ".tox", ".mypy_cache", ".skillbag"})
"""Folders that hold nobody's own text: never entered. `.skillbag` is ours: backups, and what is just being written.

What is not entered is not checked, and so never installed: a change here changes the tree hashes of locks.
"""

_SAMPLE_NAMES = (
    "assets templates template examples example samples sample boilerplate tests test fixtures testdata evals"
)
SAMPLES = frozenset(_SAMPLE_NAMES.split())
"""Folders whose files are material to copy or to test with, not text that speaks of the skill itself."""

TEST_DATA = frozenset({"tests", "test", "__tests__", "testdata", "test-data", "test_data", "fixtures", "__fixtures__"})
"""Folders in which tests keep what they need: a skill there may be broken on purpose."""

JUNK = frozenset({".DS_Store", "Thumbs.db", "desktop.ini"})
"""Files that a file manager leaves behind in any folder that is looked at; part of no skill."""


def left_out(relative: str) -> bool:
    """Whether a file or link of a skill is no part of it: what is installed, hashed and compared goes without it.

    `relative` has `/`. Names of `PRUNED` count whatever bears them: `.git` is a file in a submodule.
    """
    parts = relative.split("/")
    return parts[-1] in JUNK or not PRUNED.isdisjoint(parts)


class Entry(NamedTuple):
    """A file, folder or link; `relative` to the listed folder, with `/`."""

    relative: str
    path: str
    kind: str


FILE, FOLDER, LINK, OTHER = "file", "folder", "link", "other"


class Listing(NamedTuple):
    """All entries below a folder in sorted order, and the folders that could not be opened (absolute)."""

    entries: tuple[Entry, ...]
    closed: tuple[str, ...]


def list_tree(folder: str, most: int | None = None) -> Listing:
    """Everything below `folder`; links are named, not followed; `PRUNED` folders are named, not entered.

    With `most` the listing ends soon after so many entries.
    """
    entries: list[Entry] = []
    closed: list[str] = []
    pending = [(folder, "")]
    while pending and (most is None or len(entries) <= most):
        path, prefix = pending.pop()
        try:
            children = tracked.entries(path)
        except FileNotFoundError:
            continue
        except OSError:
            closed.append(path)
            continue
        for child in children:
            name = child.name
            if child.is_file(follow_symlinks=False):
                entries.append(Entry(prefix + name, child.path, FILE))
            else:
                kind = _kind(child)
                entries.append(Entry(prefix + name, child.path, kind))
                if kind is FOLDER and name not in PRUNED:
                    pending.append((child.path, f"{prefix}{name}/"))
    entries.sort()
    return Listing(tuple(entries), tuple(closed))


def _kind(entry: os.DirEntry[str]) -> str:
    if entry.is_symlink():
        return LINK
    return FOLDER if entry.is_dir(follow_symlinks=False) else OTHER


def is_folder(entry: os.DirEntry[str]) -> bool:
    """Whether an entry is a folder or a link to one; a link that leads in a circle is neither."""
    try:
        return entry.is_dir()
    except OSError:
        return False
