"""Records for people, as tables, facts and lines: a report declares what of its records is shown, and as what."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TypeAlias, TypeVar

from skillbag.report.columns import table
from skillbag.report.sanitize import shown

Record = TypeVar("Record")
Columns: TypeAlias = Mapping[str, Callable[[Record], str]]
"""The columns of a table by their titles, each with what it shows of a record."""


def table_view(columns: Columns[Record], records: Iterable[Record], right: Collection[int] = ()) -> list[str]:
    """The lines of a table with a row for each record, below the titles; the columns `right` end alike."""
    rows = [[show(record) for show in columns.values()] for record in records]
    return table([tuple(columns), *rows], right)


def facts_view(facts: Iterable[tuple[str, str]]) -> str:
    """A line for each subject; those about which there is nothing to say are left out."""
    return "".join(f"{subject}: {shown(text)}\n" for subject, text in facts if text)


def lines_view(lines: Iterable[str]) -> str:
    """The lines as they are printed."""
    return "".join(f"{shown(line)}\n" for line in lines)
