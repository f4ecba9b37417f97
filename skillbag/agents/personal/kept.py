"""The versions of personal skills that were replaced or removed: found, brought back, and bounded in number.

They are the backups in `.skillbag/backup/` of the personal root. A transaction moves them there, so that none is lost.
"""

from __future__ import annotations

import os
import re
from typing import NamedTuple

from skillbag.agents.personal.folders import read_folder
from skillbag.kernel.transaction.locations import STORE
from skillbag.kernel.transaction.trees import delete

MAX = 5
"""Versions of a skill that are kept."""

_NUMBERED = re.compile(r"(?s)(.*)-([1-9][0-9]{0,8})")


class Kept(NamedTuple):
    """A version of a skill: `number` is higher the later it was replaced or removed, `folder` is absolute."""

    name: str
    number: int
    description: str
    folder: str


def kept_versions(root: str, name: str | None = None) -> tuple[Kept, ...]:
    """The versions of a skill, or of all, by name, the latest first.

    Raises:
        OSError: they can't be read.
    """
    folder = os.path.join(root, STORE, "backup")
    try:
        entries = os.listdir(folder)
    except (FileNotFoundError, NotADirectoryError):
        return ()
    found = []
    for entry in entries:
        path, match = os.path.join(folder, entry), _NUMBERED.fullmatch(entry)
        if match and os.path.isdir(path) and not os.path.islink(path):
            read = read_folder(path)
            if read.declared and not read.fault and name in (None, read.declared):
                found.append(Kept(read.declared, int(match[2]), read.description, path))
    return tuple(sorted(found, key=lambda kept: (kept.name, -kept.number, kept.folder)))


def forget_old(root: str, name: str) -> None:
    """Delete the earliest versions of a skill beyond the number that is kept; the history of a repository stays."""
    for kept in kept_versions(root, name)[MAX:]:
        if not os.path.lexists(os.path.join(kept.folder, ".git")):
            delete(kept.folder)
