"""Writing an unpacked source into a new folder, and hashing it on the way."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from skillbag.kernel.fs.changes import create
from skillbag.kernel.workspace.tree import left_out
from skillbag.kernel.workspace.tree_hash import ContentHash, TreeHash
from skillbag.supply.sources.entry import BadContentError, EntryKind, PackedEntry, SourceEntry, quoted, shape_faults
from skillbag.supply.sources.fetched import InvalidSourceError
from skillbag.supply.sources.refused_skills import RECORD, record

PLACEHOLDER = b"\xff"
"""The content of a file that was not taken: links to it have a target. It is not text, so that no rule reads it."""


class Judged(NamedTuple):
    """A sound archive or commit. `taken` are its entries to be unpacked, by their path in it. Their own path is that in
    the source, whose root may be a folder of an archive. `others` are the paths in the source of files and links that
    are only marked by placeholders. `refused` are skills that can't be installed, each with a sentence.
    """

    taken: Mapping[str, SourceEntry]
    others: Sequence[str]
    refused: Mapping[str, str]


def write_tree(to: str, judged: Judged, contents: Iterable[PackedEntry]) -> str:
    """Write what was judged into the new or empty folder `to`; return its tree hash. An empty folder is part of no
    skill.

    Raises:
        InvalidSourceError: the content of files is damaged; all of them are named.
    """
    tree = TreeWriter(to)
    links = [entry for entry in judged.taken.values() if entry.kind is EntryKind.LINK]
    for link in links:
        tree.make_folder(link.path.rpartition("/")[0])
    damaged: list[str] = []
    for packed, content in contents:
        entry = judged.taken.get(packed.path)
        if entry is not None and entry.kind is EntryKind.FILE:
            try:
                tree.write_file(entry.path, content, executable=entry.executable)
            except BadContentError as error:
                damaged.append(f"{quoted(entry.path)}: {error}")
    if damaged:
        raise InvalidSourceError(damaged)
    if judged.refused:
        tree.write_file(RECORD, [record(judged.refused)])
    tree.write_placeholders(judged.others)
    for link in links:
        tree.write_link(link.path, link.target)
    return tree.tree_hash()


class TreeWriter:
    """Writes below the new or empty `folder`, to relative paths with `/`, never over a file or folder that exists.

    Links come last, so that nothing is written through one.
    """

    def __init__(self, folder: str) -> None:
        os.makedirs(folder, exist_ok=True)
        self._folder = folder
        self._hash = TreeHash()
        self._made = {""}

    def make_folder(self, path: str) -> None:
        """Make the folder `path` and those above it."""
        if path not in self._made:
            self.make_folder(path.rpartition("/")[0])
            os.mkdir(self._full(path))
            self._made.add(path)

    def write_file(self, path: str, content: Iterable[bytes], *, executable: bool = False) -> None:
        """Write a file, and the folders above it."""
        self.make_folder(path.rpartition("/")[0])
        digest = ContentHash()
        with create(self._full(path), 0o755 if executable else 0o644) as file:
            for piece in content:
                digest.update(piece)
                file.write(piece)
        if not left_out(path):
            self._hash.add_file(path, digest.value())

    def write_placeholders(self, paths: Iterable[str]) -> None:
        """Write a placeholder for each path, so that checks for its existence succeed.

        A path that is unsafe, is left out of every tree, or can't be written beside another on this system is skipped.
        """
        for path in paths:
            if left_out(path) or any(shape_faults(path)):
                continue
            folder = path.rpartition("/")[0]
            with contextlib.suppress(OSError):
                if folder not in self._made:
                    # It may exist under another name where the file system ignores case.
                    os.makedirs(self._full(folder), exist_ok=True)
                    self._made.add(folder)
                self.write_file(path, [PLACEHOLDER])

    def write_link(self, path: str, target: str) -> None:
        """Make a symbolic link in a folder that exists."""
        os.symlink(target, self._full(path))
        if not left_out(path):
            self._hash.add_link(path, target)

    def tree_hash(self) -> str:
        """The tree hash of what was written."""
        return self._hash.value()

    def _full(self, path: str) -> str:
        return os.path.join(self._folder, *path.split("/"))
