"""Facts at places of code."""

from __future__ import annotations

from skillbag.lint.capabilities.facts import FactKind, FactPlace, FoundFact
from skillbag.lint.capabilities.hosts import UNKNOWN, is_public
from skillbag.lint.capabilities.shortening import shortened
from skillbag.lint.facts.units import Unit


def found_at(unit: Unit, kind: FactKind, value: str, at: int, *marks: str, detail: str = "") -> FoundFact:
    """A fact at an offset of a unit; empty marks are none."""
    place = FactPlace(unit.file.relative, *unit.position(at))
    return FoundFact(kind, value, place, (unit.origin, *filter(None, marks)), detail)


def contacted(unit: Unit, host: str, address: str, at: int, *marks: str) -> FoundFact:
    """The fact of a host, or of an address whose host is decided at run time."""
    if host == UNKNOWN:
        return found_at(unit, FactKind.UNKNOWN_HOST, shortened(address, 60), at, *marks)
    return found_at(unit, FactKind.HOST, host, at, *marks, "public-address" if is_public(host) else "")
