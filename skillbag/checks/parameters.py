"""Parameter blocks: their shape, unique names, and no default where a value is required."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator

from skillbag.base.lazy_regex import late
from skillbag.base.records import NamedTuple
from skillbag.checks.predicate import Match, NoOptions, Predicate, Subject
from skillbag.documents.frontmatter import Block
from skillbag.documents.nodes import Mapping, Node, Scalar, Sequence
from skillbag.documents.source import Document, Position
from skillbag.standard.blocks import is_empty, kind_of
from skillbag.workspace.skill import Skill

LISTS = ("required", "optional")

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


def parameter_shape(skill: Skill, _: NoOptions) -> Iterator[Match]:
    """What is not a list `required` or `optional` of `{name, default?}`; a block of something else is let be."""
    for block in skill.parameter_blocks:
        if block.problem is not None:
            if _names_lists(skill, block) or not _shows_something(skill, block):
                at = Position(block.problem.line, block.problem.column)
                yield Match(skill.path, values={"reason": block.problem.detail}, at=at)
        elif isinstance(block.value, Mapping) and any(block.value.get(key) is not None for key in LISTS):
            yield from _lists(skill.path, block.value)
        elif block.value is not None and (reason := _other_form(block.value)):
            yield Match(skill.path, block.value.start, block.value.end, {"reason": reason})


def _names_lists(skill: Skill, block: Block) -> bool:
    text = skill.document.text if isinstance(skill.document, Document) else ""
    return any(text.find(f"{key}:", block.start, block.end) >= 0 for key in LISTS)


def _shows_something(skill: Skill, block: Block) -> bool:
    """Whether a broken block has keys: without any it is no part of another file that is shown."""
    text = skill.document.text if isinstance(skill.document, Document) else ""
    return _KEY().search(text, block.start, block.end) is not None


def _lists(path: str, mapping: Mapping) -> Iterator[Match]:
    for key in LISTS:
        node = mapping.get(key)
        if node is None or is_empty(node):
            continue
        if isinstance(node, Sequence):
            for item in node.items:
                if reason := _item_fault(item):
                    yield Match(path, item.start, item.end, {"reason": f"an item of `{key}` {reason}"})
        else:
            yield Match(path, node.start, node.end, {"reason": f"`{key}` is {kind_of(node)}, not a list"})


def _item_fault(item: Node) -> str:
    if not isinstance(item, Mapping):
        return f"is {kind_of(item)}, not a mapping with a `name`"
    name = item.get("name")
    if is_empty(name):
        return "has no `name`"
    return "" if isinstance(name, Scalar) else "has a `name` that is not text"


def _other_form(node: Node) -> str:
    """What is wrong with a block that has neither list but plainly declares parameters; empty for any other block."""
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


def misspelt_list(skill: Skill, _: NoOptions) -> Iterator[Match]:
    """Top-level keys of a block that are nearly `required` or `optional`."""
    for block in skill.parameter_blocks:
        # A declaration has a few keys; a block with very many is data, and comparing them all would take long.
        for entry in block.value.entries[:20] if isinstance(block.value, Mapping) else ():
            key = entry.key.value
            if key not in LISTS and len(key) < 20 and (close := difflib.get_close_matches(key.lower(), LISTS, 1, 0.75)):
                yield Match(skill.path, entry.key.start, entry.key.end, {"key": key, "meant": close[0]})


def parameter_twice(skill: Skill, _: NoOptions) -> Iterator[Match]:
    """Parameters whose name was declared before."""
    seen: set[str] = set()
    for parameter in declared_parameters(skill):
        if parameter.name.value in seen:
            yield Match(skill.path, parameter.name.start, parameter.name.end, {"name": parameter.name.value})
        seen.add(parameter.name.value)


def required_default(skill: Skill, _: NoOptions) -> Iterator[Match]:
    """Required parameters that have a default."""
    for parameter in declared_parameters(skill):
        entry = parameter.item.entry("default") if parameter.required else None
        if entry is not None:
            yield Match(skill.path, entry.key.start, entry.value.end, {"name": parameter.name.value})


PREDICATES = (
    Predicate("parameter-shape", Subject.SKILL, parameter_shape, values=("reason",), needs="parameters"),
    Predicate("parameter-misspelt-list", Subject.SKILL, misspelt_list, values=("key", "meant"), needs="parameters"),
    Predicate("parameter-twice", Subject.SKILL, parameter_twice, values=("name",), needs="parameters"),
    Predicate("parameter-required-default", Subject.SKILL, required_default, values=("name",), needs="parameters"),
)
