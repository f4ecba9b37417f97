"""One skill: its folder, its `SKILL.md` with what both declare, and how it is read."""

from __future__ import annotations

import os
import re
from bisect import bisect_left

from skillbag.kernel.base import clock
from skillbag.kernel.base.records import NamedTuple, cached_property
from skillbag.kernel.documents.catalog import collapse
from skillbag.kernel.documents.frontmatter import Block, FrontMatter, front_matter
from skillbag.kernel.documents.markdown import Markdown, scan
from skillbag.kernel.documents.nodes import Mapping, Node, Scalar, trailing_comment
from skillbag.kernel.documents.source import Document, DocumentProblem, read_document
from skillbag.kernel.fs.read import overlaid
from skillbag.kernel.workspace.declared_blocks import (
    DEPENDENCIES,
    PARAMETERS,
    DeclarationKind,
    DeclaredBlocks,
    declared_blocks,
)
from skillbag.kernel.workspace.summary import Description, Located, SkillSummary, read_dependencies
from skillbag.kernel.workspace.target import MANIFEST_FILE, SKILL_FILE, SKILL_ROOT
from skillbag.kernel.workspace.tree import FILE, Listing, TreeEntry, in_samples, list_tree

CHARACTERS_PER_TOKEN = 4
"""An estimate: tokenizers of language models differ. docs/guide.md says how far it is off."""

_INNER = f"/{SKILL_FILE}"

_TAG_TAIL = re.compile(r"#[a-z0-9-]+/[A-Za-z0-9_-]+")


