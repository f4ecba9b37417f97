"""The page of an audit: its sources with their findings, the rules, and the copies, searched and sorted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from skillbag.fleet.audit.source_rows import SourceRow
from skillbag.fleet.audit.summary_values import AuditSummary, BrokenRule, SimilarSkills
from skillbag.kernel.base.json_records import to_json
from skillbag.report.audit import overview, sections
from skillbag.report.pages.rendering import View, render_page
from skillbag.report.sanitize import shown
from skillbag.report.summary import CLAUSES

_VIEWS = (View("sources", "Sources"), View("rules", "Rules"), View("copies", "Copies"), View("tables", "Tables"))
_MAX_EXAMPLES = 5_000
_MAX_LISTED = 500


class _SourceData(NamedTuple):
    """The rows without their names, since there may be many; the `rules` of a row are places in `rules`."""

    rules: tuple[str, ...]
    rows: Sequence[tuple[object, ...]]


class _AuditData(NamedTuple):
    """What the scripts of the page draw."""

    sources: _SourceData
    rules: tuple[BrokenRule, ...]
    copies: tuple[SimilarSkills, ...]
    near_copies: tuple[SimilarSkills, ...]
    clauses: str


def audit_page(summary: AuditSummary, rows: Sequence[SourceRow]) -> str:
    """The page. `rows` are the worst sources, the worst first."""
    tables = [section for section in sections(summary, _MAX_LISTED) if section.columns]
    copies = summary.copies.listed, summary.near_copies.listed
    return render_page(
        "audit.html",
        title="Skills audit",
        data=to_json(_AuditData(_sources(rows), summary.rules, *copies, CLAUSES), shown),
        scripts=("facets.js", "pager.js", "listing.js", "table.js", "audit_sources.js", "audit.js"),
        views=_VIEWS,
        context={
            "overview": overview(summary),
            "summary": summary,
            "tables": [section._replace(rows=tuple(map(_shown_row, section.rows))) for section in tables],
            "left_out": summary.sources.all - len(rows),
            "clauses": CLAUSES,
        },
    )


def _shown_row(row: tuple[str | int, ...]) -> tuple[str | int, ...]:
    return tuple(cell if isinstance(cell, int) else shown(cell) for cell in row)


def _sources(rows: Sequence[SourceRow]) -> _SourceData:
    """The rows, with only so many examples as a page can hold."""
    rules: dict[str, int] = {}
    left, listed = _MAX_EXAMPLES, []
    for row in rows:
        examples = [tuple(example) for example in row.examples[:left]]
        left -= len(examples)
        counts = [(rules.setdefault(rule, len(rules)), count) for rule, count in row.rules]
        listed.append((*row[:-2], counts, examples))
    return _SourceData(tuple(rules), listed)
