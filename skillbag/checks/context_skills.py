"""Settings of context files held against the skills that are here: whom they name, and what these can have."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator

from skillbag.checks.context_settings import setting_files
from skillbag.checks.parameter_values import misfit, shown
from skillbag.checks.predicate import Match, NoOptions, Subject, predicate
from skillbag.documents.nodes import Entry, Mapping, Scalar
from skillbag.fs import tracked
from skillbag.standard.blocks import context_names, mappings
from skillbag.standard.context_blocks import (
    ANY_SKILL,
    is_nothing,
    is_ours,
    parameter_entries,
    prohibited_entries,
)
from skillbag.standard.names import canonical, is_name
from skillbag.standard.parameters import Parameter, declared_parameters
from skillbag.standard.reserved import PERSISTENCE
from skillbag.workspace.model import Inventory
from skillbag.workspace.skill import read_skill
from skillbag.workspace.target import BOOTSTRAP_SKILL, SKILL_ROOT

_Parameters = dict[str, Parameter]

_HINTS = 20


@predicate("setting-skill-unknown", Subject.INVENTORY, values=("name", "meant"))
def unknown_skill(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """Skills in settings that are neither here nor declared; nothing is said where no skill is here at all."""
    named = [item for item in _named_skills(inventory) if not _is_here(inventory, item[1].value)]
    known = _declared_names(inventory) if named else set()
    unknown = [item for item in named if item[1].value not in known] if inventory.cards else []
    for number, (path, key) in enumerate(unknown):
        # To compare many names with many takes long, and helps nobody.
        close = _meant(key.value, inventory.by_folder) if number < _HINTS else ""
        yield Match(path, key.start, key.end, {"name": key.value, "meant": close})


def _named_skills(inventory: Inventory) -> Iterator[tuple[str, Scalar]]:
    """The skills that `parameters`, `tags` and `prohibit.parameters` name, with the path of the file."""
    for context in setting_files(inventory.workspace):
        for mapping in mappings(context):
            prohibit = mapping.get("prohibit")
            nodes = [mapping.get(key) for key in ("parameters", "tags") if is_ours(mapping, key)]
            nodes += [prohibit.get("parameters")] if isinstance(prohibit, Mapping) else []
            for node in nodes:
                for entry in node.entries if isinstance(node, Mapping) else ():
                    if is_name(entry.key.value):
                        yield context.document.path, entry.key


def _is_here(inventory: Inventory, name: str) -> bool:
    # A folder that is left out of the check (a link that leads outside) is there all the same.
    return name in inventory.by_folder or tracked.exists(inventory.workspace.path(SKILL_ROOT, name))


def _declared_names(inventory: Inventory) -> set[str]:
    """Names that something else speaks of: they may be installed yet."""
    known = {canonical(scalar.value) for _, scalar in context_names(inventory.workspace)}
    for card in inventory.cards:
        known.update(canonical(dependency.name.value) for dependency in card.dependencies)
        known.update(tag.removeprefix("#use/") for tag in card.tags)
    return known | {BOOTSTRAP_SKILL}


@predicate("setting-parameter-unknown", Subject.INVENTORY, values=("name", "meant"))
def unknown_parameter(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """Parameters in settings that the skill, which is here and declares some, does not declare."""
    for path, entry, known in _settings(inventory, prohibited=True):
        name = entry.key.value
        if name not in known and name != PERSISTENCE:
            values = {"name": name[:80], "meant": _meant(name, known)}
            yield Match(path, entry.key.start, entry.key.end, values)


@predicate("setting-value-invalid", Subject.INVENTORY, values=("name", "value", "reason"))
def impossible_setting(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """Values that a setting gives a parameter of a skill here, and that it can't have."""
    for path, entry, known in _settings(inventory):
        parameter = known.get(entry.key.value)
        if parameter is None or is_nothing(entry.value):
            continue
        if reason := misfit(parameter, entry.value):
            values = {"name": entry.key.value, "value": shown(entry.value), "reason": reason}
            yield Match(path, entry.value.start, entry.value.end, values)


def _settings(inventory: Inventory, *, prohibited: bool = False) -> Iterator[tuple[str, Entry, _Parameters]]:
    """What is set for skills that are here by name, with the parameters that each declares; those without any are
    left out: they may take their inputs in plain words. With `prohibited`, prohibited values too.
    """
    read: dict[str, _Parameters] = {}
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


def _parameters(inventory: Inventory, name: str) -> _Parameters:
    """The parameters of a skill that is here; none where a block of it can't be read."""
    card = inventory.by_folder[name]
    skill = read_skill(card.directory, card.skills_root, inventory.workspace.root)
    if any(block.problem for block in skill.parameter_blocks):
        return {}
    return {parameter.name.value: parameter for parameter in declared_parameters(skill)}


def _meant(name: str, known: Iterable[str]) -> str:
    better = canonical(name)
    close = [better] if better in known else difflib.get_close_matches(name[:80], known, 1, 0.75)
    return f"; did you mean `{close[0]}`?" if close else ""
