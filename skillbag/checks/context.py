"""`CONTEXT.md` and `USER_CONTEXT.md`: dependencies, conflict resolutions, shadowed definitions, and secrets."""

from __future__ import annotations

from collections.abc import Iterator

from skillbag.checks.graph import item_faults
from skillbag.checks.predicate import Match, NoOptions, Predicate, Subject
from skillbag.documents.nodes import Mapping, Node, Scalar, Sequence
from skillbag.standard.blocks import (
    contexts,
    declared_dependencies,
    is_empty,
    kind_of,
    mappings,
)
from skillbag.workspace.model import ContextFile, Inventory

_NEEDED = ("name", "version", "source")


def context_dependency(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """Dependencies of `CONTEXT.md` that are not a list of `{name, version, source}`."""
    context = inventory.workspace.context
    if not isinstance(context, ContextFile):
        return
    path = context.document.path
    for mapping in mappings(context):
        node = declared_dependencies(mapping)
        if isinstance(node, Sequence):
            for item in node.items:
                if isinstance(item, Mapping):
                    yield from item_faults(path, item, _NEEDED)
                else:
                    reason = f"an item is {kind_of(item)}, not a mapping with `name`, `version` and `source`"
                    yield Match(path, item.start, item.end, {"reason": reason})
        elif node is not None and not is_empty(node):
            yield Match(path, node.start, node.end, {"reason": f"`dependencies` is {kind_of(node)}, not a list"})


def conflict_resolution_shape(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """Values of `conflict-resolution` that are not a list of `{skills, winner}` with the winner among the skills."""
    for context in contexts(inventory.workspace):
        path = context.document.path
        for mapping in mappings(context):
            node = mapping.get("conflict-resolution")
            if isinstance(node, Sequence):
                for item in node.items:
                    yield from _resolution_faults(path, item)
            elif node is not None and not is_empty(node):
                reason = f"`conflict-resolution` is {kind_of(node)}, not a list"
                yield Match(path, node.start, node.end, {"reason": reason})


def _resolution_faults(path: str, item: Node) -> Iterator[Match]:
    if not isinstance(item, Mapping):
        yield Match(path, item.start, item.end, {"reason": f"an item is {kind_of(item)}, not `skills` and a `winner`"})
        return
    skills, winner = item.get("skills"), item.get("winner")
    names = _names(skills)
    if len(names) < 2:
        place = item if skills is None else skills
        yield Match(path, place.start, place.end, {"reason": "`skills` is not a list of two or more names"})
    if not isinstance(winner, Scalar) or is_empty(winner):
        place = item if winner is None else winner
        yield Match(path, place.start, place.end, {"reason": "there is no `winner`"})
    elif len(names) >= 2 and winner.value not in names:
        yield Match(
            path, winner.start, winner.end, {"reason": f"the winner `{winner.value[:80]}` is not among `skills`"}
        )


def _names(node: Node | None) -> set[str]:
    items = node.items if isinstance(node, Sequence) else ()
    names = {item.value for item in items if isinstance(item, Scalar) and item.value}
    return names if len(items) == len(names) else set()


def shadowed(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """Definitions of a context file that a later one in the same file takes the place of."""
    for context in contexts(inventory.workspace):
        last: dict[tuple[str, ...], tuple[int, int]] = {}
        for mapping in mappings(context):
            for key, start, end in _definitions(mapping):
                if key in last:
                    line = context.document.position(start).line
                    values = {"what": " ".join(key)[:120], "line": str(line)}
                    yield Match(context.document.path, *last[key], values)
                last[key] = (start, end)


def _definitions(mapping: Mapping) -> Iterator[tuple[tuple[str, ...], int, int]]:
    """What a block defines, by a key that equal definitions share, with its place."""
    parameters, overrides = mapping.get("parameters"), mapping.get("overrides")
    for skill in parameters.entries if isinstance(parameters, Mapping) else ():
        for entry in skill.value.entries if isinstance(skill.value, Mapping) else ():
            yield ("parameter", skill.key.value, entry.key.value), entry.key.start, entry.key.end
    for entry in overrides.entries if isinstance(overrides, Mapping) else ():
        yield ("override", entry.key.value), entry.key.start, entry.key.end
    resolutions = mapping.get("conflict-resolution")
    for item in resolutions.items if isinstance(resolutions, Sequence) else ():
        if isinstance(item, Mapping) and (names := _names(item.get("skills"))):
            yield ("winner", *sorted(names)), item.start, item.end


def context_secret(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """What looks like a credential in a context file."""
    for context in contexts(inventory.workspace):
        from skillbag.secrets.detection import find_secrets

        for secret in find_secrets(context.document.text):
            yield Match(context.document.path, secret.start, secret.end, {"kind": secret.kind})


PREDICATES = (
    Predicate("context-dependency", Subject.INVENTORY, context_dependency, values=("reason",)),
    Predicate("conflict-resolution-invalid", Subject.INVENTORY, conflict_resolution_shape, values=("reason",)),
    Predicate("definition-shadowed", Subject.INVENTORY, shadowed, values=("what", "line")),
    Predicate("context-secret", Subject.INVENTORY, context_secret, values=("kind",)),
)
