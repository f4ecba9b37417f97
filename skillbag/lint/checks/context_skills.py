"""Settings of context files compared with the installed skills: their names, parameters and values."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from itertools import islice

from skillbag.kernel.documents.nodes import Mapping, MappingEntry, Scalar
from skillbag.kernel.fs import tracked
from skillbag.kernel.standard.blocks import (
    context_mappings,
    context_names,
    declared_items,
    entries_of,
    items_of,
    mappings,
    scalars_of,
)
from skillbag.kernel.standard.context_blocks import (
    ANY_SKILL,
    is_nothing,
    is_ours,
    parameter_entries,
    prohibited_entries,
)
from skillbag.kernel.standard.context_declared import override_entries
from skillbag.kernel.standard.names import canonical, is_name
from skillbag.kernel.standard.parameters import ParameterNode, declared_parameters
from skillbag.kernel.standard.reserved import PERSISTENCE
from skillbag.kernel.workspace.model import Inventory
from skillbag.kernel.workspace.skill import read_skill
from skillbag.kernel.workspace.target import BOOTSTRAP_SKILL, SKILL_ROOT, USER_CONTEXT
from skillbag.lint.checks.context import setting_files
from skillbag.lint.checks.parameters import misfit, shown
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject, match_at

_HINTS = 20
"""Findings with a suggestion: comparing many names with many takes long."""


@Predicate("setting-skill-unknown", Subject.INVENTORY, values=("name", "meant"))
def unknown_skill(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """Skills in settings that are neither installed nor declared; none where no skill is installed at all.

    Of prohibitions, conflicts and overrides, those that are nearly the name of an installed one.
    """
    missing = [(path, key) for path, key in _named_skills(inventory) if not _is_installed(inventory, key.value)]
    known = _declared_names(inventory) if missing else set()
    unknown = [(path, key) for path, key in missing if key.value not in known] if inventory.cards else []
    for number, (path, key) in enumerate(unknown):
        close = _meant(key.value, inventory.by_folder) if number < _HINTS else ""
        yield match_at(path, key, {"name": key.value, "meant": close})
    for path, key in islice(_misspelt_skills(inventory), _HINTS):
        if close := _meant(key.value, inventory.by_folder):
            yield match_at(path, key, {"name": key.value, "meant": close})


def _named_skills(inventory: Inventory) -> Iterator[tuple[str, Scalar]]:
    """The skills that `parameters`, `tags` and `prohibit.parameters` name, with the path of the file."""
    for context in setting_files(inventory.workspace):
        for mapping in mappings(context):
            prohibit = mapping.get("prohibit")
            nodes = [mapping.get(key) for key in ("parameters", "tags") if is_ours(mapping, key)]
            nodes += [prohibit.get("parameters")] if isinstance(prohibit, Mapping) else []
            for key, _ in (entry for node in nodes for entry in entries_of(node)):
                if is_name(key.value):
                    yield context.document.path, key


def _misspelt_skills(inventory: Inventory) -> Iterator[tuple[str, Scalar]]:
    """The skills of other settings that nothing requires: a prohibition of a misspelt one forbids nothing."""
    found: list[tuple[str, Scalar]] = []
    for context, mapping in context_mappings(inventory.workspace):
        prohibit = mapping.get("prohibit")
        names = [*scalars_of(prohibit.get("skills") if isinstance(prohibit, Mapping) else None)]
        for item in items_of(mapping.get("conflict-resolution")):
            names += scalars_of(item.get("skills")) if isinstance(item, Mapping) else ()
        names += [entry.key for entry in override_entries(mapping)]
        found += ((context.document.path, name) for name in names if is_name(name.value))
    required = _required_names(inventory) if found else set()
    for path, name in found:
        if name.value not in required and not _is_installed(inventory, name.value):
            yield path, name


def _is_installed(inventory: Inventory, name: str) -> bool:
    # A folder that is left out of the check (a link that leads outside) is installed, too.
    return name in inventory.by_folder or tracked.exists(inventory.workspace.path(SKILL_ROOT, name))


def _declared_names(inventory: Inventory) -> set[str]:
    """Names that dependencies, companions and context files mention: these skills may be installed later."""
    known = {canonical(scalar.value) for _, scalar in context_names(inventory.workspace)}
    return known | _required_names(inventory)


def _required_names(inventory: Inventory) -> set[str]:
    known = {BOOTSTRAP_SKILL}
    for _, mapping in context_mappings(inventory.workspace):
        items = (item.get("name") for item in declared_items(mapping) if isinstance(item, Mapping))
        known.update(canonical(name.value) for item in items for name in scalars_of(item))
    for card in inventory.cards:
        known.update(canonical(dependency.name.value) for dependency in card.dependencies)
        known.update(card.companions)
    return known


@Predicate("setting-parameter-unknown", Subject.INVENTORY, values=("name", "meant"))
def unknown_parameter(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """Parameters in settings that an installed skill does not declare although it declares others."""
    for path, entry, known in _settings(inventory, prohibited=True):
        name = entry.key.value
        if name not in known and not (name == PERSISTENCE and path.endswith(USER_CONTEXT)):
            yield match_at(path, entry.key, {"name": name[:80], "meant": _meant(name, known)})


@Predicate("setting-value-invalid", Subject.INVENTORY, values=("name", "value", "reason"))
def impossible_setting(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """Values in settings that a parameter of an installed skill can't have."""
    for path, entry, known in _settings(inventory):
        parameter = known.get(entry.key.value)
        if parameter and not is_nothing(entry.value) and (reason := misfit(parameter, entry.value)):
            values = {"name": entry.key.value, "value": shown(entry.value), "reason": reason}
            yield match_at(path, entry.value, values)


def _settings(
    inventory: Inventory, *, prohibited: bool = False
) -> Iterator[tuple[str, MappingEntry, dict[str, ParameterNode]]]:
    """What is set for installed skills by name, with the parameters that each declares.

    Skills without any are left out: they may take inputs in plain words. With `prohibited`, prohibited values too.
    """
    read: dict[str, dict[str, ParameterNode]] = {}
    for context in setting_files(inventory.workspace):
        for mapping in mappings(context):
            entries = [*parameter_entries(mapping), *(prohibited_entries(mapping) if prohibited else ())]
            for skill, entry in entries:
                name = skill.key.value
                if name != ANY_SKILL and name in inventory.by_folder:
                    if name not in read:
                        read[name] = _parameters(inventory, name)
                    if read[name]:
                        yield context.document.path, entry, read[name]


def _parameters(inventory: Inventory, name: str) -> dict[str, ParameterNode]:
    """The parameters of an installed skill; none where one of its blocks can't be read."""
    card = inventory.by_folder[name]
    skill = read_skill(card.directory, card.skills_root, inventory.workspace.root)
    if any(block.problem for block in skill.parameter_blocks):
        return {}
    return {parameter.name.value: parameter for parameter in declared_parameters(skill)}


def _meant(name: str, known: Iterable[str]) -> str:
    better = canonical(name)
    close = [better] if better in known else difflib.get_close_matches(name[:80], known, 1, 0.75)
    return f"; did you mean `{close[0]}`?" if close else ""
