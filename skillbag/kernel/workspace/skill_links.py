"""Symbolic links that lead to skills."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator

from skillbag.kernel.fs import tracked
from skillbag.kernel.workspace.kinds import folders_in, skill_file
from skillbag.kernel.workspace.target import SKILL_FILE, SKILL_ROOT
from skillbag.kernel.workspace.tree import PRUNED, is_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from skillbag.kernel.fs.past import PastEntry

_MAX_BEHIND = 200
"""The folders behind a link that are looked at: it may lead to any data."""


def shown_by(roots: Iterable[tuple[str, str]]) -> frozenset[str]:
    """The real folders that links in roots of skills lead to, if they are in the target that each belongs to."""
    links: list[str] = []
    for root, target in roots:
        with contextlib.suppress(OSError):
            found = [child.path for child in tracked.entries(root) if child.is_symlink()]
            links += [path for path in found if tracked.within(target, path)]
    return frozenset(map(tracked.real, links))


def skills_behind(top: str, entries: Iterable[os.DirEntry[str] | PastEntry]) -> Iterator[str]:
    """The skills behind those of the entries that are links, and that a search below `top` does not see.

    They are in folders that it does not enter, or outside of `top`. There nothing is read: the link stands for them.
    """
    for entry in entries:
        # A workspace shows its `.skills`, wherever that leads.
        if entry.is_symlink() and entry.name not in PRUNED and entry.name != SKILL_ROOT and is_folder(entry):
            yield from _unseen(top, entry.path)


def _unseen(top: str, link: str) -> list[str]:
    is_inside = tracked.within(top, link)
    if is_inside and PRUNED.isdisjoint(os.path.relpath(tracked.real(link), tracked.real(top)).split(os.sep)):
        return []
    if skill_file(link):
        return [link]
    found = [path for path in folders_in(link)[:_MAX_BEHIND] if tracked.exists(os.path.join(path, SKILL_FILE))]
    return found if is_inside else [link] if found else []
