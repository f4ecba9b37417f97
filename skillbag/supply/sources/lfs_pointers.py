"""Pointers of Git LFS: small texts that stand in a repository for files that are stored elsewhere."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import NamedTuple

from skillbag.kernel.workspace.tree import FILE
from skillbag.kernel.workspace.tree_hash import tree_files

_LONGEST = 1024
_POINTER = re.compile(
    rb"version https://(?:git-lfs\.github\.com|hawser\.github\.com)/spec/v1\r?\n(?:ext-[^\n]*\n)*"
    rb"oid sha256:[0-9a-f]{64}\r?\nsize (\d{1,19})\r?\n?"
)
"""The specification of Git LFS: a pointer is shorter than 1024 bytes, and has these lines in this order."""


class Pointer(NamedTuple):
    """A file of a skill that is a pointer; `path` is relative to the skill, with `/`, and `size` that of the file."""

    path: str
    size: int

    @property
    def fault(self) -> str:
        """What is wrong, as the rest of a sentence about the file."""
        return f"a pointer of Git LFS: the file itself ({self.size:,} bytes) is stored elsewhere, and is not fetched"


FIX = (
    "Ask its publisher to commit the file itself; or clone the repository with git-lfs, and name that folder as the "
    "source."
)


def lfs_pointers(folder: str) -> Iterator[Pointer]:
    """The pointers in the skill in the absolute `folder`.

    Raises:
        OSError: as `tree_files`.
    """
    for entry in tree_files(folder, others=True):
        if entry.kind == FILE and os.lstat(entry.path).st_size < _LONGEST:
            with open(entry.path, "rb") as file:
                if match := _POINTER.fullmatch(file.read(_LONGEST)):
                    yield Pointer(entry.relative, int(match[1]))
