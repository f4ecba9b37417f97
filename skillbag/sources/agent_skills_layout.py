"""What is taken of a plain repository of Agent Skills, decided from paths, before any file is read.

It is all that `layout.plain_folders` could find to be a skill: each folder with a `SKILL.md`, the links that may lead
to one, and `AGENTS.md`, which tells whether the repository is a plain one; and the list of a marketplace.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable
from typing import NamedTuple

from skillbag.workspace.lock_file import LOCK
from skillbag.workspace.target import (
    AGENTS,
    CONTEXT,
    ENTRYPOINT,
    MARKETPLACE,
    SKILL_FILE,
    SKILL_ROOT,
    USER_CONTEXT,
)
from skillbag.workspace.tree import left_out

NO_SKILLS = f"it holds no Agent Skills: there is no folder with a `{SKILL_FILE}` in it"
"""Why nothing can be taken of a repository."""

TAKES_PLAIN = "plain Agent Skills: --plain takes them"
"""The end of a hint for who meant to."""

_ROOTS = frozenset({"skills", SKILL_ROOT})


_TAKEN = (AGENTS, MARKETPLACE)
_OWN_FILES = frozenset({ENTRYPOINT, AGENTS, CONTEXT, USER_CONTEXT, LOCK})

STAND_IN = b"\xff"
"""What stands where a `whole` source has a file that was not taken: links to it lead somewhere. It is no text, so that
nothing is told of what it says."""


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


class WholeParts(PlainParts):
    """What a check could look at, which may be nothing."""

    @property
    def is_empty(self) -> bool:
        """Never: that there is nothing to check is an answer too."""
        return False


def whole_parts(files: Iterable[str], links: Iterable[str]) -> WholeParts:
    """The parts of a repository with these files and links that a check could look at, however deep they lie.

    Those are, beside the skills, the files of workspaces and sources, and whole folders `.skills`.
    """
    files, links = list(files), list(links)
    plain = plain_parts(files, links)
    known = [path for path in (*files, *links) if not left_out(path)]
    roots = {posixpath.dirname(path) for path in known if SKILL_ROOT in path.split("/")[:-1]}
    roots = {"/".join(root.split("/")[: root.split("/").index(SKILL_ROOT) + 1]) for root in roots}
    own = {path for path in known if posixpath.basename(path) in _OWN_FILES}
    return WholeParts(plain.folders | roots, plain.others | own)


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
