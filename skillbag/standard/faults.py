"""A fault of the standard's data, as the functions of this package give it to rules and commands."""

from __future__ import annotations

from skillbag.base.records import NamedTuple
from skillbag.documents.source import Position


class Fault(NamedTuple):
    """Something malformed: where (offsets, or `at` where nothing was parsed), the reason, and how to write it."""

    start: int
    end: int
    reason: str
    fix: str = ""
    at: Position | None = None
