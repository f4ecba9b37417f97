"""Parameters that skills declare: their blocks, names, keys and values; and secrets in their defaults."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator

from skillbag.kernel.documents.equality import meaning, spelling
from skillbag.kernel.documents.nodes import Node, Scalar, Sequence, core_value
from skillbag.kernel.documents.source import Document
from skillbag.kernel.secrets.judges import named_secret
from skillbag.kernel.standard import parameter_keys
from skillbag.kernel.standard.blocks import BlockFault, entries_of, is_empty, items_of, scalars_of
from skillbag.kernel.standard.context_blocks import ANY_VALUE, is_nothing
from skillbag.kernel.standard.parameters import (
    TYPES,
    ParameterNode,
    declared_parameters,
    repeated_parameters,
    shape_faults,
)
from skillbag.kernel.standard.unread import misspelt_in_parameters, misspelt_lists
from skillbag.kernel.workspace.skill import Skill
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject, fault_matches, match_at


@Predicate("parameter-shape", Subject.SKILL, values=("reason",), needs="parameters")
def parameter_shape(skill: Skill, _: NoOptions) -> Iterator[Match]:
    """What is not a list `required` or `optional` of `{name, default?}`; blocks of something else are ignored."""
    return fault_matches(skill.path, shape_faults(skill))


@Predicate("parameter-misspelt-list", Subject.SKILL, values=("key", "meant"), needs="parameters")
def misspelt_list(skill: Skill, _: NoOptions) -> Iterator[Match]:
    """Top-level keys of a block that are nearly `required` or `optional`."""
    for key, meant in misspelt_lists(skill):
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
    for key, meant in misspelt_in_parameters(skill):
        yield match_at(skill.path, key, {"key": key.value, "meant": meant})


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


_NOT_AMONG = "is not among the `values`"


def misfit(parameter: ParameterNode, value: Node) -> str:
    """Why a parameter can't have a value; empty where it can, or where its values are not limited.

    For the type `string`, a plain `1.10` is text. A list fits `values` if each of its items does. Null and blank text
    are not values.
    """
    kind, allowed = _kind(parameter), _allowed(parameter)
    if not (kind or allowed) or is_empty(value) or is_nothing(value):
        return ""
    if kind == "string" and isinstance(value, Scalar):
        value = value._replace(plain=False)
    if kind and not _has_kind(value, kind):
        return f"is not of the type `{kind}`"
    if not allowed or _is_among(value, allowed):
        return ""
    listed = isinstance(value, Sequence) and all(_is_among(item, allowed) for item in value.items)
    return "" if listed else _NOT_AMONG


@Predicate("parameter-value-invalid", Subject.SKILL, values=("key", "name", "value", "reason"), needs="parameters")
def impossible_value(skill: Skill, _: NoOptions) -> Iterable[Match]:
    """Values that a skill gives its parameters, or tests for, although they can't have them."""
    return _impossible(skill) if mentions(skill, "values", "type", "confirm", "required-if") else ()


def _impossible(skill: Skill) -> Iterator[Match]:
    parameters = {parameter.name.value: parameter for parameter in declared_parameters(skill)}
    for parameter in parameters.values():
        for key, value in parameter.item.entries:
            # A required parameter has no default: another rule says so.
            if key.value == "default" and not parameter.required:
                yield from _value_match(skill, "default", parameter, value, misfit(parameter, value))
            elif key.value == "confirm":
                yield from _unreachable(skill, "confirm", parameter, value)
            elif key.value == "required-if":
                for name, wanted in entries_of(value):
                    if name.value in parameters:
                        yield from _unreachable(skill, "required-if", parameters[name.value], wanted)


def _unreachable(skill: Skill, key: str, parameter: ParameterNode, tested: Node) -> Iterator[Match]:
    for value in scalars_of(tested):
        if value.value != ANY_VALUE:
            yield from _value_match(skill, key, parameter, value, _unlike(parameter, value))


def _value_match(skill: Skill, key: str, parameter: ParameterNode, node: Node, reason: str) -> Iterator[Match]:
    if reason:
        values = {"key": key, "name": parameter.name.value, "value": shown(node), "reason": reason}
        yield match_at(skill.path, node, values)


def _unlike(parameter: ParameterNode, value: Scalar) -> str:
    """Why a parameter can never have this value, however it is quoted, nor a list with it."""
    kind = _kind(parameter)
    if kind in ("number", "boolean") and not _has_kind(value._replace(plain=True), kind):
        return f"is not of the type `{kind}`"
    if allowed := _allowed(parameter):
        return "" if _is_among(value, allowed) else _NOT_AMONG
    # `confirm: true` is easily taken for "ask at any value".
    if isinstance(core_value(value), bool) and not _may_be_boolean(parameter):
        return "is a boolean, and the parameter does not look like one"
    return ""


def _may_be_boolean(parameter: ParameterNode) -> bool:
    kind, default = _kind(parameter), parameter.default
    if kind is not None or default is None or is_nothing(default):
        return kind in (None, "boolean")
    return isinstance(core_value(default), bool)


def _kind(parameter: ParameterNode) -> str | None:
    node = parameter.item.get("type")
    return node.value if isinstance(node, Scalar) and node.value in TYPES else None


def _allowed(parameter: ParameterNode) -> tuple[Node, ...]:
    return items_of(parameter.item.get("values"))


def _has_kind(node: Node, kind: str) -> bool:
    value = core_value(node)
    if kind == "number":
        return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return isinstance(node, Scalar) if kind == "string" else isinstance(value, bool if kind == "boolean" else list)


def _is_among(node: Node, allowed: Iterable[Node]) -> bool:
    marks = _marks(node)
    return any(not marks.isdisjoint(_marks(value)) for value in allowed)


def _marks(node: Node) -> frozenset[Hashable]:
    """The meaning and spelling of a value; values that share one of them are equal."""
    means = ("means", meaning(core_value(node)))
    return frozenset({means, ("spelt", spelling(node.value))} if isinstance(node, Scalar) else {means})


def shown(node: Node) -> str:
    """A value in a message."""
    if isinstance(node, Scalar):
        return f"`{node.value[:80]}`"
    return "the list" if isinstance(node, Sequence) else "the mapping"


@Predicate("secret-default", Subject.SKILL, values=("name",), needs="parameters")
def secret_default(skill: Skill, _: NoOptions) -> Iterator[Match]:
    """Defaults that look secret because of the parameter's name; known tokens are found by the predicate `secret`.

    The place is the parameter's name, so that no output shows the line of the value.
    """
    for parameter in declared_parameters(skill):
        default, name = parameter.default, parameter.name
        if isinstance(default, Scalar) and named_secret(name.value, default.value) and not _is_known(default.value):
            yield match_at(skill.path, name, {"name": name.value})


def _is_known(value: str) -> bool:
    from skillbag.kernel.secrets.detection import find_secrets

    return bool(find_secrets(value))
