"""What is known of one skill, and of the files beside the skills: read again only where something changed."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping

from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.documents.source import Document, read_document
from skillbag.kernel.fs import tracked
from skillbag.kernel.fs.read import overlaid
from skillbag.kernel.standard.blocks import entrypoint_settings
from skillbag.kernel.standard.parameters import declared_parameters
from skillbag.kernel.workspace.lock_file import LOCK
from skillbag.kernel.workspace.model import context_file
from skillbag.kernel.workspace.skill import Skill, read_skill
from skillbag.kernel.workspace.target import (
    AGENTS,
    CATALOG,
    CONTEXT,
    ENTRYPOINT,
    MANIFEST_FILE,
    SKILL_ROOT,
    USER_CONTEXT,
    SkillFolder,
    Target,
    TargetKind,
)
from skillbag.kernel.workspace.text import TextFile, text_files
from skillbag.lint.symbols.collector import Collector, digest_of
from skillbag.lint.symbols.in_documents import (
    collect_catalog,
    collect_context,
    collect_lock,
    collect_manifest,
    collect_skill,
    declared_name,
)
from skillbag.lint.symbols.in_text import collect_text
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


Known = Mapping[str, FileSymbols]
"""What was found in files before, by path: a file with the same content is not searched again."""


def skill_symbols(skill: Skill, known: Known) -> tuple[FileSymbols, ...]:
    """The occurrences in the files of a skill."""
    texts = [text for text in text_files(skill) if isinstance(text, TextFile)]
    if not texts:
        return ()
    main = next((text for text in texts if text.document is skill.document), None)
    manifest = next((text for text in texts if text.relative == MANIFEST_FILE), None)
    changed = [text for text in (main, manifest) if text and not _is_known(text.document, known)]
    names = frozenset(parameter.name.value for parameter in declared_parameters(skill))
    owner = declared_name(skill)
    return tuple(
        known[text.document.path]
        if not changed and _is_known(text.document, known)
        else _in_skill(text, skill, names, owner)
        for text in texts
    )


def _is_known(document: Document, known: Known) -> bool:
    before = known.get(document.path)
    return before is not None and before.digest == digest_of(document)


def _in_skill(text: TextFile, skill: Skill, parameters: Collection[str], owner: str) -> FileSymbols:
    found = Collector(text.document)
    if text.document is skill.document:
        collect_skill(found, skill)
    elif text.relative == MANIFEST_FILE:
        collect_manifest(found)
    collect_text(found, text, parameters, owner)
    return found.result()


def top_symbols(document: Document, known: Known) -> FileSymbols:
    """The occurrences in a file of the target itself."""
    if _is_known(document, known):
        return known[document.path]
    found, name = Collector(document), os.path.basename(document.path)
    if name == LOCK:
        collect_lock(found)
    elif name == CATALOG:
        collect_catalog(found)
    else:
        if name in (CONTEXT, USER_CONTEXT):
            collect_context(found, context_file(document))
        elif name == ENTRYPOINT and (settings := entrypoint_settings(document)):
            collect_context(found, settings)
        language = "markdown" if name.endswith(".md") else "text"
        collect_text(found, TextFile(document, name, language))
    symbols = found.result()
    return _with_definitions(symbols) if name == ENTRYPOINT else symbols


def _with_definitions(symbols: FileSymbols) -> FileSymbols:
    """The same with the tags as definitions: `SKILLBAG.md` says what they do."""
    first: set[str] = set()
    occurrences = []
    for each in symbols.occurrences:
        if each.symbol.kind is SymbolKind.TAG and each.symbol.name not in first:
            first.add(each.symbol.name)
            each = each._replace(role=Role.DEFINITION)
        occurrences.append(each)
    return symbols._replace(occurrences=tuple(occurrences))
