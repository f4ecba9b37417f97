"""Reads the settings of `SKILLBAG.md`, `CONTEXT.md` and `USER_CONTEXT.md`, in the order of entry."""

from __future__ import annotations

import os
from collections.abc import Iterator

from skillbag.documents.nodes import Mapping, Scalar, Sequence
from skillbag.documents.source import DocumentProblem
from skillbag.fs.read import because
from skillbag.lifecycle.diagnostics import Remark, summarize
from skillbag.lifecycle.settings import ConflictResolution, ParameterValue, ProhibitedValue, Settings, TagChange
from skillbag.lifecycle.value import given_value, value_of
from skillbag.standard.blocks import OF_SKILLS, mappings, seeming_keys
from skillbag.standard.context_blocks import (
    block_faults,
    is_ours,
    parameter_entries,
    prohibited_entries,
    tag_entries,
)
from skillbag.standard.context_declared import resolution_faults
from skillbag.standard.declarations import (
    BadContextError,
    Declarations,
    Level,
    Place,
    read_declarations,
)
from skillbag.standard.entrypoint_settings import entrypoint_settings, may_set
from skillbag.workspace.model import ContextFile, Workspace
from skillbag.workspace.target import CONTEXT, ENTRYPOINT, USER_CONTEXT


def read_settings(workspace: Workspace) -> Settings:
    """Read `SKILLBAG.md`, `CONTEXT.md` and `USER_CONTEXT.md`, in this order, each once (clause entry.order).

    Of `SKILLBAG.md` only `parameters` and the values of `prohibit` count: its other blocks show how things are written.

    Raises:
        BadContextError: a file can't be read, or something in its blocks is malformed; the first such places are named.
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
    faults = [fault for context, level in files for fault in _faults(context, level)]
    declarations = _declarations(workspace, faults)
    return Settings(
        tuple(given for context, level in files for given in _given(context, level)),
        tuple(value for context, level in files for value in _prohibited(context, level)),
        tuple(change for context, level in files if level is Level.USER_CONTEXT for change in _tags(context)),
        tuple(rule for context, level in files if level is not Level.ENTRYPOINT for rule in _rules(context, level)),
        declarations,
        tuple(remark for context, level in files for remark in _remarks(context, level)),
    )


def _entrypoint(workspace: Workspace) -> ContextFile | None:
    document = workspace.entrypoint
    if isinstance(document, DocumentProblem):
        where = Place(ENTRYPOINT, document.line)
        raise BadContextError(f"{where}: {document.detail}; mend that first: it is read before all else")
    return None if document is None else entrypoint_settings(document)


def _declarations(workspace: Workspace, faults: list[str]) -> Declarations:
    """The declarations of skills, unless these or the `faults` of other blocks have to be mended first."""
    try:
        declarations = read_declarations(workspace)
    except BadContextError as error:
        faults = [*str(error).splitlines(), *faults]
    if faults:
        places = {fault.split(": ")[0]: fault for fault in reversed(faults)}
        raise BadContextError(summarize(list(reversed(places.values()))))
    return declarations


def _faults(context: ContextFile, level: Level) -> Iterator[str]:
    for block in context.blocks:
        if block.problem and _is_ours_to_read(context.document.text[block.start : block.end], level):
            detail = f"the block is no YAML that can be read: {block.problem.detail}"
            place = Place(_name(context), block.problem.line)
            yield f"{place}: {detail}; quote values with special characters, or take it out"
    for mapping in mappings(context):
        resolutions = () if level is Level.ENTRYPOINT else resolution_faults(mapping)
        for fault in (*block_faults(mapping), *resolutions):
            yield f"{_place(context, fault.start)}: {' '.join(fault.reason.split())}; {fault.fix}"


def _is_ours_to_read(text: str, level: Level) -> bool:
    """Whether a block that is no YAML seems to hold what is read here; who reads the declarations reports theirs."""
    if level is Level.ENTRYPOINT:
        return may_set(text)
    keys = seeming_keys(text, 0, len(text))
    return bool(keys) and keys.isdisjoint(OF_SKILLS)


def _name(context: ContextFile) -> str:
    return os.path.basename(context.document.path)


def _place(context: ContextFile, offset: int) -> Place:
    return Place(_name(context), context.document.position(offset).line)


def _given(context: ContextFile, level: Level) -> Iterator[ParameterValue]:
    for mapping in mappings(context):
        for skill, entry in parameter_entries(mapping):
            place = _place(context, entry.key.start)
            yield ParameterValue(skill.key.value, entry.key.value, given_value(entry.value), level, place)


def _prohibited(context: ContextFile, level: Level) -> Iterator[ProhibitedValue]:
    for mapping in mappings(context):
        for skill, entry in prohibited_entries(mapping):
            for item in entry.value.items if isinstance(entry.value, Sequence) else (entry.value,):
                place = _place(context, item.start)
                yield ProhibitedValue(skill.key.value, entry.key.value, value_of(item), level, place)


def _tags(context: ContextFile) -> Iterator[TagChange]:
    for mapping in mappings(context):
        # What an entry removes comes after what it adds: removal wins in it, and of several entries the last one.
        for skill, tag, add in sorted(tag_entries(mapping), key=lambda change: (change[0].key.start, not change[2])):
            yield TagChange(skill.key.value, tag.value, add, _place(context, tag.start))


def _rules(context: ContextFile, level: Level) -> Iterator[ConflictResolution]:
    for mapping in mappings(context):
        node = mapping.get("conflict-resolution")
        for item in node.items if isinstance(node, Sequence) else ():
            if isinstance(item, Mapping) and isinstance(skills := item.get("skills"), Sequence):
                names = tuple(name.value for name in skills.items if isinstance(name, Scalar))
                winner = item.get("winner")
                if isinstance(winner, Scalar):
                    yield ConflictResolution(names, winner.value, level, _place(context, item.start))


def _remarks(context: ContextFile, level: Level) -> Iterator[Remark]:
    for mapping in mappings(context):
        if level is Level.CONTEXT and (entry := mapping.entry("tags")) and is_ours(mapping, "tags"):
            text = f"tags are changed in {USER_CONTEXT} alone; these have no effect"
            yield Remark(_place(context, entry.key.start), text)
        prohibit = mapping.get("prohibit") if level is Level.ENTRYPOINT else None
        if isinstance(prohibit, Mapping) and (entry := prohibit.entry("skills")):
            text = f"skills are prohibited in {CONTEXT} and {USER_CONTEXT} alone; this has no effect"
            yield Remark(_place(context, entry.key.start), text)
