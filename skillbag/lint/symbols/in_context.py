"""Skills, parameters and tags in the blocks of context files, and in the settings of `SKILLBAG.md`."""

from __future__ import annotations

from collections.abc import Iterator

from skillbag.kernel.documents.nodes import Mapping, Scalar
from skillbag.kernel.standard.blocks import declared_dependencies, entries_of, items_of, mappings, scalars_of
from skillbag.kernel.standard.context_blocks import (
    ANY_SKILL,
    is_ours,
    parameter_entries,
    prohibited_entries,
    tag_entries,
)
from skillbag.kernel.standard.context_declared import override_entries
from skillbag.kernel.workspace.model import ContextFile
from skillbag.lint.symbols.collector import Collector
from skillbag.lint.symbols.values import Role, parameter_symbol


def collect_context(found: Collector, context: ContextFile) -> None:
    """Add what the blocks of a context file name."""
    for mapping in mappings(context):
        for scalar in _skills(mapping):
            if scalar.value != ANY_SKILL:
                found.add_skill(scalar)
        for skill, entry in (*parameter_entries(mapping), *prohibited_entries(mapping)):
            found.add_scalar(parameter_symbol(entry.key.value, skill.key.value), Role.REFERENCE, entry.key)
        for _, tag, _ in tag_entries(mapping):
            found.add_tags(tag.start if tag.plain else tag.start + 1, tag.end if tag.plain else tag.end - 1)


def _skills(mapping: Mapping) -> Iterator[Scalar]:
    """The names of skills in one block."""
    for item in items_of(declared_dependencies(mapping)):
        if isinstance(item, Mapping):
            yield from scalars_of(item.get("name"))
    yield from (entry.key for entry in override_entries(mapping))
    for item in items_of(mapping.get("conflict-resolution")):
        if isinstance(item, Mapping):
            yield from (*scalars_of(item.get("skills")), *scalars_of(item.get("winner")))
    for key in ("parameters", "tags"):
        if is_ours(mapping, key):
            yield from (entry.key for entry in entries_of(mapping.get(key)))
    prohibit = mapping.get("prohibit")
    if isinstance(prohibit, Mapping):
        yield from scalars_of(prohibit.get("skills"))
        yield from (entry.key for entry in entries_of(prohibit.get("parameters")))
