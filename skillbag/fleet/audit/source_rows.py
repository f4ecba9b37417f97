"""A short row for each audited source, for reports that list them: the worst ones, and no more than fit in a page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from skillbag.fleet.audit.record import FAILED, NOTHING
from skillbag.kernel.model.findings import Severity

MAX = 20_000
"""Rows that are kept."""
_EXAMPLES = 5
"""Findings that are kept of each."""
_ORDER = {severity.value: number for number, severity in enumerate(Severity)}


class Example(NamedTuple):
    """A finding of a source."""

    rule: str
    level: str
    place: str
    message: str


class SourceRow(NamedTuple):
    """A source. `label` sums it up in a word; `date` is the day of its audit; `rules` are the findings by rule."""

    source: str
    version: str
    resolved: str
    kind: str
    label: str
    errors: int
    warnings: int
    notes: int
    skills: int
    pinned: bool | None
    date: str
    why: str
    rules: tuple[tuple[str, int], ...]
    examples: tuple[Example, ...]


class SourceRows:
    """Collects the rows of records that pass `through`; `rows` are those that were kept, the worst first."""

    def __init__(self) -> None:
        self.count = 0
        self._kept: list[SourceRow] = []

    def through(self, records: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
        """The records themselves."""
        for record in records:
            self.count += 1
            self._kept.append(_row(record))
            if len(self._kept) > 2 * MAX:
                self._kept = self.rows
            yield record

    @property
    def rows(self) -> list[SourceRow]:
        """At most `MAX` of them."""
        return sorted(self._kept, key=_badness)[:MAX]


def _badness(row: SourceRow) -> tuple[int, int, bool, int, str, str]:
    return -row.errors, -row.warnings, row.label != FAILED, -row.notes, row.source, row.version


def _row(record: Mapping[str, Any]) -> SourceRow:
    counts = record.get("counts") or {}
    findings = sorted(record.get("findings") or (), key=lambda finding: _ORDER.get(finding["level"], len(_ORDER)))
    return SourceRow(
        record["source"],
        record["version"] or "",
        record["resolved"] or "",
        record["kind"] or "",
        _label(record, counts),
        counts.get("error", 0),
        counts.get("warning", 0),
        counts.get("note", 0),
        len(record.get("skills") or ()),
        record["pinned"],
        record["at"][:10],
        record["error"] or "",
        tuple((counts.get("rules") or {}).items()),
        tuple(
            Example(found["rule"], found["level"], f"{found['path']}:{found['line']}", found["message"])
            for found in findings[:_EXAMPLES]
        ),
    )


def _label(record: Mapping[str, Any], counts: Mapping[str, Any]) -> str:
    """`conforms` is for workspaces and sources; plain skills without errors and warnings are `clean`."""
    if record["status"] in (FAILED, NOTHING):
        return str(record["status"])
    if counts["error"]:
        return "errors"
    held = [target for target in record["targets"] if target["kind"] != "skills"]
    if held and all(target["conforms"] for target in held):
        return "conforms"
    return "warnings" if counts["warning"] else "clean"
