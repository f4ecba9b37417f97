"""What is taken of a plain repository of Agent Skills, told by paths alone, before anything of it is read.

It is all that `layout.plain_folders` could find to be a skill: each folder with a `SKILL.md`, the links that may lead
to one, and `AGENTS.md`, which tells whether the repository is a plain one; and the list of a marketplace.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable
from typing import NamedTuple

from skillbag.workspace.target import AGENTS, SKILL_FILE, SKILL_ROOT
from skillbag.workspace.tree import left_out

NO_SKILLS = f"it holds no Agent Skills: there is no folder with a `{SKILL_FILE}` in it"
"""Why nothing can be taken of a repository."""

TAKES_PLAIN = "plain Agent Skills: --plain takes them"
"""The end of a hint for who meant to."""

MARKETPLACE = ".claude-plugin/marketplace.json"
"""The list of what a repository offers, other repositories among it: it may hold that and no skill of its own."""

_ROOTS = frozenset({"skills", SKILL_ROOT})


_TAKEN = (AGENTS, MARKETPLACE)


class PlainParts(NamedTuple):
    """The folders that hold a `SKILL.md`, and other paths that are taken: relative, with `/`; the root is empty."""

    folders: frozenset[str]
    others: frozenset[str]

    @property
    def is_empty(self) -> bool:
        """Whether nothing is taken that has skills, or leads to some."""
        return not self.folders and MARKETPLACE not in self.others

    def scope(self, path: str) -> str:
        """The innermost of the folders that `path` lies in, which a link there may not leave; else the source."""
        return self._around(path) or ""

    def taken(self, path: str) -> bool:
        """Whether `path` is part of what is taken; the folders above it are not."""
        return path in self.others or path in self.folders or self._around(path) is not None

    def _around(self, path: str) -> str | None:
        while path:
            path = posixpath.dirname(path)
            if path in self.folders:
                return path
        return None


def plain_parts(files: Iterable[str], links: Iterable[str]) -> PlainParts:
    """The parts of a plain repository with these files and links."""
    links = [link for link in links if not left_out(link)]
    files = [path for path in files if path in _TAKEN or (is_skill_file(path) and not left_out(path))]
    folders = frozenset(posixpath.dirname(path) for path in (*files, *links) if is_skill_file(path))
    others = {path for path in files if path in _TAKEN} | {link for link in links if _may_be_skill(link)}
    return PlainParts(folders, frozenset(others))


def is_skill_file(path: str) -> bool:
    """Whether the file at `path` makes its folder a skill."""
    return posixpath.basename(path).lower() == SKILL_FILE.lower()


def _may_be_skill(link: str) -> bool:
    """Whether a link lies where skills lie: in a skills root, or in a folder of one that groups skills."""
    return not _ROOTS.isdisjoint(link.split("/")[-3:-1])


def above(paths: Iterable[str]) -> set[str]:
    """The folders above the paths, relative, with `/`."""
    found: set[str] = set()
    for path in paths:
        while (path := posixpath.dirname(path)) and path not in found:
            found.add(path)
    return found
