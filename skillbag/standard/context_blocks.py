"""What context files say of parameters, tags and prohibited values: extensions of the standard, and their shapes.

```yaml
parameters: {a-skill: {format: pdf}, "*": {language: en}}
tags: {a-skill: {add: ["#run/last"], remove: ["#run/always"]}}
prohibit: {skills: [another-skill], parameters: {"*": {format: [docx]}}}
```
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillbag.documents.nodes import Entry, Mapping, Node, Scalar, Sequence, core_value
from skillbag.standard.blocks import KEYS, is_empty, kind_of
from skillbag.standard.faults import Fault
from skillbag.standard.names import fixable, is_name

ANY_SKILL = "*"
"""Stands for every skill; what is said of one by its name counts more."""

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

    It is where nothing but such keys stands beside it, or where it has the form of ours without a doubt.
    """
    node = mapping.get(key)
    if node is None:
        return False
    if not KEYS.issuperset(mapping.keys()):
        return _has_our_form(node, key)
    # A mere list of words is what articles and build files call their tags.
    return key != "tags" or isinstance(node, Mapping) or any("#" in item.value for item in _scalars(node))


def _has_our_form(node: Node, key: str) -> bool:
    inner = [entry.value for entry in node.entries] if isinstance(node, Mapping) else []
    skills = [value for value in inner if isinstance(value, Mapping)]
    if not inner or len(skills) < len(inner):
        return False
    if key == "tags":
        return all(set(_CHANGES) & set(mapping.keys()) for mapping in skills)
    # Build files declare their parameters: `parameters: {image: {type: string, default: latest}}`.
    return not all(_TRAITS & set(mapping.keys()) for mapping in skills)


def parameter_entries(mapping: Mapping) -> Iterator[tuple[Entry, Entry]]:
    """The well-formed values of a block's `parameters`: the entry of the skill (or `*`), the entry of the parameter."""
    if is_ours(mapping, "parameters"):
        yield from _by_skill(mapping.get("parameters"))


def prohibited_entries(mapping: Mapping) -> Iterator[tuple[Entry, Entry]]:
    """The well-formed prohibitions of values: as `parameter_entries`; a value may be a list of several."""
    prohibit = mapping.get("prohibit")
    if isinstance(prohibit, Mapping):
        yield from _by_skill(prohibit.get("parameters"))


def tag_entries(mapping: Mapping) -> Iterator[tuple[Entry, Scalar, bool]]:
    """The well-formed changes of tags: the entry of the skill, the tag, and whether it is added (else removed)."""
    if not is_ours(mapping, "tags"):
        return
    for skill, entry in _by_skill(mapping.get("tags")):
        for item in _scalars(entry.value) if entry.key.value in _CHANGES else ():
            if TAG_FORM.fullmatch(item.value):
                yield skill, item, entry.key.value == "add"


def block_faults(mapping: Mapping) -> Iterator[Fault]:
    """What is malformed in the `parameters`, `tags` and `prohibit` of one block; names of skills that `prohibit` lists
    are left to the declarations."""
    if is_ours(mapping, "parameters"):
        yield from _values_faults(mapping.get("parameters"), "parameters", _PARAMETERS)
    if is_ours(mapping, "tags"):
        yield from _tags_faults(mapping.get("tags"))
    yield from prohibit_faults(mapping)


def _by_skill(node: Node | None) -> Iterator[tuple[Entry, Entry]]:
    for skill in node.entries if isinstance(node, Mapping) else ():
        for entry in skill.value.entries if isinstance(skill.value, Mapping) else ():
            yield skill, entry


def _items(node: Node) -> tuple[Node, ...]:
    """The items of a list; what is no list stands for a list of one."""
    return node.items if isinstance(node, Sequence) else (node,)


def _scalars(node: Node) -> Iterator[Scalar]:
    return (item for item in _items(node) if isinstance(item, Scalar))