class Skill(NamedTuple):
    """A skill folder with its `SKILL.md`, as `read_skill` reads it; released after its rules have run.

    `file` is the name of its `SKILL.md`, which differs for some personal skills.
    """

    directory: str
    skills_root: str
    root: str
    listing: Listing
    document: Document | DocumentProblem
    front_matter: FrontMatter | DocumentProblem
    file: str = SKILL_FILE

    @property
    def folder(self) -> str:
        """The folder's name."""
        return self.directory.rpartition(os.sep)[2]

    @property
    def path(self) -> str:
        """Where `SKILL.md` is, or should be."""
        document = self.document
        return document.path if isinstance(document, Document) else os.path.join(self.directory, self.file)

    @property
    def has_manifest(self) -> bool:
        """Whether there is a `SKILL.yaml`: it is an active skill."""
        return _is_listed(self.listing, MANIFEST_FILE)

    @property
    def problem(self) -> DocumentProblem | None:
        """Why `SKILL.md` has no valid front matter."""
        return self.front_matter if isinstance(self.front_matter, DocumentProblem) else None

    @cached_property
    def names(self) -> str:
        """The relative paths of all entries below the folder, with a line feed before and after each."""
        return "\n".join(["", *[entry.relative for entry in self.listing.entries], ""])

    @cached_property
    def paths(self) -> frozenset[str]:
        """Every file, folder and link below the folder, relative, with `/`."""
        return frozenset([entry.relative for entry in self.listing.entries])

    @cached_property
    def named(self) -> dict[str, list[str]]:
        """The absolute paths of the files below the folder, by their names."""
        found: dict[str, list[str]] = {}
        for entry in self.listing.entries:
            if entry.kind is FILE:
                found.setdefault(entry.relative.rpartition("/")[2], []).append(entry.path)
        return found

    @cached_property
    def inner_files(self) -> tuple[TreeEntry, ...]:
        """Every other `SKILL.md` in the folder."""
        return tuple([e for e in self.listing.entries if e.relative.endswith(_INNER) and e.kind is FILE])

    @cached_property
    def inner(self) -> tuple[Skill, ...]:
        """The skills in this one's folder, each without files of its own: they are among this one's. No samples."""
        problem = self.document if isinstance(self.document, DocumentProblem) else None
        if problem and problem.kind == "missing" and os.path.basename(self.skills_root) != SKILL_ROOT:
            # In a plain tree, a folder without `SKILL.md` only groups skills.
            return ()
        return tuple([self._inner(entry) for entry in self.inner_files if not in_samples(entry.relative)])

    @cached_property
    def samples(self) -> tuple[Skill, ...]:
        """The samples of skills in this one's folder, as `inner`: they may be copied, and do harm then."""
        return tuple([self._inner(entry) for entry in self.inner_files if in_samples(entry.relative)])

    def nearest(self, relative: str) -> Skill:
        """The innermost skill that a file of the folder belongs to: this one where none of the others holds it."""
        folders = (relative[:at] for at in range(len(relative), 0, -1) if relative[at : at + 1] == "/")
        return next((self._by_folder[folder] for folder in folders if folder in self._by_folder), self)

    @cached_property
    def _by_folder(self) -> dict[str, Skill]:
        return {entry.relative.rpartition("/")[0]: self._inner(entry) for entry in self.inner_files}

    def _inner(self, entry: TreeEntry) -> Skill:
        document = self.read(entry.relative)
        matter = document if isinstance(document, DocumentProblem) else front_matter(document)
        listing = Listing((TreeEntry(SKILL_FILE, entry.path, FILE),), ())
        return Skill(os.path.dirname(entry.path), self.skills_root, self.root, listing, document, matter)

    def field(self, name: str) -> Node | None:
        """The value of a front matter key."""
        return self.fields.get(name)

    @cached_property
    def fields(self) -> dict[str, Node]:
        """The values of the front matter by their keys."""
        if isinstance(self.front_matter, DocumentProblem):
            return {}
        return {key.value: value for key, value in self.front_matter.mapping.entries}

    @cached_property
    def markdown(self) -> Markdown:
        """The body's structure; empty where there is no body to read."""
        if isinstance(self.document, DocumentProblem):
            return scan("")
        return scan(self.document.text, self.body_start)

    def read(self, relative: str) -> Document | DocumentProblem:
        """A file below the folder, read at most once."""
        if relative not in self._read:
            self._read[relative] = read_document(f"{self.directory}/{relative}", self.root)
        return self._read[relative]

    @cached_property
    def _read(self) -> dict[str, Document | DocumentProblem]:
        return {}

    @property
    def body_start(self) -> int:
        """The offset at which the instructions begin."""
        return 0 if isinstance(self.front_matter, DocumentProblem) else self.front_matter.body

    @cached_property
    def parameter_blocks(self) -> tuple[Block, ...]:
        """The `yaml` blocks that declare parameters, or are under the heading `Parameters`."""
        return self.declared_parameters.blocks

    @cached_property
    def dependency_blocks(self) -> tuple[Block, ...]:
        """The `yaml` blocks that declare dependencies, or are under the heading `Dependencies`."""
        return self.declared_dependencies.blocks

    @cached_property
    def declared_parameters(self) -> DeclaredBlocks:
        """The blocks of parameters, and where they are."""
        return self._declared(PARAMETERS)

    @cached_property
    def declared_dependencies(self) -> DeclaredBlocks:
        """The blocks of dependencies, and where they are."""
        return self._declared(DEPENDENCIES)

    def _declared(self, kind: DeclarationKind) -> DeclaredBlocks:
        document = self.document
        if isinstance(document, DocumentProblem):
            return DeclaredBlocks()
        return declared_blocks(document, self.body_start, lambda: self.markdown, kind)

    @cached_property
    def dependency_nodes(self) -> tuple[Node, ...]:
        """Every value given for `dependencies`: the front matter's, then those of the blocks."""
        nodes = [self.field("dependencies")]
        for block in self.dependency_blocks:
            nodes.append(block.value.get("dependencies") if isinstance(block.value, Mapping) else block.value)
        return tuple(node for node in nodes if node is not None)

    @cached_property
    def description(self) -> Description | None:
        """The description with its tags (decisions.md, Documents)."""
        node = self.field("description")
        if isinstance(self.document, DocumentProblem) or not isinstance(node, Scalar):
            return None
        text, comment = self.document.text, trailing_comment(self.document.text, node)
        if comment is None:
            return Description(collapse(node.value), node.start, node.end)
        words = text[slice(*comment)].rstrip()
        hidden = Located(words, comment[0], comment[0] + len(words))
        counts = node.plain and "\n" not in text[node.start : node.end] and bool(_TAG_TAIL.match(words))
        value = f"{node.value} {words}" if counts else node.value
        return Description(collapse(value), node.start, node.end, hidden, counts)

    @cached_property
    def card(self) -> SkillSummary:
        """The summary."""
        name = self.field("name")
        located = Located(*name[:3]) if isinstance(name, Scalar) and name.value else None
        dependencies, inner = (
            tuple(read_dependencies(self.dependency_nodes)),
            tuple([skill.card for skill in self.inner]),
        )
        place = (self.folder, self.directory, self.path, self.skills_root)
        when, description = self.field("when_to_use"), self.description
        listed = (when.value if isinstance(when, Scalar) else "", self._unlisted)
        return SkillSummary(*place, located, description, dependencies, self.problem, *listed, inner)

    @property
    def _unlisted(self) -> str:
        """The key that keeps the skill out of the list that the model sees, in hosts that know it."""
        off = self.field("disable-model-invocation")
        if isinstance(off, Scalar) and off.value.lower() == "true":
            return "disable-model-invocation"
        return "paths" if self.field("paths") is not None else ""


def read_skill(directory: str, skills_root: str, root: str, file: str = SKILL_FILE) -> Skill:
    """Read a skill of the target at `root`, whose `SKILL.md` is named `file`; faults become `DocumentProblem`s."""
    listing = clock.timed("list", list_tree, directory) if clock.timed else list_tree(directory)
    document = _skill_document(os.path.join(directory, file), file, root, listing)
    matter = document if isinstance(document, DocumentProblem) else front_matter(document)
    return Skill(directory, skills_root, root, listing, document, matter, file)


def _is_listed(listing: Listing, relative: str) -> bool:
    """Whether anything is at a relative path."""
    at = bisect_left(listing.entries, (relative,))
    return at < len(listing.entries) and listing.entries[at].relative == relative


def _skill_document(path: str, file: str, root: str, listing: Listing) -> Document | DocumentProblem:
    # The listing has the real name: a file system that ignores case would open `skill.md` as well.
    if not overlaid(path) and not _is_listed(listing, file):
        if listing.closed:
            return DocumentProblem(path, "permission", "its folder cannot be opened: permission denied")
        for entry in listing.entries:
            if entry.relative.lower() == file.lower():
                return DocumentProblem(entry.path, "wrong-case", f"the file is named {entry.relative}")
        return DocumentProblem(path, "missing", "there is no such file")
    return read_document(path, root)
