"""The readings: how this project decides what the standard's text leaves open."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from typing import NamedTuple

from skillbag.kernel.base.package_data import readings

PAGE = "../standard.md"
"""The page of all readings, from the page of a rule."""


class StandardReading(NamedTuple):
    """An open point of the standard and how it is decided; `clauses` are the ids of those that it concerns.

    `extension`: the reading adds something to the standard, which another program may not know.
    """

    id: str
    point: str
    reading: str
    reason: str
    effect: str
    clauses: tuple[str, ...]
    extension: bool = False

    @property
    def title(self) -> str:
        """The id in words."""
        words = self.id.replace("-", " ")
        return f"{words[0].upper()}{words[1:]}"


def load_readings() -> tuple[StandardReading, ...]:
    """All readings, in the order of `rules/readings.toml`."""
    rows = tomllib.loads(readings())["reading"]
    return tuple(StandardReading(**{**row, "clauses": tuple(row["clauses"])}) for row in rows)


def readings_of(clauses: Iterable[str]) -> tuple[StandardReading, ...]:
    """The readings that concern any of these clauses."""
    named = frozenset(clauses)
    return tuple(reading for reading in load_readings() if not named.isdisjoint(reading.clauses))
