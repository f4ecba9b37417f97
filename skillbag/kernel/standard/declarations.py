"""Dependencies, overrides and prohibitions of skills, as context files and skills declare them, with their places."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.documents import nodes
from skillbag.kernel.documents.nodes import Node, Scalar
from skillbag.kernel.documents.source import Document, DocumentProblem, read_document
from skillbag.kernel.standard.blocks import (
    OF_SKILLS,
    PLAIN,
    BlockFault,
    contexts,
    declared_items,
    declared_lists,
    entries_of,
    items_of,
    mappings,
    seeming_keys,
)
from skillbag.kernel.standard.context_blocks import prohibit_faults
from skillbag.kernel.standard.context_declared import (
    name_faults,
    override_entries,
    override_faults,
    prohibited_skill_faults,
)
from skillbag.kernel.standard.dependencies import context_dependency_faults
from skillbag.kernel.standard.names import fixable, is_name
from skillbag.kernel.workspace.model import ContextFile, Workspace
from skillbag.kernel.workspace.summary import SkillSummary, read_dependencies
from skillbag.kernel.workspace.target import CONTEXT, USER_CONTEXT, skill_path


class BadContextError(UserError):
    """A context file with declarations that can't be used: a line for each, with its place and what to write."""


class Level(IntEnum):
    """Where a value comes from, the highest precedence first (clause precedence.order)."""

    CONVERSATION = 1
    USER_CONTEXT = 2
    CONTEXT = 3
    ENTRYPOINT = 4
    SKILL = 5
    DISCOVERED = 6

    @property
    def label(self) -> str:
        """Its name in outputs: `user-context`."""
        return self.name.lower().replace("_", "-")


