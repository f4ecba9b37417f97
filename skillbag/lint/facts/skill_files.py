"""The files of a skill as its code names them, and the names that they share: functions, values, arguments, input.

A shared name is `skill:PATH:MEMBER`. MEMBER is a variable, the result of a function (`send()`), its parameter by number
or name (`send#0`, `send.text`); of a program it is an argument (`argv#1`, `argv`, `--key`), `stdin`, `stdout` or a
variable of the environment (`env:KEY`).
"""

from __future__ import annotations

import posixpath

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.documents.source import Document
from skillbag.kernel.workspace.skill import Skill
from skillbag.lint.facts.units import Unit
from skillbag.lint.facts.values import SHARED_MEMBER

_FOLDER = late(r"\A(?:\$\([^()]*(?:\([^()]*\))?[^()]*\)|\$\{?\w+\}?|\0|\.{1,2})/")
"""A folder that is known at run time only."""
_LONGEST = 1_000
"""Characters of a path that may be that of a file."""
_JAVASCRIPT = ("", ".js", ".mjs", ".cjs", ".ts", ".tsx", ".jsx", "/index.js", "/index.ts")


class FilesBeside:
    """The files beside a unit. `own` is the path of the program that the unit is; empty for a part of a text."""

    def __init__(self, skill: Skill | None = None, own: str = "") -> None:
        self.skill, self.own = skill, own

    @classmethod
    def of(cls, unit: Unit) -> FilesBeside:
        """The files beside a unit."""
        is_whole = unit.origin == "script" and len(unit.text) == len(unit.file.document.text)
        return cls(unit.file.skill, unit.file.relative if is_whole else "")

    def member(self, name: str) -> str:
        """A shared name of this program; empty for a part of a text."""
        return member(self.own, name) if self.own else ""

    def path(self, name: str) -> str:
        """The relative path of the file that a path in code means; empty where the skill has none such."""
        if self.skill is None or not name or len(name) > _LONGEST:
            return ""
        while match := _FOLDER().match(name):
            name = name[match.end() :]
        wanted = posixpath.normpath(name).split("/")
        found = [path for path in self._named(wanted[-1]) if _ends(path.split("/"), wanted)]
        beside = posixpath.dirname(self.own)
        return min(found, key=lambda path: (posixpath.dirname(path) != beside, path), default="")

    def _named(self, name: str) -> list[str]:
        if self.skill is None:
            return []
        start = len(self.skill.directory) + 1
        return [path[start:].replace("\\", "/") for path in self.skill.named.get(name, ())]

    def python(self, module: str) -> str:
        """The file of a module that code imports."""
        name = module.strip(".").replace(".", "/")
        return self.path(f"{name}.py") or self.path(f"{name}/__init__.py") if name else ""

    def javascript(self, module: str) -> str:
        """The file of a module that code requires by its path."""
        if not module.startswith("."):
            return ""
        return next(filter(None, (self.path(f"{module}{ending}") for ending in _JAVASCRIPT)), "")

    def text(self, path: str) -> str:
        """The text of a file; empty where it is none."""
        document = self.skill.read(path) if self.skill is not None else None
        return document.text if isinstance(document, Document) else ""


def member(path: str, name: str) -> str:
    """The shared name of a member of a file."""
    return f"{SHARED_MEMBER}{path}:{name}"


def _ends(path: list[str], wanted: list[str]) -> bool:
    """Whether one path is the end of the other."""
    parts = min(len(path), len(wanted))
    return path[-parts:] == wanted[-parts:]
