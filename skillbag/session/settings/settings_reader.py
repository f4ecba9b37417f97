"""Reads the settings of `SKILLBAG.md`, `CONTEXT.md` and `USER_CONTEXT.md`, in the order of entry."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from skillbag.kernel.documents.nodes import Mapping, Scalar, Sequence
from skillbag.kernel.documents.source import DocumentProblem
from skillbag.kernel.fs.read import because
from skillbag.kernel.standard.blocks import OF_SKILLS, entrypoint_settings, mappings, may_set, seeming_keys
from skillbag.kernel.standard.context_blocks import (
    block_faults,
    parameter_entries,
    prohibited_entries,
    tag_entries,
)
from skillbag.kernel.standard.context_declared import resolution_faults
from skillbag.kernel.standard.declarations import BadContextError, Declarations, Level, Place, read_declarations
from skillbag.kernel.standard.unread import misplaced, misspelt_keys, unread_in_context
from skillbag.kernel.workspace.model import ContextFile, Workspace
from skillbag.kernel.workspace.target import ENTRYPOINT
from skillbag.session.settings.settings import (
    ConflictResolution,
    ParameterValue,
    ProhibitedValue,
    Remark,
    SessionSettings,
    TagChange,
    summarize,
)
from skillbag.session.settings.value import given_value, value_of


def read_settings(workspace: Workspace) -> SessionSettings:
    """Read `SKILLBAG.md`, `CONTEXT.md` and `USER_CONTEXT.md`, in this order, each once (clause entry.order).

    Of `SKILLBAG.md` only `parameters` and the values of `prohibit` count: its other blocks are examples.

    Raises:
        BadContextError: a file can't be read, or its blocks are malformed; the message lists the first faults.
    """
    with because("the rules of the workspace"):
        entrypoint = _entrypoint(workspace)
    with because("project context"):
        project = workspace.context
    with because("user context"):
        user = workspace.user_context
    files = [
        (context, level)
        for context, level in ((user, Level.USER_CONTEXT), (project, Level.CONTEXT), (entrypoint, Level.ENTRYPOINT))
        if isinstance(context, ContextFile)
    ]
    faults = [fault for context, level in files for fault in _unreadable_blocks(context, level)]
    blocks = [_Block(mapping, context, level) for context, level in files for mapping in mappings(context)]
    faults += [fault for block in blocks for fault in _faults(block)]
    declarations = _declarations(workspace, faults)
    return SessionSettings(
        tuple(given for block in blocks for given in _given(block)),
        tuple(value for block in blocks for value in _prohibited(block)),
        tuple(change for block in blocks if block.level is Level.USER_CONTEXT for change in _tags(block)),
        tuple(rule for block in blocks if block.level is not Level.ENTRYPOINT for rule in _rules(block)),
        declarations,
        (*_remarks(workspace, blocks), *_unfenced(files)),
    )


class _Block(NamedTuple):
    mapping: Mapping
    context: ContextFile
    level: Level

    def place(self, offset: int) -> Place:
        return Place(_name(self.context), self.context.document.position(offset).line)


def _unfenced(files: Iterable[tuple[ContextFile, Level]]) -> Iterator[Remark]:
    """What is no setting for want of a `yaml` block."""
    for context, level in files:
        text = context.document.text
        if level is not Level.ENTRYPOINT and _has_more(context, seeming_keys(text, 0, len(text))):
            # Few files have such lines, and the others need no rule that looks at them.
            from skillbag.lint.checks.unfenced import unfenced_settings

            for key in unfenced_settings(context.document):
                place = Place(_name(context), context.document.position(key.start).line)
                yield Remark(place, f"`{key.value}` is not in a `yaml` block, so it is ignored; put it in one")


def _has_more(context: ContextFile, keys: AbstractSet[str]) -> bool:
    """Whether there may be one of the keys outside the blocks."""
    text = context.document.text
    inside = [text[block.start : block.end] for block in context.blocks]
    return any(text.count(key) > sum(block.count(key) for block in inside) for key in keys)


def _entrypoint(workspace: Workspace) -> ContextFile | None:
    document = workspace.entrypoint
    if isinstance(document, DocumentProblem):
        where = Place(ENTRYPOINT, document.line)
        raise BadContextError(f"{where}: {document.detail}; fix that first: it is read before all other files")
    return None if document is None else entrypoint_settings(document)


def _declarations(workspace: Workspace, faults: list[str]) -> Declarations:
    """The declarations of skills; raises if they or other blocks have faults."""
    try:
        declarations = read_declarations(workspace)
    except BadContextError as error:
        faults = [*str(error).splitlines(), *faults]
    if faults:
        places = {fault.split(": ")[0]: fault for fault in reversed(faults)}
        raise BadContextError(summarize(list(reversed(places.values()))))
    return declarations


def _unreadable_blocks(context: ContextFile, level: Level) -> Iterator[str]:
    for block in context.blocks:
        if block.problem and _seems_ours(context.document.text[block.start : block.end], level):
            place = Place(_name(context), block.problem.line)
            detail = f"the block is not valid YAML: {block.problem.detail}"
            yield f"{place}: {detail}; quote values with special characters, or take it out"


def _seems_ours(text: str, level: Level) -> bool:
    """Whether a block that can't be read seems to hold settings; the reader of the declarations reports its own."""
    if level is Level.ENTRYPOINT:
        return may_set(text)
    keys = seeming_keys(text, 0, len(text))
    return bool(keys) and keys.isdisjoint(OF_SKILLS)


