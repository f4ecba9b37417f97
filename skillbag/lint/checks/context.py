"""Context files: dependencies, conflict resolutions, shadowed and misspelt keys, and settings."""

from __future__ import annotations

import os
from collections.abc import Iterator

from skillbag.kernel.documents.nodes import Mapping, Node
from skillbag.kernel.documents.source import Document, Position
from skillbag.kernel.standard.blocks import (
    BlockFault,
    context_mappings,
    contexts,
    entries_of,
    entrypoint_settings,
    items_of,
    mappings,
    may_set,
)
from skillbag.kernel.standard.context_blocks import block_faults, tag_entries
from skillbag.kernel.standard.context_declared import (
    override_entries,
    override_faults,
    prohibited_skill_faults,
    resolution_faults,
    resolved_names,
)
from skillbag.kernel.standard.dependencies import context_dependency_faults
from skillbag.kernel.standard.names import fixable
from skillbag.kernel.standard.reserved import reserved_faults
from skillbag.kernel.standard.tags import odd_tags
from skillbag.kernel.standard.unread import misplaced, misspelt_keys, unread_in_context
from skillbag.kernel.workspace.model import ContextFile, Inventory, Workspace
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject, fault_matches, match_at, unread_matches


@Predicate("context-dependency", Subject.INVENTORY, values=("reason",))
def context_dependency(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """Dependencies of `CONTEXT.md` that are not a list of `{name, version, source}`."""
    context = inventory.workspace.context
    if isinstance(context, ContextFile):
        for mapping in mappings(context):
            yield from fault_matches(context.document.path, context_dependency_faults(mapping))


@Predicate("conflict-resolution-invalid", Subject.INVENTORY, values=("reason",))
def conflict_resolution_shape(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """Values of `conflict-resolution` that are not a list of `{skills, winner}` with the winner among the skills."""
    for context, mapping in context_mappings(inventory.workspace):
        yield from fault_matches(context.document.path, resolution_faults(mapping))


@Predicate("definition-shadowed", Subject.INVENTORY, values=("what", "line"))
def shadowed(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """Definitions of a context file that a later one in the same file takes the place of."""
    for context in contexts(inventory.workspace):
        last: dict[tuple[str, ...], Node] = {}
        for mapping in mappings(context):
            for key, node in _definitions(mapping):
                if key in last:
                    line = context.document.position(node.start).line
                    values = {"what": " ".join(key)[:120], "line": str(line)}
                    yield match_at(context.document.path, last[key], values)
                last[key] = node


def _definitions(mapping: Mapping) -> Iterator[tuple[tuple[str, ...], Node]]:
    """What a block defines, by a key that equal definitions share."""
    for skill in entries_of(mapping.get("parameters")):
        for name, _ in entries_of(skill.value):
            yield ("parameter", skill.key.value, name.value), name
    for name, _ in entries_of(mapping.get("overrides")):
        yield ("override", name.value), name
    for item in items_of(mapping.get("conflict-resolution")):
        if isinstance(item, Mapping) and (names := resolved_names(item.get("skills"))):
            yield ("winner", *sorted(names)), item


@Predicate("setting-misspelled", Subject.INVENTORY, values=("key", "meant"))
def misspelt_setting(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """Keys that are nearly one of a context file's, with a value that has the form of such."""
    for context, mapping in context_mappings(inventory.workspace):
        for key, meant in misspelt_keys(mapping):
            yield match_at(context.document.path, key, {"key": key.value, "meant": meant})


@Predicate("context-key-unread", Subject.INVENTORY, values=("reason", "advice"))
def unread_key(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """Keys in the declarations of context files that nothing reads; raised where another one is plainly meant."""
    for context, mapping in context_mappings(inventory.workspace):
        yield from unread_matches(context.document.path, unread_in_context(mapping))


def setting_files(workspace: Workspace) -> Iterator[ContextFile]:
    """The files whose settings count: `SKILLBAG.md`, if it has any, and the context files."""
    document = workspace.entrypoint
    if isinstance(document, Document) and (entrypoint := entrypoint_settings(document)):
        yield entrypoint
    yield from contexts(workspace)


@Predicate("setting-invalid", Subject.INVENTORY, values=("reason", "advice"))
def malformed_setting(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """What is malformed in `parameters`, `tags`, `prohibit` and `overrides`, and of the reserved skill's parameters.

    Invalid YAML in context files has a rule of its own.
    """
    for context in setting_files(inventory.workspace):
        is_context = context.document is not inventory.workspace.entrypoint
        if not is_context:
            yield from _unread(context)
        for mapping in mappings(context):
            faults = (*block_faults(mapping), *(_declared_faults(mapping) if is_context else ()))
            yield from fault_matches(context.document.path, faults)
        yield from fault_matches(context.document.path, reserved_faults(mappings(context)))


def _declared_faults(mapping: Mapping) -> Iterator[BlockFault]:
    """Malformed declarations that only context files have; names in another spelling have a rule of their own."""
    yield from prohibited_skill_faults(mapping)
    respelled = {(entry.key.start, entry.key.end) for entry in override_entries(mapping) if fixable(entry.key.value)}
    yield from (fault for fault in override_faults(mapping) if (fault.start, fault.end) not in respelled)


def _unread(context: ContextFile) -> Iterator[Match]:
    for block in context.blocks:
        if block.problem and may_set(context.document.text[block.start : block.end]):
            reason = f"the block is not valid YAML: {block.problem.detail}"
            values = {"reason": reason, "advice": "quote values with special characters, or take it out"}
            yield Match(context.document.path, values=values, at=Position(block.problem.line, block.problem.column))


@Predicate("setting-misplaced", Subject.INVENTORY, values=("what", "file", "better"))
def misplaced_setting(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """Settings in a file where they have no effect, such as changes of tags in `CONTEXT.md`."""
    for context, key, better in misplaced(inventory.workspace, agents=True):
        path = context.document.path
        yield match_at(path, key, {"what": key.value, "file": os.path.basename(path), "better": better})


@Predicate("setting-tag-unknown", Subject.INVENTORY, values=("tag", "meant"))
def idle_tag(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """Tags of the groups `run` and `use` in user context that have no meaning."""
    context = inventory.workspace.user_context
    if not isinstance(context, ContextFile):
        return
    for mapping in mappings(context):
        for _skill, tag, _add in tag_entries(mapping):
            for odd in odd_tags(tag.value):
                meant = f"`{odd.meant}`" if odd.meant else "`#run/always`, `#run/last` or `#use/` and a canonical name"
                yield match_at(context.document.path, tag, {"tag": tag.value[:80], "meant": meant})
