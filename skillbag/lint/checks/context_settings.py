"""The settings of context files (extensions of the standard): malformed ones and those without effect."""

from __future__ import annotations

import os
from collections.abc import Iterator

from skillbag.kernel.documents.nodes import Mapping, MappingEntry
from skillbag.kernel.documents.source import Document, Position
from skillbag.kernel.standard.blocks import BlockFault, contexts, entrypoint_settings, mappings, may_set
from skillbag.kernel.standard.context_blocks import block_faults, is_ours, tag_entries
from skillbag.kernel.standard.context_declared import override_entries, override_faults, prohibited_skill_faults
from skillbag.kernel.standard.names import fixable, is_name
from skillbag.kernel.standard.reserved import reserved_faults
from skillbag.kernel.workspace.model import ContextFile, Inventory, Workspace
from skillbag.kernel.workspace.target import CONTEXT, USER_CONTEXT
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject, fault_matches, match_at

_RUN_TAGS = ("#run/always", "#run/last")


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
    """Changes of tags in `CONTEXT.md`, and prohibited skills in `SKILLBAG.md`."""
    workspace = inventory.workspace
    for context in setting_files(workspace):
        for mapping in mappings(context):
            prohibit = mapping.get("prohibit")
            if context is workspace.context and is_ours(mapping, "tags"):
                yield from _misplaced(context, mapping.entry("tags"), f"`{USER_CONTEXT}`")
            elif context.document is workspace.entrypoint and isinstance(prohibit, Mapping):
                yield from _misplaced(context, prohibit.entry("skills"), f"`{CONTEXT}` or `{USER_CONTEXT}`")


def _misplaced(context: ContextFile, entry: MappingEntry | None, better: str) -> Iterator[Match]:
    path = context.document.path
    if entry:
        yield match_at(path, entry.key, {"what": entry.key.value, "file": os.path.basename(path), "better": better})


@Predicate("setting-tag-unknown", Subject.INVENTORY, values=("tag", "meant"))
def idle_tag(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """Tags of the groups `run` and `use` in user context that have no meaning."""
    context = inventory.workspace.user_context
    if not isinstance(context, ContextFile):
        return
    for mapping in mappings(context):
        for _skill, tag, _add in tag_entries(mapping):
            if meant := _meant(tag.value):
                yield match_at(context.document.path, tag, {"tag": tag.value[:80], "meant": meant})


def _meant(tag: str) -> str:
    """A suggestion for a tag without a meaning; empty if the tag is valid or of another group."""
    group, _, name = tag.partition("/")
    if group.lower() == "#run" and tag not in _RUN_TAGS:
        return f"`{tag.lower()}`" if tag.lower() in _RUN_TAGS else "`#run/always` or `#run/last`"
    if group.lower() == "#use" and not (group == "#use" and is_name(name)):
        better = name if is_name(name) else fixable(name)
        return f"`#use/{better}`" if better else "`#use/` and a canonical name"
    return ""
