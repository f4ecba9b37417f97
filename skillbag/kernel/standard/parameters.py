"""The parameters that a skill declares: their blocks, their shape, and the keys that the standard allows."""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.documents.frontmatter import Block
from skillbag.kernel.documents.nodes import Mapping, Node, Scalar, Sequence
from skillbag.kernel.documents.source import Document, Position
from skillbag.kernel.standard.blocks import BlockFault, entries_of, fault_at, is_empty, items_of, kind_of
from skillbag.kernel.workspace.skill import Skill

LISTS = ("required", "optional")

TYPES = ("string", "number", "boolean", "list")
"""The values of the key `type` that are checked; any other is a description only."""

_KEY = late(r"[\w-][ \t]*:(?:[ \t]|$)", re.MULTILINE)

_TRAITS = {"type", "default", "required", "description"}


class ParameterNode(NamedTuple):
    """One declared parameter; `default` is the node of its default, None without one."""

    name: Scalar
    required: bool
    default: Node | None
    item: Mapping


def declared_parameters(skill: Skill) -> Iterator[ParameterNode]:
    """The well-formed parameters of a skill's blocks, in order."""
    for block in skill.parameter_blocks:
        for key, value in entries_of(block.value):
            for item in items_of(value) if key.value in LISTS else ():
                if isinstance(item, Mapping) and isinstance(name := item.get("name"), Scalar) and name.value:
                    yield ParameterNode(name, key.value == "required", item.get("default"), item)


def repeated_parameters(skill: Skill) -> Iterator[ParameterNode]:
    """Parameters whose name was declared before."""
    names: set[str] = set()
    for parameter in declared_parameters(skill):
        if parameter.name.value in names:
            yield parameter
        names.add(parameter.name.value)


def shape_faults(skill: Skill) -> Iterator[BlockFault]:
    """What is not a list `required` or `optional` of `{name, default?}`; blocks of something else are ignored."""
    for block in skill.parameter_blocks:
        if block.problem is not None:
            if _seems_to_declare(skill, block):
                at = Position(block.problem.line, block.problem.column)
                yield BlockFault(block.start, block.end, block.problem.detail, at=at)
        elif isinstance(block.value, Mapping) and any(block.value.get(key) is not None for key in LISTS):
            yield from _list_faults(block.value)
        elif block.value is not None and (reason := _other_form(block.value)):
            yield fault_at(block.value, reason)


def _seems_to_declare(skill: Skill, block: Block) -> bool:
    """Whether a broken block names one of the lists, or has no keys at all and so can't be an example of a file."""
    text = skill.document.text[block.start : block.end] if isinstance(skill.document, Document) else ""
    return any(f"{key}:" in text for key in LISTS) or not _KEY().search(text)


def _list_faults(mapping: Mapping) -> Iterator[BlockFault]:
    for key in LISTS:
        node = mapping.get(key)
        if node is None or is_empty(node):
            continue
        if isinstance(node, Sequence):
            for item in node.items:
                if reason := _item_fault(item):
                    yield fault_at(item, f"an item of `{key}` {reason}")
        else:
            yield fault_at(node, f"`{key}` is {kind_of(node)}, not a list")


def _item_fault(item: Node) -> str:
    if not isinstance(item, Mapping):
        return f"is {kind_of(item)}, not a mapping with a `name`"
    name = item.get("name")
    if is_empty(name):
        return "has no `name`"
    return "" if isinstance(name, Scalar) else "has a `name` that is not text"


def _other_form(node: Node) -> str:
    """What is wrong with a block that declares parameters without either list; empty for any other block."""
    if isinstance(node, Sequence):
        names = all(isinstance(item, Scalar) for item in node.items)
        named = all(isinstance(item, Mapping) and item.get("name") is not None for item in node.items)
        listed = node.items and (names or named)
        return "the parameters are in a list of their own, not under `required` or `optional`" if listed else ""
    if not isinstance(node, Mapping) or not node.entries:
        return ""
    if node.keys() == ("parameters",) and not isinstance(node.entries[0].value, Scalar):
        return "`required` and `optional` are under a key `parameters`, not at the top"
    described = all(isinstance(e.value, Mapping) and _TRAITS & set(e.value.keys()) for e in node.entries)
    return "the parameters are keys, not items of `required` or `optional`" if described else ""
