"""Find the folders of skills below a root, without following links out of it (skill runtime, section 2)."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from skillbag.kernel.fs.read import is_within
from skillbag.kernel.manifest.names import MANIFEST_FILE
from skillbag.kernel.workspace.target import SKILL_FILE
from skillbag.kernel.workspace.tree import PRUNED, is_folder

MANIFEST_NAMES = (MANIFEST_FILE, SKILL_FILE)
"""The files that make a folder that of a skill; the first that is there counts."""

_MAX_FOLDERS = 20_000
"""Folders that one search enters."""


class ManifestFolder(NamedTuple):
    """A folder with a manifest in the file `name`; `directory` is its real path, `inode` tells it from one that takes
    its place."""

    directory: str
    name: str
    inode: int


class FoundFolders(NamedTuple):
    """What a search found, in order of paths: skills, links to skills that lead out of the root, and remarks."""

    folders: tuple[ManifestFolder, ...] = ()
    refused: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


def search_children(root: str, names: Sequence[str] = MANIFEST_NAMES) -> FoundFolders:
    """The skills in the folders that lie directly in the real path `root`, which may be missing.

    Names with a leading dot are left out: agents, file managers and skillbag keep their own data there.
    """
    walk = _Walk(root, names)
    for child in walk.children(root):
        if not child.name.startswith("."):
            walk.visit(child)
    return walk.result()


def search_tree(root: str) -> FoundFolders:
    """The skills at and anywhere below the real path `root`; below a skill nothing is searched."""
    walk = _Walk(root, MANIFEST_NAMES)
    if not os.path.isdir(root):
        return FoundFolders(remarks=(f"{root}: there is no such folder",))
    if name := walk.manifest_in(root):
        return FoundFolders((_folder(root, name),))
    pending, entered = [root], 0
    while pending:
        entered += 1
        if entered > _MAX_FOLDERS:
            walk.remarks.append(f"{root}: the search ended after {_MAX_FOLDERS:,} folders; name smaller ones")
            break
        pending += [child.path for child in walk.children(pending.pop()) if not walk.visit(child) and _is_own(child)]
    return walk.result()


def _folder(directory: str, name: str) -> ManifestFolder:
    try:
        return ManifestFolder(directory, name, os.stat(directory).st_ino)
    except OSError:
        # It is gone; reading it will say so.
        return ManifestFolder(directory, name, 0)


def _is_there(path: str) -> bool:
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True


def _is_own(child: os.DirEntry[str]) -> bool:
    """Whether an entry is a folder, and no link to one: what links within the root lead to is found anyway."""
    return child.is_dir(follow_symlinks=False)


class _Walk:
    """One search below `root`."""

    def __init__(self, root: str, names: Sequence[str]) -> None:
        self.remarks: list[str] = []
        self._root = root
        self._names = names
        self._folders: set[ManifestFolder] = set()
        self._refused: list[str] = []

    def children(self, folder: str) -> Iterator[os.DirEntry[str]]:
        """The folders in a folder, and links to folders, but those that are never entered."""
        try:
            with os.scandir(folder) as entries:
                children = list(entries)
        except (FileNotFoundError, NotADirectoryError):
            return iter(())
        except OSError as error:
            self.remarks.append(f"{folder}: {error.strerror}")
            return iter(())
        return (child for child in children if child.name not in PRUNED and is_folder(child))

    def manifest_in(self, directory: str) -> str | None:
        """The name of the manifest in a folder; of one that can't be entered, any: reading it says why."""
        return next((name for name in self._names if _is_there(os.path.join(directory, name))), None)

    def visit(self, child: os.DirEntry[str]) -> bool:
        """Note the skill in a folder; whether there is one."""
        name = self.manifest_in(child.path)
        if name is None:
            return False
        if not child.is_symlink():
            self._folders.add(ManifestFolder(child.path, name, child.inode()))
        elif is_within(self._root, child.path):
            self._folders.add(_folder(os.path.realpath(child.path), name))
        else:
            self._refused.append(child.path)
        return True

    def result(self) -> FoundFolders:
        """What was found."""
        return FoundFolders(tuple(sorted(self._folders)), tuple(sorted(self._refused)), tuple(self.remarks))
