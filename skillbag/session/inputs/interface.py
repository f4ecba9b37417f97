"""The parameters of a skill as values, with the keys that extend the standard."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import NamedTuple

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.documents.nodes import Mapping, Node, Scalar, Sequence
from skillbag.kernel.documents.source import Document
from skillbag.kernel.standard.blocks import BlockFault, scalars_of
from skillbag.kernel.standard.context_blocks import ANY_VALUE
from skillbag.kernel.standard.declarations import Place
from skillbag.kernel.standard.parameter_keys import key_faults, parameter_mappings
from skillbag.kernel.standard.parameters import (
    TYPES,
    ParameterNode,
    declared_parameters,
    repeated_parameters,
    shape_faults,
)
from skillbag.kernel.standard.unread import (
    ignored_declarations,
    misspelt_in_parameters,
    misspelt_lists,
    unread_in_front_matter,
    unread_in_skill,
)
from skillbag.kernel.workspace.skill import Skill
from skillbag.session.settings.settings import Remark, summarize
from skillbag.session.settings.value import Value, given_value, value_of
from skillbag.session.skills.skills import BadSkillError

_BARE = late(r"^[ \t]*[\"']?(?:required|optional|dependencies)[\"']?[ \t]*:", re.MULTILINE)


class Condition(NamedTuple):
    """An entry of `required-if`: another parameter, and the values that meet the condition; empty for any value."""

    name: str
    values: tuple[Value, ...]


class DeclaredParameter(NamedTuple):
    """A parameter as `SKILL.md` declares it.

    `discover`, `required_if`, `confirm` and `persist` are extensions (`kernel/standard/parameter_keys.py`). `confirm`
    is None if no value needs confirmation, and empty if every value does. A required parameter has no default (clause
    parameters.no-required-default).
    """

    name: str
    required: bool
    default: Value | None
    place: Place
    type: str | None = None
    values: tuple[Value, ...] = ()
    description: str = ""
    discover: tuple[str, ...] = ()
    required_if: tuple[Condition, ...] = ()
    confirm: tuple[Value, ...] | None = None
    persist: bool | None = None
    default_place: Place | None = None


ASK_FIRST = "Ask first if this is destructive, security-sensitive, visible outside or hard to undo"
"""What an agent does with a skill that declares nothing about risk (clause inputs.ask)."""


class Interface(NamedTuple):
    """All parameters of a skill, in order; `risk` is why every run needs confirmation; `remarks` say what it declares
    without effect."""

    skill: str
    parameters: tuple[DeclaredParameter, ...]
    risk: str = ""
    risk_place: Place | None = None
    remarks: tuple[Remark, ...] = ()

    def parameter(self, name: str) -> DeclaredParameter | None:
        """The parameter of this name."""
        return next((parameter for parameter in self.parameters if parameter.name == name), None)

    @property
    def declares_risk(self) -> bool:
        """Whether the skill says before what it asks."""
        return bool(self.risk) or any(parameter.confirm is not None for parameter in self.parameters)


def read_interface(skill: Skill) -> Interface:
    """The interface of a skill.

    Raises:
        BadSkillError: its declarations are malformed; the message lists the first faults.
    """
    repeated = (
        BlockFault(name.start, name.end, f"`{name.value}` is declared twice") for name, *_ in repeated_parameters(skill)
    )
    if faults := [_describe(skill, fault) for fault in (*shape_faults(skill), *repeated, *key_faults(skill))]:
        raise BadSkillError(summarize(faults))
    risk, place = "", None
    for mapping in parameter_mappings(skill):
        node = mapping.get("confirm")
        if isinstance(node, Scalar):
            risk, place = node.value, _place(skill, node.start)
    parameters = tuple(_declared(skill, parameter) for parameter in declared_parameters(skill))
    return Interface(skill.folder, parameters, risk, place, tuple(_remarks(skill)))


def _remarks(skill: Skill) -> Iterator[Remark]:
    for kind, other in ignored_declarations(skill):
        text = f"this block is ignored; put it under a heading `{kind.title}`"
        yield Remark(_place(skill, other.block.start), text)
    for key, meant in (*misspelt_lists(skill), *misspelt_in_parameters(skill)):
        yield Remark(_place(skill, key.start), f"`{key.value}` has no effect; write `{meant}`")
    for fault in (*unread_in_front_matter(skill), *unread_in_skill(skill)):
        advice = f"; {fault.fix}" if fault.fix else ""
        yield Remark(_place(skill, fault.start), f"{fault.reason}, so it is ignored{advice}")
    body = skill.document.text[skill.body_start :] if isinstance(skill.document, Document) else ""
    if not (skill.parameter_blocks or skill.dependency_blocks) and _BARE().search(body):
        from skillbag.lint.checks.unfenced import unfenced_keys

        for key in unfenced_keys(skill):
            yield Remark(_place(skill, key.start), f"`{key.value}` is not in a `yaml` block, so it is ignored")


def _describe(skill: Skill, fault: BlockFault) -> str:
    place = Place(_path(skill), fault.at.line) if fault.at else _place(skill, fault.start)
    message = f"{fault.reason}; {fault.fix}" if fault.fix else fault.reason
    return f"{place}: {' '.join(message.split())}"


def _declared(skill: Skill, parameter: ParameterNode) -> DeclaredParameter:
    item = parameter.item
    confirm, persist, described = item.get("confirm"), item.get("persist"), item.get("description")
    kind, default = item.get("type"), item.entry("default")
    values, conditions = item.get("values"), item.get("required-if")
    return DeclaredParameter(
        parameter.name.value,
        parameter.required,
        None if parameter.required or parameter.default is None else given_value(parameter.default),
        _place(skill, parameter.name.start),
        kind.value if isinstance(kind, Scalar) and kind.value in TYPES else None,
        tuple(map(value_of, values.items)) if isinstance(values, Sequence) else (),
        described.value if isinstance(described, Scalar) else "",
        tuple(pattern.value for pattern in scalars_of(item.get("discover"))),
        tuple(Condition(entry.key.value, _restricted(entry.value)) for entry in conditions.entries)
        if isinstance(conditions, Mapping)
        else (),
        None if confirm is None else _restricted(confirm),
        persist.value.lower() == "true" if isinstance(persist, Scalar) else None,
        default and _place(skill, default.key.start),
    )


def _restricted(node: Node) -> tuple[Value, ...]:
    """The listed values; empty for any value."""
    found = scalars_of(node)
    return () if any(item.value == ANY_VALUE for item in found) else tuple(value_of(item) for item in found)


def _place(skill: Skill, offset: int) -> Place:
    line = skill.document.position(offset).line if isinstance(skill.document, Document) else 1
    return Place(_path(skill), line)


def _path(skill: Skill) -> str:
    return os.path.relpath(skill.path, skill.root).replace(os.sep, "/")
