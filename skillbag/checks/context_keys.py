"""Misspelt keys of context files: a block with one of them is passed over in silence."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator

from skillbag.checks.predicate import Match, NoOptions, Subject, predicate
from skillbag.documents.nodes import Mapping, Node, Sequence
from skillbag.standard.blocks import KEYS, contexts, mappings
from skillbag.standard.context_blocks import ANY_SKILL
from skillbag.standard.names import is_name
from skillbag.workspace.model import Inventory


@predicate("setting-misspelled", Subject.INVENTORY, values=("key", "meant"))
def misspelt_setting(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """Keys that are nearly one of a context file's, with a value that has the form of such."""
    for context in contexts(inventory.workspace):
        for mapping in mappings(context):
            # A declaration has a few keys; a block with very many is data.
            for key, value in mapping.entries[:20]:
                if (meant := _meant(key.value)) and FORMS[meant](value):
                    values = {"key": key.value, "meant": meant}
                    yield Match(context.document.path, key.start, key.end, values)


def _meant(key: str) -> str:
    """The key that is meant by another; one that begins otherwise (`devDependencies`) is a key of its own."""
    if key in KEYS or len(key) > 30 or key.lower().startswith("dev"):
        return ""
    close = difflib.get_close_matches(key.lower().replace("_", "-"), sorted(KEYS), 1, 0.75)
    return close[0] if close and close[0][0] == key[:1].lower() else ""


def _has_items(node: Node, *keys: str) -> bool:
    """Whether it is a list of mappings that all have the first key, and one of the others."""
    items = node.items if isinstance(node, Sequence) else ()
    return bool(items) and all(_has(item, keys[:1]) and _has(item, keys[1:]) for item in items)


def _has(node: Node, keys: tuple[str, ...]) -> bool:
    return isinstance(node, Mapping) and any(node.get(key) is not None for key in keys)


def _is_for_skills(node: Node, *keys: str) -> bool:
    """Whether it is a mapping from names of skills to mappings, each with one of the keys, where some are given."""
    entries = node.entries if isinstance(node, Mapping) else ()
    named = all(entry.key.value == ANY_SKILL or is_name(entry.key.value) for entry in entries)
    mapped = all(_has(entry.value, keys) if keys else isinstance(entry.value, Mapping) for entry in entries)
    return bool(entries) and named and mapped


def _are_parameters(node: Node) -> bool:
    # Where each of them has a type or a default, they are declared, by some other tool.
    return _is_for_skills(node) and not _is_for_skills(node, "type", "default", "description")


FORMS: dict[str, Callable[[Node], bool]] = {
    "dependencies": lambda node: _has_items(node, "name", "source", "version"),
    "conflict-resolution": lambda node: _has_items(node, "skills", "winner"),
    "parameters": _are_parameters,
    "tags": lambda node: _is_for_skills(node, "add", "remove"),
    "overrides": lambda node: _is_for_skills(node, "source", "version"),
    "prohibit": lambda node: _has(node, ("skills", "parameters")),
}
