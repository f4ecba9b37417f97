"""Predicates for any rule about the front matter: fields that it must have, and their lengths."""

from __future__ import annotations

from collections.abc import Iterator

from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.documents.nodes import Mapping, MappingEntry, Node, Scalar
from skillbag.kernel.documents.source import DocumentProblem
from skillbag.kernel.standard.blocks import is_empty, kind_of
from skillbag.kernel.workspace.skill import Skill
from skillbag.lint.checks.predicate import Match, Predicate, Subject, match_at


class Fields(NamedTuple):
    """`fields`: their keys, with dots within mappings: `metadata.version`."""

    fields: tuple[str, ...] = ()


class FieldLength(NamedTuple):
    """A field, and the least and the greatest length of its text in characters."""

    field: str = ""
    at_least: int = 0
    at_most: int = 1_000_000


@Predicate("field-required", Subject.SKILL, values=("field", "reason"), options=Fields)
def field_required(skill: Skill, options: Fields) -> Iterator[Match]:
    """Fields that are missing or empty, or whose value is not text."""
    matter = skill.front_matter
    if isinstance(matter, DocumentProblem):
        return
    for field in options.fields:
        entry = entry_of(skill, field)
        if entry is None:
            yield Match(skill.path, matter.start, matter.start, {"field": field, "reason": "is missing"})
        elif is_empty(entry.value):
            yield match_at(skill.path, entry.key, {"field": field, "reason": "is empty"})
        elif not isinstance(entry.value, Scalar):
            yield match_at(skill.path, entry.value, {"field": field, "reason": f"is {kind_of(entry.value)}, not text"})


@Predicate("field-length", Subject.SKILL, values=("field", "length", "most", "least"), options=FieldLength)
def field_length(skill: Skill, options: FieldLength) -> Iterator[Match]:
    """A text shorter or longer than its limits, in code points; white space around it does not count."""
    entry = entry_of(skill, options.field)
    if entry is None or not isinstance(entry.value, Scalar):
        return
    length = len(entry.value.value.strip())
    if not options.at_least <= length <= options.at_most:
        limits = {"most": str(options.at_most), "least": str(options.at_least)}
        place = entry.value if length else entry.key
        yield match_at(skill.path, place, {"field": options.field, "length": str(length), **limits})


def value_of(skill: Skill, field: str) -> Node | None:
    """The value of a field."""
    entry = entry_of(skill, field)
    return entry.value if entry else None


def entry_of(skill: Skill, field: str) -> MappingEntry | None:
    """The entry of a field; a key that has the dots itself comes first."""
    if isinstance(skill.front_matter, DocumentProblem):
        return None
    top = skill.front_matter.mapping
    entry = top.entry(field)
    if entry or "." not in field:
        return entry
    node: Node = top
    for key in field.split("."):
        entry = node.entry(key) if isinstance(node, Mapping) else None
        if entry is None:
            return None
        node = entry.value
    return entry
