"""The workspace: a frozen, lazy view of one target. Files are read when they are first needed."""

from __future__ import annotations

import os
from collections.abc import Iterator

from skillbag.kernel.base.records import NamedTuple, cached_property
from skillbag.kernel.documents.catalog import Catalog, is_listable, parse_catalog
from skillbag.kernel.documents.frontmatter import Block, yaml_blocks
from skillbag.kernel.documents.markdown import scan
from skillbag.kernel.documents.source import Document, DocumentProblem, read_document
from skillbag.kernel.fs import tracked
from skillbag.kernel.fs.read import overlaid
from skillbag.kernel.workspace.discovery import workspace_root
from skillbag.kernel.workspace.skill import Skill, read_skill
from skillbag.kernel.workspace.summary import SkillSummary
from skillbag.kernel.workspace.target import (
    AGENTS,
    CATALOG,
    CONTEXT,
    ENTRYPOINT,
    LOCK,
    SKILL_FILE,
    SKILL_ROOT,
    USER_CONTEXT,
    SkillFolder,
    Target,
    TargetKind,
    installed,
)
from skillbag.kernel.workspace.text import TextFile
from skillbag.kernel.workspace.tree import FILE, is_folder, list_tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from skillbag.kernel.workspace.lock_file import BadLockError, Lock


class ContextFile(NamedTuple):
    """`CONTEXT.md` or `USER_CONTEXT.md` with the values of its fenced `yaml` blocks, in order."""

    document: Document
    blocks: tuple[Block, ...]


def context_file(document: Document) -> ContextFile:
    """A document with its blocks."""
    return ContextFile(document, tuple(yaml_blocks(document, scan(document.text))))


class Workspace(NamedTuple):
    """One target. Documents are None where the file does not exist, a `DocumentProblem` where it can't be read."""

    target: Target

    @classmethod
    def of(cls, target: Target, folders: tuple[SkillFolder, ...]) -> Workspace:
        """The workspace of a target whose skill folders are known already."""
        workspace = cls(target)
        vars(workspace)["skill_folders"] = folders
        return workspace

    @property
    def root(self) -> str:
        """The absolute root."""
        return self.target.root

    @property
    def kind(self) -> TargetKind:
        """Workspace, source or plain skills."""
        return self.target.kind

    def path(self, *names: str) -> str:
        """An absolute path below the root."""
        return os.path.join(self.target.root, *names)

    @cached_property
    def entrypoint(self) -> Document | DocumentProblem | None:
        """`SKILLBAG.md`."""
        return self._document(ENTRYPOINT)

    @cached_property
    def agents(self) -> Document | DocumentProblem | None:
        """`AGENTS.md`."""
        return self._document(AGENTS)

    @cached_property
    def catalog_document(self) -> Document | DocumentProblem | None:
        """`.skills/SKILLS.md`."""
        return self._document(SKILL_ROOT, CATALOG)

    @cached_property
    def catalog(self) -> Catalog | None:
        """The catalog's lines; None where there is none or it can't be read."""
        return parse_catalog(self.catalog_document) if isinstance(self.catalog_document, Document) else None

    @cached_property
    def context(self) -> ContextFile | DocumentProblem | None:
        """`CONTEXT.md`."""
        return self._context(CONTEXT)

    @cached_property
    def user_context(self) -> ContextFile | DocumentProblem | None:
        """`USER_CONTEXT.md`."""
        return self._context(USER_CONTEXT)

    @cached_property
    def lock(self) -> Lock | BadLockError | None:
        """The lock; None where there is none, and the error where it can't be used."""
        # Sources and plain trees have no lock, and need no reader for one.
        if not tracked.exists(self.path(LOCK)):
            return None
        from skillbag.kernel.workspace.lock_file import BadLockError, read_lock

        try:
            return read_lock(self.root)
        except BadLockError as error:
            return error

    @cached_property
    def has_skill_root(self) -> bool:
        """Whether `.skills/` is a folder."""
        return tracked.is_folder(self.path(SKILL_ROOT))

    @cached_property
    def skill_folders(self) -> tuple[SkillFolder, ...]:
        """The folders that may hold a skill, sorted by path; hidden ones are left out.

        Each real folder is there once: as itself, not as a link that leads to it; of several links the first by path.
        """
        found: dict[str, SkillFolder] = {}
        children = [child for root in self.target.skill_roots for child in _children(root, self.root)]
        loose = [path for path in self.target.loose if not tracked.is_link(path) or tracked.within(self.root, path)]
        children += [_Child(_folder_at(path), tracked.real(path), tracked.is_link(path)) for path in loose]
        # The system lists folders in any order.
        for child in sorted(children, key=lambda child: (child.is_link, child.folder.path)):
            if not self.target.only or child.folder.path in self.target.only:
                found.setdefault(child.real, child.folder)
        for path in self.target.only:
            # A skill that exists only in an overlay: an editor's file that was never saved.
            if overlaid(os.path.join(path, SKILL_FILE)):
                found.setdefault(path, _folder_at(path))
        return tuple(sorted(found.values(), key=lambda folder: folder.path))

    def skills(self) -> Iterator[Skill]:
        """Read the skills one after the other; none is kept, to bound the memory."""
        for folder in self.skill_folders:
            yield read_skill(folder.path, folder.skills_root, self.root)

    def texts(self) -> Iterator[TextFile]:
        """The texts of the target itself, outside its skills."""
        contexts = [c.document if isinstance(c, ContextFile) else c for c in (self.context, self.user_context)]
        for document in (self.entrypoint, self.agents, *contexts, self.catalog_document):
            if isinstance(document, Document):
                yield TextFile(document, os.path.relpath(document.path, self.root).replace(os.sep, "/"), "markdown")

    def _document(self, *names: str) -> Document | DocumentProblem | None:
        if self.kind is TargetKind.SKILLS:
            return None
        document = read_document(self.path(*names), self.root)
        return None if isinstance(document, DocumentProblem) and document.kind == "missing" else document

    def _context(self, name: str) -> ContextFile | DocumentProblem | None:
        document = self._document(name) if self.kind is TargetKind.WORKSPACE else None
        return context_file(document) if isinstance(document, Document) else document


