"""`CONTEXT.md` and `USER_CONTEXT.md`: dependencies, conflict resolutions, shadowed and misspelt keys, and secrets."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator

from skillbag.kernel.documents.nodes import Mapping, Node
from skillbag.kernel.standard.blocks import KEYS, context_mappings, contexts, entries_of, items_of, mappings
from skillbag.kernel.standard.context_blocks import ANY_SKILL
from skillbag.kernel.standard.context_declared import resolution_faults, resolved_names
from skillbag.kernel.standard.dependencies import context_dependency_faults
from skillbag.kernel.standard.names import is_name
from skillbag.kernel.workspace.model import ContextFile, Inventory
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject, fault_matches, match_at


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


@Predicate("context-secret", Subject.INVENTORY, values=("kind",))
def context_secret(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """What looks like a credential in a context file; raised as in other texts."""
    for context in contexts(inventory.workspace):
        from skillbag.kernel.secrets.detection import find_secrets
        from skillbag.lint.checks.security import secret_matches

        yield from secret_matches(context.document.path, find_secrets(context.document.text))


@Predicate("setting-misspelled", Subject.INVENTORY, values=("key", "meant"))
def misspelt_setting(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """Keys that are nearly one of a context file's, with a value that has the form of such."""
    for context, mapping in context_mappings(inventory.workspace):
        # A declaration has a few keys; a block with very many is data.
        for key, value in mapping.entries[:20]:
            if (meant := _meant_key(key.value)) and SETTING_FORMS[meant](value):
                yield match_at(context.document.path, key, {"key": key.value, "meant": meant})


def _meant_key(key: str) -> str:
    """The key that is meant by another; one that begins otherwise (`devDependencies`) is a key of its own."""
    if key in KEYS or len(key) > 30 or key.lower().startswith("dev"):
        return ""
    close = difflib.get_close_matches(key.lower().replace("_", "-"), sorted(KEYS), 1, 0.75)
    return close[0] if close and close[0][0] == key[:1].lower() else ""


def _has_items(node: Node, *keys: str) -> bool:
    """Whether it is a list of mappings that all have the first key, and one of the others."""
    items = items_of(node)
    return bool(items) and all(_has(item, keys[:1]) and _has(item, keys[1:]) for item in items)


def _has(node: Node, keys: tuple[str, ...]) -> bool:
    return isinstance(node, Mapping) and any(node.get(key) is not None for key in keys)


def _is_for_skills(node: Node, *keys: str) -> bool:
    """Whether it is a mapping from names of skills to mappings, each with one of the keys, where some are given."""
    entries = entries_of(node)
    named = all(entry.key.value == ANY_SKILL or is_name(entry.key.value) for entry in entries)
    mapped = all(_has(entry.value, keys) if keys else isinstance(entry.value, Mapping) for entry in entries)
    return bool(entries) and named and mapped


SETTING_FORMS: dict[str, Callable[[Node], bool]] = {
    "dependencies": lambda node: _has_items(node, "name", "source", "version"),
    "conflict-resolution": lambda node: _has_items(node, "skills", "winner"),
    # With a type or a default for each, they are declared by some other tool.
    "parameters": lambda node: _is_for_skills(node) and not _is_for_skills(node, "type", "default", "description"),
    "tags": lambda node: _is_for_skills(node, "add", "remove"),
    "overrides": lambda node: _is_for_skills(node, "source", "version"),
    "prohibit": lambda node: _has(node, ("skills", "parameters")),
}