def _name(context: ContextFile) -> str:
    return os.path.basename(context.document.path)


def _faults(block: _Block) -> Iterator[str]:
    resolutions = () if block.level is Level.ENTRYPOINT else resolution_faults(block.mapping)
    for fault in (*block_faults(block.mapping), *resolutions):
        yield f"{block.place(fault.start)}: {' '.join(fault.reason.split())}; {fault.fix}"


def _given(block: _Block) -> Iterator[ParameterValue]:
    for skill, (key, node) in parameter_entries(block.mapping):
        yield ParameterValue(skill.key.value, key.value, given_value(node), block.level, block.place(key.start))


def _prohibited(block: _Block) -> Iterator[ProhibitedValue]:
    for skill, (key, node) in prohibited_entries(block.mapping):
        for item in node.items if isinstance(node, Sequence) else (node,):
            place = block.place(item.start)
            yield ProhibitedValue(skill.key.value, key.value, value_of(item), block.level, place)


def _tags(block: _Block) -> Iterator[TagChange]:
    # In an entry, removals come after additions: they win in it, and of several entries the last one wins.
    changes = sorted(tag_entries(block.mapping), key=lambda change: (change[0].key.start, not change[2]))
    for skill, tag, add in changes:
        yield TagChange(skill.key.value, tag.value, add, block.place(tag.start))


def _rules(block: _Block) -> Iterator[ConflictResolution]:
    node = block.mapping.get("conflict-resolution")
    for item in node.items if isinstance(node, Sequence) else ():
        if isinstance(item, Mapping) and isinstance(skills := item.get("skills"), Sequence):
            names = tuple(name.value for name in skills.items if isinstance(name, Scalar))
            winner = item.get("winner")
            if isinstance(winner, Scalar):
                yield ConflictResolution(names, winner.value, block.level, block.place(item.start))


def _remarks(workspace: Workspace, blocks: Iterable[_Block]) -> Iterator[Remark]:
    """What the files hold without effect, in the words of the rules."""
    for context, key, better in misplaced(workspace):
        place = Place(_name(context), context.document.position(key.start).line)
        yield Remark(place, f"`{key.value}` has no effect in {place.file}; move it to {better}")
    for block in blocks:
        if block.level is not Level.ENTRYPOINT:
            for key, meant in misspelt_keys(block.mapping):
                yield Remark(block.place(key.start), f"`{key.value}` has no effect; write `{meant}`")
            for fault in unread_in_context(block.mapping):
                advice = f"; {fault.fix}" if fault.fix else ""
                yield Remark(block.place(fault.start), f"{fault.reason}, so it is ignored{advice}")