_MANY = 50_000
"""Files of a target that are listed at most."""


class Inventory(NamedTuple):
    """A workspace with the summaries ("cards") of all its skills: the subject of target-level rules."""

    workspace: Workspace
    cards: tuple[SkillSummary, ...]

    @property
    def all_cards(self) -> Iterator[SkillSummary]:
        """The cards, each followed by those of the skills nested in its folder."""
        for card in self.cards:
            yield card
            yield from card.inner

    @cached_property
    def by_folder(self) -> dict[str, SkillSummary]:
        """The cards by folder name; of equal names in several roots the first one."""
        return {card.folder: card for card in reversed(self.cards)}

    @cached_property
    def file_names(self) -> dict[str, list[str]]:
        """The paths of all files below the root, relative, with `/`, by their names: listed where a rule needs them."""
        found: dict[str, list[str]] = {}
        for entry in list_tree(self.workspace.root, _MANY).entries:
            if entry.kind is FILE:
                found.setdefault(entry.relative.rpartition("/")[2], []).append(entry.relative)
        return found

    @cached_property
    def listed(self) -> frozenset[str]:
        """The names in the catalog."""
        catalog = self.workspace.catalog
        return frozenset([line.name for line in catalog.lines] if catalog else ())

    def catalog_lines(self) -> list[tuple[str, str]]:
        """The lines that the catalog should have: valid skills, and the old lines of unreadable ones.

        A folder whose name no line can have is left out; a rule reports the name.
        """
        lines = {card.folder: card.description.value for card in self.cards if card.valid and card.description}
        lines = {name: description for name, description in lines.items() if is_listable(name)}
        catalog = self.workspace.catalog
        for line in catalog.lines if catalog else ():
            card = self.by_folder.get(line.name)
            if card is not None and not card.valid:
                lines.setdefault(line.name, line.description)
        return sorted(lines.items())


def take_inventory(workspace: Workspace) -> Inventory:
    """Read every skill for its card."""
    return Inventory(workspace, tuple(skill.card for skill in workspace.skills()))


class _Child(NamedTuple):
    """A folder in a skills root, with its real path."""

    folder: SkillFolder
    real: str
    is_link: bool


def _folder_at(path: str) -> SkillFolder:
    parent, name = os.path.split(path)
    return SkillFolder(name, path, parent)


def _children(skills_root: str, root: str) -> Iterator[_Child]:
    """The folders in a skills root."""
    try:
        entries = tracked.entries(skills_root)
    except OSError:
        return
    inside, real_root = tracked.real(root) + os.sep, tracked.real(skills_root)
    for entry in entries:
        if entry.name.startswith(".") or not is_folder(entry):
            continue
        is_link = entry.is_symlink()
        real = tracked.real(entry.path) if is_link else f"{real_root}{os.sep}{entry.name}"
        # A link that leaves the target is reported by a rule, and not followed.
        if not is_link or real.startswith(inside):
            yield _Child(SkillFolder(entry.name, entry.path, skills_root), real, is_link)


def open_workspace(folder: str) -> Workspace:
    """The workspace around a folder, read lazily: each file when it is first needed, and once.

    Raises:
        NoWorkspaceError: there is none.
    """
    return Workspace(installed(TargetKind.WORKSPACE, workspace_root(os.path.abspath(folder))))
