"""Facts at places of code."""

from __future__ import annotations

from skillbag.kernel.secrets.detection import mask
from skillbag.lint.capabilities.facts import FactKind, FactPlace, FoundFact
from skillbag.lint.facts.units import Unit


def found_at(unit: Unit, kind: FactKind, value: str, at: int, *marks: str, detail: str = "") -> FoundFact:
    """A fact at an offset of a unit; empty marks are none."""
    place = FactPlace(unit.file.relative, *unit.position(at))
    return FoundFact(kind, value, place, (unit.origin, *filter(None, marks)), detail)


def shortened(text: str, most: int) -> str:
    """The beginning of a text; of a longer one the secrets are masked before it is cut."""
    if len(text) <= most:
        return text
    return mask(text[: most + 2000])[:most]
