"""Facts at places of code."""

from __future__ import annotations

from skillbag.lint.capabilities.facts import FactKind, FactPlace, FoundFact
from skillbag.lint.facts.units import Unit


def found_at(unit: Unit, kind: FactKind, value: str, at: int, *marks: str, detail: str = "") -> FoundFact:
    """A fact at an offset of a unit; empty marks are none."""
    place = FactPlace(unit.file.relative, *unit.position(at))
    return FoundFact(kind, value, place, (unit.origin, *filter(None, marks)), detail)
