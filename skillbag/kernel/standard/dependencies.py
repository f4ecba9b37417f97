"""The shape of `dependencies`, in skills and in `CONTEXT.md`."""

from __future__ import annotations

from collections.abc import Iterator

from skillbag.kernel.documents.nodes import Mapping, Node, Scalar, Sequence
from skillbag.kernel.standard.blocks import BlockFault, declared_lists, fault_at, has_control, is_empty, kind_of
from skillbag.kernel.standard.names import fixable, is_name

_DEPENDENCY = "write `- {name: a-skill, version: v1.0.0, source: https://example.com/org/repo.git}`"
_BOOLEANS = ("true", "false", "yes", "no", "on", "off")


def context_dependency_faults(mapping: Mapping) -> Iterator[BlockFault]:
    """What is malformed in the `dependencies` and `plain-dependencies` of one block of `CONTEXT.md`."""
    for node in declared_lists(mapping):
        for fault in dependency_faults(node, "name", "version", "source"):
            yield fault._replace(fix=_DEPENDENCY)


def dependency_faults(node: Node | None, *needed: str) -> Iterator[BlockFault]:
    """What is not a list of `{name, source?, version?, required?}` that have at least the keys `needed`.

    Names that are not canonical but can be fixed are left to their own rule.
    """
    if node is None or is_empty(node):
        return
    if not isinstance(node, Sequence):
        yield fault_at(node, f"`dependencies` is {kind_of(node)}, not a list")
        return
    for item in node.items:
        if isinstance(item, Mapping):
            yield from _item_faults(item, needed)
        else:
            keys = ", ".join(f"`{key}`" for key in needed[:-1])
            wanted = f"{keys} and `{needed[-1]}`" if keys else f"a `{needed[-1]}`"
            yield fault_at(item, f"an item is {kind_of(item)}, not a mapping with {wanted}")


def _item_faults(item: Mapping, needed: tuple[str, ...]) -> Iterator[BlockFault]:
    for key in needed:
        if item.get(key) is None:
            yield fault_at(item, f"a dependency has no `{key}`")
    for key in ("name", "source", "version"):
        yield from _text_faults(item, key)
    name, required = item.get("name"), item.get("required")
    if isinstance(name, Scalar) and name.value.strip() and not is_name(name.value) and not fixable(name.value):
        yield fault_at(name, f"`{name.value[:80]}` is not a skill's name")
    if required is not None and not (isinstance(required, Scalar) and required.value.lower() in _BOOLEANS):
        yield fault_at(required, "`required` is neither true nor false")


def _text_faults(item: Mapping, key: str) -> Iterator[BlockFault]:
    entry = item.entry(key)
    if entry is None:
        return
    value = entry.value
    if is_empty(value):
        yield fault_at(entry.key, f"the `{key}` of a dependency is empty")
    elif not isinstance(value, Scalar):
        yield fault_at(value, f"the `{key}` of a dependency is {kind_of(value)}, not text")
    elif key != "name" and has_control(value.value):
        yield fault_at(value, f"the `{key}` has a control character")
