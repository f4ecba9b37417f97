"""The parameters that a skill declares: their blocks, their shape, and the keys that the standard allows."""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillbag.base.lazy_regex import late
from skillbag.base.records import NamedTuple
from skillbag.documents.frontmatter import Block
from skillbag.documents.nodes import Mapping, Node, Scalar, Sequence
from skillbag.documents.source import Document, Position
from skillbag.standard.blocks import is_empty, kind_of
from skillbag.standard.faults import Fault
from skillbag.workspace.skill import Skill

LISTS = ("required", "optional")

TYPES = ("string", "number", "boolean", "list")
"""The values of the key `type` that are checked; any other is a description only."""

_KEY = late(r"[\w-][ \t]*:(?:[ \t]|$)", re.MULTILINE)

_TRAITS = {"type", "default", "required", "description"}


class Parameter(NamedTuple):
    """One declared parameter; `default` is the node of its default, None without one."""

    name: Scalar
    required: bool
    default: Node | None
    item: Mapping


def declared_parameters(skill: Skill) -> Iterator[Parameter]:
    """The well-formed parameters of a skill's blocks, in order."""
    for block in skill.parameter_blocks:
        if isinstance(block.value, Mapping):
            for entry in block.value.entries:
                items = entry.value.items if isinstance(entry.value, Sequence) else ()
                for item in items if entry.key.value in LISTS else ():
                    if isinstance(item, Mapping) and isinstance(name := item.get("name"), Scalar) and name.value:
                        yield Parameter(name, entry.key.value == "required", item.get("default"), item)


def repeated_parameters(skill: Skill) -> Iterator[Parameter]:
    """Parameters whose name was declared before."""
    names: set[str] = set()
    for parameter in declared_parameters(skill):
        if parameter.name.value in names:
            yield parameter
        names.add(parameter.name.value)


def shape_faults(skill: Skill) -> Iterator[Fault]:
    """What is not a list `required` or `optional` of `{name, default?}`; blocks of something else are ignored."""
    for block in skill.parameter_blocks:
        if block.problem is not None:
            if _names_lists(skill, block) or not _has_keys(skill, block):
                at = Position(block.problem.line, block.problem.column)
                yield Fault(block.start, block.end, block.problem.detail, at=at)
        elif isinstance(block.value, Mapping) and any(block.value.get(key) is not None for key in LISTS):
            yield from _list_faults(block.value)
        elif block.value is not None and (reason := _other_form(block.value)):
            yield Fault(block.value.start, block.value.end, reason)


def _names_lists(skill: Skill, block: Block) -> bool:
    text = skill.document.text if isinstance(skill.document, Document) else ""
    return any(text.find(f"{key}:", block.start, block.end) >= 0 for key in LISTS)


def _has_keys(skill: Skill, block: Block) -> bool:
    """Whether a broken block has keys; without any, it can't be an example of another file."""
    text = skill.document.text if isinstance(skill.document, Document) else ""
    return _KEY().search(text, block.start, block.end) is not None


def _list_faults(mapping: Mapping) -> Iterator[Fault]:
    for key in LISTS:
        node = mapping.get(key)
        if node is None or is_empty(node):
            continue
        if isinstance(node, Sequence):
            for item in node.items:
                if reason := _item_fault(item):
                    yield Fault(item.start, item.end, f"an item of `{key}` {reason}")
        else:
            yield Fault(node.start, node.end, f"`{key}` is {kind_of(node)}, not a list")


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
        return "the parameters stand in a list of their own, not under `required` or `optional`" if listed else ""
    if not isinstance(node, Mapping) or not node.entries:
        return ""
    if node.keys() == ("parameters",) and not isinstance(node.entries[0].value, Scalar):
        return "`required` and `optional` stand under a key `parameters`, not at the top"
    described = all(isinstance(e.value, Mapping) and _TRAITS & set(e.value.keys()) for e in node.entries)
    return "the parameters are keys, not items of `required` or `optional`" if described else ""