def is_nothing(node: Node) -> bool:
    """Whether a value is null: `~`, `null`, or nothing at all."""
    return isinstance(node, Scalar) and node.plain and core_value(node) is None


def _values_faults(node: Node | None, what: str, fix: str) -> Iterator[Fault]:
    if node is None or is_empty(node):
        return
    if not isinstance(node, Mapping):
        yield Fault(node.start, node.end, f"`{what}` is {kind_of(node)}, not a mapping of skills", fix)
        return
    for entry in node.entries:
        yield from _skill_faults(entry.key, fix)
        value = entry.value
        if not isinstance(value, Mapping) and not is_empty(value):
            reason = (
                f"what `{what}` gives for `{entry.key.value[:80]}` is {kind_of(value)}, not a mapping of parameters"
            )
            yield Fault(entry.key.start, entry.key.end, reason, fix)


def _skill_faults(key: Scalar, fix: str) -> Iterator[Fault]:
    if key.value != ANY_SKILL and not is_name(key.value):
        better = fixable(key.value)
        advice = f"write `{better}`" if better else fix
        reason = f"`{key.value[:80]}` is not a skill's name in its canonical form, nor `*`"
        yield Fault(key.start, key.end, reason, advice)


def prohibit_faults(mapping: Mapping) -> Iterator[Fault]:
    """What is malformed in the `prohibit` of one block, but for the skills that it lists."""
    node = mapping.get("prohibit")
    if node is None or is_empty(node):
        return
    if not isinstance(node, Mapping):
        yield Fault(node.start, node.end, f"`prohibit` is {kind_of(node)}, not a mapping", _PROHIBIT)
        return
    for key, _ in node.entries:
        if key.value not in _PROHIBITS:
            # What is not understood would forbid nothing, and nobody would notice.
            reason = f"`prohibit` has no `{key.value[:80]}`, only `skills` and `parameters`"
            yield Fault(key.start, key.end, reason, _PROHIBIT)
    yield from _values_faults(node.get("parameters"), "parameters` of `prohibit", _PROHIBIT)
    for _, (name, value) in _by_skill(node.get("parameters")):
        if any(is_nothing(item) for item in _items(value)):
            yield Fault(name.start, name.end, f"`prohibit` names no value of `{name.value[:80]}`", _PROHIBIT)


def _tags_faults(node: Node | None) -> Iterator[Fault]:
    if node is None or is_empty(node):
        return
    if not isinstance(node, Mapping):
        yield Fault(node.start, node.end, f"`tags` is {kind_of(node)}, not a mapping of skills", _TAGS)
        return
    for skill in node.entries:
        yield from _skill_faults(skill.key, _TAGS)
        if isinstance(skill.value, Mapping):
            for entry in skill.value.entries:
                yield from _change_faults(entry)
        else:
            what = "nothing" if is_empty(skill.value) else kind_of(skill.value)
            reason = f"`tags` gives {what} for `{skill.key.value[:80]}`, not `add` and `remove`"
            yield Fault(skill.key.start, skill.key.end, reason, _TAGS)


def _change_faults(entry: Entry) -> Iterator[Fault]:
    key = entry.key
    if key.value not in _CHANGES:
        reason = f"tags are changed by `add` and `remove`, not by `{key.value[:80]}`"
        yield Fault(key.start, key.end, reason, _TAGS)
        return
    for item in _items(entry.value):
        if is_empty(item):
            reason = f"`{key.value}` names no tag: an unquoted `#` begins a comment"
            yield Fault(key.start, key.end, reason, _TAGS)
        elif not isinstance(item, Scalar):
            yield Fault(item.start, item.end, f"an item of `{key.value}` is {kind_of(item)}, not a tag", _TAGS)
        elif not TAG_FORM.fullmatch(item.value):
            reason = f"`{item.value[:80]}` is not a tag of the form `#group/name`"
            yield Fault(item.start, item.end, reason, _TAGS)
