"""Parameters that skills declare: whether blocks, names and keys follow the standard and its extensions."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator

from skillbag.kernel.documents.source import Document
from skillbag.kernel.standard import parameter_keys
from skillbag.kernel.standard.blocks import BlockFault, entries_of
from skillbag.kernel.standard.parameters import LISTS, declared_parameters, repeated_parameters, shape_faults
from skillbag.kernel.workspace.skill import Skill
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject, fault_matches, match_at

_OTHERS = ("name", "required", "default", "values", "type", "description")
_KNOWN = frozenset((*parameter_keys.KEYS, *_OTHERS))


@Predicate("parameter-shape", Subject.SKILL, values=("reason",), needs="parameters")
def parameter_shape(skill: Skill, _: NoOptions) -> Iterator[Match]:
    """What is not a list `required` or `optional` of `{name, default?}`; blocks of something else are ignored."""
    return fault_matches(skill.path, shape_faults(skill))


@Predicate("parameter-misspelt-list", Subject.SKILL, values=("key", "meant"), needs="parameters")
def misspelt_list(skill: Skill, _: NoOptions) -> Iterator[Match]:
    """Top-level keys of a block that are nearly `required` or `optional`."""
    for block in skill.parameter_blocks:
        # A declaration has a few keys; a block with very many is data, and comparing them all would take long.
        for key, _value in entries_of(block.value)[:20]:
            if key.value not in LISTS and len(key.value) < 20:
                for meant in difflib.get_close_matches(key.value.lower(), LISTS, 1, 0.75):
                    yield match_at(skill.path, key, {"key": key.value, "meant": meant})


@Predicate("parameter-twice", Subject.SKILL, values=("name",), needs="parameters")
def parameter_twice(skill: Skill, _: NoOptions) -> Iterator[Match]:
    """Parameters whose name was declared before."""
    for parameter in repeated_parameters(skill):
        yield match_at(skill.path, parameter.name, {"name": parameter.name.value})


@Predicate("parameter-required-default", Subject.SKILL, values=("name",), needs="parameters")
def required_default(skill: Skill, _: NoOptions) -> Iterator[Match]:
    """Required parameters that have a default."""
    for parameter in declared_parameters(skill):
        entry = parameter.item.entry("default") if parameter.required else None
        if entry is not None:
            yield Match(skill.path, entry.key.start, entry.value.end, {"name": parameter.name.value})


@Predicate("parameter-key-misspelled", Subject.SKILL, values=("key", "meant"), needs="parameters")
def misspelt_key(skill: Skill, _: NoOptions) -> Iterator[Match]:
    """Keys of parameters that are nearly one of these."""
    for parameter in declared_parameters(skill):
        for key, _value in parameter.item.entries[:20]:
            if key.value not in _KNOWN and (meant := _meant(key.value)):
                yield match_at(skill.path, key, {"key": key.value, "meant": meant})


def _meant(key: str) -> str:
    close = difflib.get_close_matches(key.lower(), (*parameter_keys.KEYS, *_OTHERS), 1, 0.8) if len(key) <= 20 else []
    return close[0] if close and close[0] in parameter_keys.KEYS else ""


def mentions(skill: Skill, *words: str) -> bool:
    """Whether a block of parameters contains one of the words; most skills need no closer look."""
    text = skill.document.text if isinstance(skill.document, Document) else ""
    return any(text.find(word, block.start, block.end) >= 0 for block in skill.parameter_blocks for word in words)


def _malformed(
    key: str, faults: Callable[[Skill], Iterator[BlockFault]]
) -> Callable[[Skill, NoOptions], Iterable[Match]]:
    def check(skill: Skill, _: NoOptions) -> Iterable[Match]:
        return fault_matches(skill.path, faults(skill)) if mentions(skill, key) else ()

    return check


for _name, _key, _faults in (
    ("parameter-discover-invalid", "discover", parameter_keys.discover_faults),
    ("parameter-required-if-invalid", "required-if", parameter_keys.condition_faults),
    ("parameter-confirm-invalid", "confirm", parameter_keys.confirm_faults),
    ("parameter-name-reserved", "confirm", parameter_keys.reserved_faults),
    ("parameter-persist-invalid", "persist", parameter_keys.persist_faults),
):
    Predicate(_name, Subject.SKILL, values=("reason",), needs="parameters")(_malformed(_key, _faults))
