"""Recursive listings of folders, without following links."""

from __future__ import annotations

import os

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.fs import tracked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from skillbag.kernel.fs.past import PastEntry

PRUNED = frozenset({".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", ".tox", ".mypy_cache", ".skillbag"})
"""Folders that are never entered, checked or installed. `.skillbag` is ours: backups, and changes in progress.

A change here changes the tree hashes of locks.
"""

_SAMPLE_NAMES = (
    "assets templates template examples example samples sample boilerplate tests test fixtures testdata evals"
)
SAMPLES = frozenset(_SAMPLE_NAMES.split())
"""Folders whose files are material to copy or to test with, not text about the skill itself."""

TEST_DATA = frozenset({"tests", "test", "__tests__", "testdata", "test-data", "test_data", "fixtures", "__fixtures__"})
"""Folders of test data: a skill there may be broken on purpose."""

_EVALUATION = late(r"(?:^|/)[^/]+-workspace/(?:iteration-\d|skill-snapshot)")
"""The folders in which the evaluation of a skill keeps what it ran with and what came out."""

JUNK = frozenset({".DS_Store", "Thumbs.db", "desktop.ini"})
"""Files that file managers create in any folder; part of no skill."""


def in_samples(relative: str) -> bool:
    """Whether a path within a skill, with `/`, lies among templates, examples or test data."""
    return not SAMPLES.isdisjoint(relative.lower().split("/"))


def in_test_data(relative: str, around: str = "") -> bool:
    """Whether a path, with `/`, lies in a folder of test data; `around` is the name of the folder above."""
    folders = relative.lower().split("/")[:-1]
    return not TEST_DATA.isdisjoint(folders) or in_evaluation(f"{around}/{relative}")


def in_evaluation(path: str) -> bool:
    """Whether a path lies in the workspace in which a skill is evaluated."""
    return "-workspace/" in path and _EVALUATION().search(path) is not None


def left_out(relative: str) -> bool:
    """Whether a file or link (`relative`, with `/`) is not installed, hashed and compared with the rest of its skill.

    Names of `PRUNED` count for files as well: `.git` is one in a submodule.
    """
    parts = relative.split("/")
    return parts[-1] in JUNK or not PRUNED.isdisjoint(parts)


class TreeEntry(NamedTuple):
    """A file, folder or link; `relative` to the listed folder, with `/`."""

    relative: str
    path: str
    kind: str


FILE, FOLDER, LINK, OTHER = "file", "folder", "link", "other"


class Listing(NamedTuple):
    """All entries below a folder in sorted order, and the folders that could not be opened (absolute)."""

    entries: tuple[TreeEntry, ...]
    closed: tuple[str, ...]


def list_tree(folder: str, most: int | None = None) -> Listing:
    """Everything below `folder`, without following links or entering `PRUNED` folders; ends soon after `most`."""
    entries: list[TreeEntry] = []
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
            name, kind = child.name, FILE
            if not child.is_file(follow_symlinks=False):
                kind = LINK if child.is_symlink() else FOLDER if child.is_dir(follow_symlinks=False) else OTHER
                if kind is FOLDER and name not in PRUNED:
                    pending.append((child.path, f"{prefix}{name}/"))
            entries.append(TreeEntry(prefix + name, child.path, kind))
    entries.sort()
    return Listing(tuple(entries), tuple(closed))


def is_folder(entry: os.DirEntry[str] | PastEntry) -> bool:
    """Whether an entry is a folder or a link to one; a circular link is neither."""
    try:
        return entry.is_dir()
    except OSError:
        return False