class Place(NamedTuple):
    """Where something is declared: a file relative to the workspace (or source), with `/`, and its 1-based line."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class Declaration(NamedTuple):
    """A declared dependency; `source` and `version` are None where they are not given.

    With `plain` the source may be a plain repository of Agent Skills (the key `plain-dependencies`), and `folder`
    is the one of it that has the skill, where the name does not tell.
    """

    name: str
    source: str | None
    version: str | None
    required: bool
    place: Place
    plain: bool = False
    folder: str | None = None


class Override(NamedTuple):
    """Replaces the source or the version of every declaration of a skill; at least one of both is given."""

    name: str
    source: str | None
    version: str | None
    place: Place


class Prohibition(NamedTuple):
    """A skill that no level below `level` may require."""

    name: str
    place: Place
    level: Level


@dataclass(frozen=True, slots=True)
class Declarations:
    """What the context files declare.

    `dependencies` are `CONTEXT.md`'s, in file order. `overrides` have the effective one for each name: the
    user's before the project's, and the last one of a file. `prohibited` have all, the user's first.
    """

    dependencies: tuple[Declaration, ...]
    overrides: Mapping[str, Override]
    prohibited: Mapping[str, tuple[Prohibition, ...]]

    def prohibits(self, name: str, level: Level) -> Prohibition | None:
        """The prohibition at a higher level that applies to a declaration of `name` at `level`, if any."""
        return next((prohibition for prohibition in self.prohibited.get(name, ()) if prohibition.level < level), None)


_LEVELS = {USER_CONTEXT: Level.USER_CONTEXT, CONTEXT: Level.CONTEXT}


def read_declarations(workspace: Workspace) -> Declarations:
    """What `CONTEXT.md` and `USER_CONTEXT.md` declare.

    Raises:
        BadContextError: a file can't be read, or a declaration is malformed; all such places are named.
    """
    if faults := list(_faults(workspace)):
        raise BadContextError("\n".join(faults))
    readable = list(contexts(workspace))
    project = [context for context in readable if _name_of(context) == CONTEXT]
    dependencies = [dependency for context in project for dependency in _dependencies(context)]
    overrides = {override.name: override for context in readable for override in _overrides(context)}
    prohibited: dict[str, tuple[Prohibition, ...]] = {}
    for context in reversed(readable):
        for prohibition in _prohibitions(context):
            prohibited[prohibition.name] = (*prohibited.get(prohibition.name, ()), prohibition)
    return Declarations(tuple(dependencies), overrides, prohibited)


def skill_wants(card: SkillSummary) -> tuple[Declaration, ...]:
    """A skill's own dependencies, each by a canonical name.

    Malformed ones are left out: the rules report them, those of a source before anything is written.
    """
    if not card.dependencies:
        return ()
    document = read_document(card.path, os.path.dirname(card.skills_root))
    file = skill_path(card.folder)
    return tuple(
        Declaration(name.value, source, version, required, _place(document, name.start, file))
        for name, source, version, required in card.dependencies
        if is_name(name.value)
    )


def _place(document: Document | DocumentProblem, offset: int, file: str) -> Place:
    return Place(file, document.position(offset).line if isinstance(document, Document) else 1)


def _name_of(context: ContextFile) -> str:
    return os.path.basename(context.document.path)


def _dependencies(context: ContextFile) -> Iterator[Declaration]:
    for mapping in mappings(context):
        for node in declared_lists(mapping):
            plain = node is mapping.get(PLAIN)
            for name, source, version, required in read_dependencies((node,)):
                place = _place(context.document, name.start, CONTEXT)
                folder = _folder(node, name.start) if plain else None
                yield Declaration(name.value, source, version, required, place, plain, folder)


def _folder(node: Node, start: int) -> str | None:
    """The `folder` of the item whose name begins there."""
    item = next(item for item in items_of(node) if item.start <= start < item.end)
    folder = item.get("folder") if isinstance(item, nodes.Mapping) else None
    return folder.value if isinstance(folder, Scalar) else None


def _overrides(context: ContextFile) -> Iterator[Override]:
    for mapping in mappings(context):
        for key, value in override_entries(mapping):
            given = {name.value: text.value for name, text in entries_of(value) if isinstance(text, Scalar)}
            place = _place(context.document, key.start, _name_of(context))
            yield Override(key.value, given.get("source"), given.get("version"), place)


def _prohibitions(context: ContextFile) -> Iterator[Prohibition]:
    file = _name_of(context)
    for mapping in mappings(context):
        prohibit = mapping.get("prohibit")
        skills = prohibit.get("skills") if isinstance(prohibit, nodes.Mapping) else None
        for item in items_of(skills):
            if isinstance(item, Scalar):
                yield Prohibition(item.value, _place(context.document, item.start, file), _LEVELS[file])


def _faults(workspace: Workspace) -> Iterator[str]:
    for file, context in ((CONTEXT, workspace.context), (USER_CONTEXT, workspace.user_context)):
        if isinstance(context, DocumentProblem):
            yield f"{Place(file, context.line)}: {context.detail}; correct that first: it may forbid what was asked for"
        elif context is not None:
            for fault in sorted(_context_faults(context)):
                yield f"{_place(context.document, fault.start, file)}: {fault.reason}; {fault.fix}"


def _context_faults(context: ContextFile) -> Iterator[BlockFault]:
    for block in context.blocks:
        if block.problem and seeming_keys(context.document.text, block.start, block.end) & OF_SKILLS:
            detail = f"the block is not valid YAML: {block.problem.detail} (line {block.problem.line})"
            yield BlockFault(block.start, block.end, detail, "quote values with special characters, or take it out")
    for mapping in mappings(context):
        if _name_of(context) == CONTEXT:
            yield from context_dependency_faults(mapping)
            yield from _name_faults(mapping)
        yield from override_faults(mapping)
        # Prohibited values of parameters are checked where inputs are resolved.
        if not isinstance(mapping.get("prohibit"), nodes.Mapping):
            yield from prohibit_faults(mapping)
        yield from prohibited_skill_faults(mapping)


def _name_faults(mapping: nodes.Mapping) -> Iterator[BlockFault]:
    """Names in another spelling, which `context_dependency_faults` leaves to the rule about canonical names."""
    for item in declared_items(mapping):
        name = item.get("name") if isinstance(item, nodes.Mapping) else None
        if isinstance(name, Scalar) and fixable(name.value):
            yield from name_faults(name)
