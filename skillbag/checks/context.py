"""`CONTEXT.md` and `USER_CONTEXT.md`: dependencies, conflict resolutions, shadowed definitions, and secrets."""

from __future__ import annotations

from collections.abc import Iterator

from skillbag.checks.predicate import Match, NoOptions, Subject, fault_matches, predicate
from skillbag.documents.nodes import Mapping, Sequence
from skillbag.standard.blocks import contexts, mappings
from skillbag.standard.context_declared import resolution_faults, resolved_names
from skillbag.standard.dependencies import context_dependency_faults
from skillbag.workspace.model import ContextFile, Inventory


@predicate("context-dependency", Subject.INVENTORY, values=("reason",))
def context_dependency(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """Dependencies of `CONTEXT.md` that are not a list of `{name, version, source}`."""
    context = inventory.workspace.context
    if isinstance(context, ContextFile):
        for mapping in mappings(context):
            yield from fault_matches(context.document.path, context_dependency_faults(mapping))


@predicate("conflict-resolution-invalid", Subject.INVENTORY, values=("reason",))
def conflict_resolution_shape(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """Values of `conflict-resolution` that are not a list of `{skills, winner}` with the winner among the skills."""
    for context in contexts(inventory.workspace):
        for mapping in mappings(context):
            yield from fault_matches(context.document.path, resolution_faults(mapping))


@predicate("definition-shadowed", Subject.INVENTORY, values=("what", "line"))
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
        if isinstance(item, Mapping) and (names := resolved_names(item.get("skills"))):
            yield ("winner", *sorted(names)), item.start, item.end


@predicate("context-secret", Subject.INVENTORY, values=("kind",))
def context_secret(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """What looks like a credential in a context file."""
    for context in contexts(inventory.workspace):
        from skillbag.secrets.detection import find_secrets

        for secret in find_secrets(context.document.text):
            yield Match(context.document.path, secret.start, secret.end, {"kind": secret.kind})
