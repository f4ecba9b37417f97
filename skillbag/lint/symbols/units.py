"""What is known of one skill, and of the files beside the skills: read again only where something changed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.documents.source import Document, read_document
from skillbag.kernel.fs import tracked
from skillbag.kernel.fs.read import overlaid
from skillbag.kernel.workspace.lock_file import LOCK
from skillbag.kernel.workspace.skill import read_skill
from skillbag.kernel.workspace.target import (
    AGENTS,
    CATALOG,
    CONTEXT,
    ENTRYPOINT,
    SKILL_ROOT,
    USER_CONTEXT,
    SkillFolder,
    Target,
    TargetKind,
)
from skillbag.lint.symbols.in_file import Known, skill_symbols, top_symbols
from skillbag.lint.symbols.values import FileSymbols, Role, Symbol, SymbolKind, skill_symbol

_TOP_FILES = (ENTRYPOINT, AGENTS, CONTEXT, USER_CONTEXT, LOCK, f"{SKILL_ROOT}/{CATALOG}")
_LISTING_FILES = (".claude-plugin/marketplace.json", ".claude-plugin/plugin.json", "skillbag.toml", "pyproject.toml")
"""Files that name the folders of skills: those of plugins, and settings by path."""


class SkillUnit(NamedTuple):
    """A skill: its folder, how it is named, what it says of itself, and what is in its files."""

    folder: SkillFolder
    name: str
    description: str
    files: tuple[FileSymbols, ...]

    @property
    def symbol(self) -> Symbol:
        """The skill's symbol."""
        return skill_symbol(self.name)


def read_unit(folder: SkillFolder, root: str, known: Known) -> SkillUnit:
    """The skill in a folder of the target at `root`; files with a known content are not searched again."""
    skill = read_skill(folder.path, folder.skills_root, root)
    description = skill.description.value if skill.description else ""
    files = skill_symbols(skill, known)
    return SkillUnit(folder, _name(files) or skill.folder, description, files)


def _name(files: tuple[FileSymbols, ...]) -> str | None:
    """The name that a skill's files define."""
    defined = (each.symbol for file in files for each in file.occurrences if each.role is Role.DEFINITION)
    return next((symbol.name for symbol in defined if symbol.kind is SymbolKind.SKILL), None)


def top_paths(target: Target) -> Mapping[str, str]:
    """The absolute paths of the files of a target outside of its skills that may name some."""
    names = _LISTING_FILES if target.kind is TargetKind.SKILLS else (*_TOP_FILES, *_LISTING_FILES)
    return {os.path.join(target.root, *name.split("/")): name for name in names}


def read_top(target: Target, known: Known) -> Iterator[FileSymbols]:
    """What is in the files of a target outside of its skills."""
    for path in top_paths(target):
        if tracked.exists(path) or path in known or _is_open(path):
            document = read_document(path, target.root)
            if isinstance(document, Document):
                yield top_symbols(document, known)


def _is_open(path: str) -> bool:
    return overlaid(path)
