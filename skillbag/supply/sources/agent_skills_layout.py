"""Which parts of a plain repository of Agent Skills are taken, decided from paths, before any file is read.

They are all that `skill_layout.plain_folders` could find to be a skill: each folder with a `SKILL.md`, the links that
may lead to one, and `AGENTS.md`, which shows whether the repository is a plain one; and the list of a marketplace.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable
from typing import NamedTuple

from skillbag.kernel.workspace.lock_file import LOCK
from skillbag.kernel.workspace.target import (
    AGENTS,
    CONTEXT,
    ENTRYPOINT,
    MARKETPLACE,
    SKILL_FILE,
    SKILL_ROOT,
    USER_CONTEXT,
)
from skillbag.kernel.workspace.tree import left_out
from skillbag.supply.sources.entry import EntryKind

NO_SKILLS = f"it holds no Agent Skills: there is no folder with a `{SKILL_FILE}` in it"
TAKES_PLAIN = "plain Agent Skills, which are declared apart"
"""The end of a hint for users who declared them as those of a SkillBag source."""

_SKILL_ROOTS = frozenset({"skills", SKILL_ROOT})
_TAKEN = (AGENTS, MARKETPLACE)
_CHECKED_FILES = frozenset({ENTRYPOINT, AGENTS, CONTEXT, USER_CONTEXT, LOCK})


class PlainParts(NamedTuple):
    """The folders that hold a `SKILL.md`, and other paths that are taken: relative, with `/`; the root is empty.

    With `whole` they are all that a check could look at, which may be nothing.
    """

    folders: frozenset[str]
    others: frozenset[str]
    whole: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether no skill is taken, and nothing that leads to one. A whole repository may be checked without any."""
        return not self.whole and not self.folders and MARKETPLACE not in self.others

    def scope(self, path: str) -> str:
        """The innermost of the folders that `path` lies in, which a link there may not leave; else the source."""
        return self._around(path) or ""

    def taken(self, path: str) -> bool:
        """Whether `path` is part of what is taken; the folders above it are not."""
        return path in self.others or path in self.folders or self._around(path) is not None

    def _around(self, path: str) -> str | None:
        while path:
            # Of an absolute path, `dirname` never becomes empty.
            path = path.rpartition("/")[0]
            if path in self.folders:
                return path
        return None


ENTIRE = PlainParts(frozenset({""}), frozenset(), whole=True)
"""All of a repository."""


def plain_parts(entries: Iterable[tuple[str, EntryKind]], *, whole: bool = False) -> PlainParts:
    """The parts of a plain repository with these paths; with `whole` all that a check could look at, however deep.

    That is, beside the skills, the files of workspaces and sources, and whole folders `.skills`.
    """
    paths = {path: kind for path, kind in entries if kind in (EntryKind.FILE, EntryKind.LINK)}
    known = [path for path in paths if not left_out(path)]
    links = [path for path in known if paths[path] is EntryKind.LINK]
    folders = {posixpath.dirname(path) for path in known if is_skill_file(path)}
    others = {path for path in _TAKEN if paths.get(path) is EntryKind.FILE}
    # A link in a skills root, or in a folder of one that groups skills, may lead to a skill.
    others |= {link for link in links if not _SKILL_ROOTS.isdisjoint(link.split("/")[-3:-1])}
    if whole:
        names = [path.split("/") for path in known]
        folders |= {"/".join(parts[: parts.index(SKILL_ROOT) + 1]) for parts in names if SKILL_ROOT in parts[:-1]}
        others |= {path for path in known if posixpath.basename(path) in _CHECKED_FILES}
    return PlainParts(frozenset(folders), frozenset(others), whole)


def is_skill_file(path: str) -> bool:
    """Whether the file at `path` makes its folder a skill."""
    return posixpath.basename(path).lower() == SKILL_FILE.lower()


def above(paths: Iterable[str]) -> set[str]:
    """The folders above the paths, relative, with `/`."""
    found: set[str] = set()
    for path in paths:
        while (path := path.rpartition("/")[0]) and path not in found:
            found.add(path)
    return found
