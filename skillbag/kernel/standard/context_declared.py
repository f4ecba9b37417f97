"""Overrides, prohibited skills and conflict resolutions in the blocks of context files.

```yaml
conflict-resolution: [{skills: [a-skill, another-skill], winner: a-skill}]
overrides: {a-skill: {source: https://example.com/org/repo.git, version: v1.0.0}}
prohibit: {skills: [a-skill, another-skill]}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from skillbag.kernel.documents.nodes import Mapping, MappingEntry, Node, Scalar, Sequence
from skillbag.kernel.standard.blocks import (
    KEYS,
    BlockFault,
    entries_of,
    fault_at,
    has_control,
    is_empty,
    items_of,
    kind_of,
)
from skillbag.kernel.standard.names import fixable, is_name

_OVERRIDE = "write `overrides: {a-skill: {source: https://example.com/org/repo.git, version: v1.0.0}}`"
_PROHIBIT = "write `prohibit: {skills: [a-skill, another-skill]}`"
_RESOLUTION = "write `- {skills: [one, other], winner: one}`"
_CANONICAL = "use a-z, 0-9 and single hyphens between them, 64 at most"


def override_entries(mapping: Mapping) -> tuple[MappingEntry, ...]:
    """The entries of `overrides`; none where the key is plainly another tool's, as in its package files."""
    entries = entries_of(mapping.get("overrides"))
    foreign = not KEYS.issuperset(mapping.keys()) and not any(entries_of(entry.value) for entry in entries)
    return () if foreign else entries


def override_faults(mapping: Mapping) -> Iterator[BlockFault]:
    """What is malformed in the `overrides` of one block, including names in another spelling."""
    node = mapping.get("overrides")
    if node is not None and not is_empty(node) and not isinstance(node, Mapping):
        # Other tools have lists of overrides in their files.
        if KEYS.issuperset(mapping.keys()):
            yield fault_at(node, f"`overrides` is {kind_of(node)}, not a mapping of skills", _OVERRIDE)
        return
    for key, value in override_entries(mapping):
        yield from name_faults(key)
        if not isinstance(value, Mapping) or not value.entries:
            yield fault_at(key, f"the override of `{key.value[:80]}` gives no `source` or `version`", _OVERRIDE)
            continue
        for inner in value.entries:
            yield from _value_faults(inner)


def resolution_faults(mapping: Mapping) -> Iterator[BlockFault]:
    """What is not a list of `{skills, winner}`, with the winner among the skills, in a `conflict-resolution`."""
    node = mapping.get("conflict-resolution")
    if isinstance(node, Sequence):
        for item in node.items:
            yield from _resolution_faults(item)
    elif node is not None and not is_empty(node):
        yield fault_at(node, f"`conflict-resolution` is {kind_of(node)}, not a list", _RESOLUTION)


def _resolution_faults(item: Node) -> Iterator[BlockFault]:
    if not isinstance(item, Mapping):
        yield fault_at(item, f"an item is {kind_of(item)}, not `skills` and a `winner`", _RESOLUTION)
        return
    skills, winner = item.get("skills"), item.get("winner")
    names = resolved_names(skills)
    if len(names) < 2:
        yield fault_at(skills or item, "`skills` is not a list of two or more names", _RESOLUTION)
    if not isinstance(winner, Scalar) or is_empty(winner):
        yield fault_at(winner or item, "there is no `winner`", _RESOLUTION)
    elif len(names) >= 2 and winner.value not in names:
        yield fault_at(winner, f"the winner `{winner.value[:80]}` is not among `skills`", _RESOLUTION)


def resolved_names(skills: Node | None) -> set[str]:
    """The names in the `skills` of a conflict resolution; empty where it is malformed."""
    items = items_of(skills)
    names = {item.value for item in items if isinstance(item, Scalar) and item.value}
    return names if len(items) == len(names) else set()


def prohibited_skill_faults(mapping: Mapping) -> Iterator[BlockFault]:
    """What is malformed in the `skills` of a block's `prohibit`, including names in another spelling."""
    prohibit = mapping.get("prohibit")
    skills = prohibit.get("skills") if isinstance(prohibit, Mapping) else None
    if isinstance(skills, Sequence):
        for item in skills.items:
            if isinstance(item, Scalar):
                yield from name_faults(item)
            else:
                yield fault_at(item, f"an item of `skills` is {kind_of(item)}, not a name", _PROHIBIT)
    elif skills is not None and not is_empty(skills):
        yield fault_at(skills, f"`skills` is {kind_of(skills)}, not a list of names", _PROHIBIT)


def name_faults(name: Scalar) -> Iterator[BlockFault]:
    """What is wrong with a declared name."""
    if not is_name(name.value):
        better = fixable(name.value)
        reason = f"`{name.value[:80]}` is not a skill's name in its canonical form"
        yield fault_at(name, reason, f"write `{better}`" if better else _CANONICAL)


def _value_faults(entry: MappingEntry) -> Iterator[BlockFault]:
    key, value = entry
    if key.value not in ("source", "version"):
        yield fault_at(key, f"an override has no `{key.value[:80]}`, only `source` and `version`", _OVERRIDE)
    elif not isinstance(value, Scalar) or is_empty(value):
        yield fault_at(key, f"the `{key.value}` of an override is not text", _OVERRIDE)
    elif has_control(value.value):
        yield fault_at(value, f"the `{key.value}` has a control character", "write it on one line, without escapes")
