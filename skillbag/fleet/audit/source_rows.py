"""A short row for each audited source, for reports that list them: the worst ones, and no more than fit in a page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from skillbag.fleet.audit.values import FAILED, Inspected, SourceRecord
from skillbag.kernel.model.findings import Severity
from skillbag.kernel.workspace.target import TargetKind

MAX = 20_000
"""Rows that are kept."""
_EXAMPLES = 5
"""Findings that are kept of each."""
_ORDER = {severity: number for number, severity in enumerate(Severity)}


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

    def through(self, records: Iterable[SourceRecord]) -> Iterator[SourceRecord]:
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


def _row(record: SourceRecord) -> SourceRow:
    head, found = record
    counts = found and found.counts
    findings = sorted(found.findings if found else (), key=lambda finding: _ORDER[finding.level])
    return SourceRow(
        head.source,
        head.version or "",
        head.resolved or "",
        head.kind or "",
        _label(found) if found else head.status,
        *((counts.error, counts.warning, counts.note) if counts else (0, 0, 0)),
        len(found.skills) if found else 0,
        head.pinned,
        head.at[:10],
        head.error or "",
        tuple(counts.rules.items()) if counts else (),
        tuple(
            Example(finding.rule, finding.level, f"{finding.path}:{finding.line}", finding.message)
            for finding in findings[:_EXAMPLES]
        ),
    )


def _label(found: Inspected) -> str:
    """`conforms` is for workspaces and sources; plain skills without errors and warnings are `clean`."""
    if found.counts.error:
        return "errors"
    held = [target for target in found.targets if target.kind is not TargetKind.SKILLS]
    if held and all(target.conforms for target in held):
        return "conforms"
    return "warnings" if found.counts.warning else "clean"
