"""The settings of context files for parameters, tags and prohibited values, which extend the standard.

```yaml
parameters: {a-skill: {format: pdf}, "*": {language: en}}
tags: {a-skill: {add: ["#run/last"], remove: ["#run/always"]}}
prohibit: {skills: [another-skill], parameters: {"*": {format: [docx]}}}
```
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from skillbag.kernel.documents.nodes import Mapping, MappingEntry, Node, Scalar, core_value
from skillbag.kernel.standard.blocks import (
    KEYS,
    BlockFault,
    entries_of,
    fault_at,
    is_empty,
    kind_of,
    scalars_of,
    values_of,
)
from skillbag.kernel.standard.names import fixable, is_name

ANY_SKILL = "*"
"""Stands for every skill; a setting of one skill by its name takes precedence."""

ANY_VALUE = "*"
"""Stands for every value of a parameter."""

TAG_FORM = re.compile(r"#[A-Za-z0-9_-]+/[^\s,;]+")

_PARAMETERS = 'write `parameters: {a-skill: {a-parameter: a value}}`, or `"*"` for every skill'
_TAGS = 'write `tags: {a-skill: {add: ["#run/last"], remove: ["#run/always"]}}`'
_PROHIBIT = "write `prohibit: {skills: [a-skill], parameters: {another-skill: {a-parameter: [a value]}}}`"
_PROHIBITS = ("skills", "parameters")
_CHANGES = ("add", "remove")
_TRAITS = frozenset({"type", "default", "description", "required"})


def is_ours(mapping: Mapping, key: str) -> bool:
    """Whether a block's `key` (`parameters` or `tags`) is meant as a context file's: other tools have both as well.

    It is, if all keys beside it are a context file's, too, or if its value clearly has our form.
    """
    node = mapping.get(key)
    if node is None:
        return False
    if not KEYS.issuperset(mapping.keys()):
        return _has_our_form(node, key)
    # A mere list of words is what articles and build files call their tags.
    return key != "tags" or isinstance(node, Mapping) or any("#" in item.value for item in scalars_of(node))


def _has_our_form(node: Node, key: str) -> bool:
    inner = [entry.value for entry in entries_of(node)]
    skills = [value for value in inner if isinstance(value, Mapping)]
    if not inner or len(skills) < len(inner):
        return False
    if key == "tags":
        return all(set(_CHANGES) & set(mapping.keys()) for mapping in skills)
    # Build files declare their parameters: `parameters: {image: {type: string, default: latest}}`.
    return not all(_TRAITS & set(mapping.keys()) for mapping in skills)


def parameter_entries(mapping: Mapping) -> Iterator[tuple[MappingEntry, MappingEntry]]:
    """The well-formed values of a block's `parameters`: the entry of the skill (or `*`), the entry of the parameter."""
    return _by_skill(mapping.get("parameters") if is_ours(mapping, "parameters") else None)


def prohibited_entries(mapping: Mapping) -> Iterator[tuple[MappingEntry, MappingEntry]]:
    """The well-formed prohibitions of values: as `parameter_entries`; a value may be a list of several."""
    prohibit = mapping.get("prohibit")
    return _by_skill(prohibit.get("parameters") if isinstance(prohibit, Mapping) else None)


def tag_entries(mapping: Mapping) -> Iterator[tuple[MappingEntry, Scalar, bool]]:
    """The well-formed changes of tags: the entry of the skill, the tag, and whether it is added (else removed)."""
    if not is_ours(mapping, "tags"):
        return
    for skill, entry in _by_skill(mapping.get("tags")):
        for item in scalars_of(entry.value) if entry.key.value in _CHANGES else ():
            if TAG_FORM.fullmatch(item.value):
                yield skill, item, entry.key.value == "add"


def block_faults(mapping: Mapping) -> Iterator[BlockFault]:
    """What is malformed in the `parameters`, `tags` and `prohibit` of one block; names of skills that `prohibit` lists
    are left to the declarations."""
    if is_ours(mapping, "parameters"):
        yield from _parameters_faults(mapping.get("parameters"), "parameters", _PARAMETERS)
    if is_ours(mapping, "tags"):
        yield from _mapping_faults(mapping.get("tags"), "tags", _TAGS, _tag_changes_faults)
    yield from prohibit_faults(mapping)


def _by_skill(node: Node | None) -> Iterator[tuple[MappingEntry, MappingEntry]]:
    return ((skill, entry) for skill in entries_of(node) for entry in entries_of(skill.value))


def is_nothing(node: Node) -> bool:
    """Whether a value is null: `~`, `null`, or nothing at all."""
    return isinstance(node, Scalar) and node.plain and core_value(node) is None


def _mapping_faults(
    node: Node | None, what: str, fix: str, value_faults: Callable[[MappingEntry], Iterator[BlockFault]]
) -> Iterator[BlockFault]:
    """What is malformed in a mapping of skills; `value_faults` gives the faults of the value of one skill."""
    if not isinstance(node, Mapping):
        if node is not None and not is_empty(node):
            yield fault_at(node, f"`{what}` is {kind_of(node)}, not a mapping of skills", fix)
        return
    for entry in node.entries:
        name = entry.key.value
        if name != ANY_SKILL and not is_name(name):
            better = fixable(name)
            reason = f"`{name[:80]}` is not a skill's name in its canonical form, nor `*`"
            yield fault_at(entry.key, reason, f"write `{better}`" if better else fix)
        yield from value_faults(entry)


def _parameters_faults(node: Node | None, what: str, fix: str) -> Iterator[BlockFault]:
    def value_faults(skill: MappingEntry) -> Iterator[BlockFault]:
        if not isinstance(skill.value, Mapping) and not is_empty(skill.value):
            value = f"what `{what}` gives for `{skill.key.value[:80]}`"
            yield fault_at(skill.key, f"{value} is {kind_of(skill.value)}, not a mapping of parameters", fix)

    return _mapping_faults(node, what, fix, value_faults)


def prohibit_faults(mapping: Mapping) -> Iterator[BlockFault]:
    """What is malformed in the `prohibit` of one block, but for the skills that it lists."""
    node = mapping.get("prohibit")
    if node is None or is_empty(node):
        return
    if not isinstance(node, Mapping):
        yield fault_at(node, f"`prohibit` is {kind_of(node)}, not a mapping", _PROHIBIT)
        return
    for key, _ in node.entries:
        if key.value not in _PROHIBITS:
            # A misspelt prohibition would silently forbid nothing.
            yield fault_at(key, f"`prohibit` has no `{key.value[:80]}`, only `skills` and `parameters`", _PROHIBIT)
    yield from _parameters_faults(node.get("parameters"), "parameters` of `prohibit", _PROHIBIT)
    for _, (name, value) in _by_skill(node.get("parameters")):
        if any(is_nothing(item) for item in values_of(value)):
            yield fault_at(name, f"`prohibit` names no value of `{name.value[:80]}`", _PROHIBIT)


def _tag_changes_faults(skill: MappingEntry) -> Iterator[BlockFault]:
    if isinstance(skill.value, Mapping):
        for entry in skill.value.entries:
            yield from _change_faults(entry)
    else:
        what = "nothing" if is_empty(skill.value) else kind_of(skill.value)
        reason = f"`tags` gives {what} for `{skill.key.value[:80]}`, not `add` and `remove`"
        yield fault_at(skill.key, reason, _TAGS)


def _change_faults(entry: MappingEntry) -> Iterator[BlockFault]:
    key = entry.key
    if key.value not in _CHANGES:
        yield fault_at(key, f"tags are changed by `add` and `remove`, not by `{key.value[:80]}`", _TAGS)
        return
    for item in values_of(entry.value):
        if is_empty(item):
            yield fault_at(key, f"`{key.value}` names no tag: an unquoted `#` begins a comment", _TAGS)
        elif not isinstance(item, Scalar):
            yield fault_at(item, f"an item of `{key.value}` is {kind_of(item)}, not a tag", _TAGS)
        elif not TAG_FORM.fullmatch(item.value):
            yield fault_at(item, f"`{item.value[:80]}` is not a tag of the form `#group/name`", _TAGS)
