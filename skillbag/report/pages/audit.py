"""The page of an audit: its sources with their findings, the rules, and the copies, searched and sorted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from skillbag.fleet.audit.source_rows import SourceRow
from skillbag.report.audit_sections import overview, sections
from skillbag.report.pages.rendering import View, render_page
from skillbag.report.sanitize import shown
from skillbag.report.summary import CLAUSES

_VIEWS = (View("sources", "Sources"), View("rules", "Rules"), View("copies", "Copies"), View("tables", "Tables"))
_MAX_EXAMPLES = 5_000
_MAX_LISTED = 500


def audit_page(summary: Mapping[str, Any], rows: Sequence[SourceRow]) -> str:
    """The page. `rows` are the worst sources, the worst first."""
    tables = [section for section in sections(summary, _MAX_LISTED) if section.columns]
    return render_page(
        "audit.html",
        title="Skills audit",
        data={
            "sources": _sources(rows),
            "rules": _rules(summary),
            "groups": list(_groups(summary)),
            "clauses": CLAUSES,
        },
        scripts=("facets.js", "pager.js", "listing.js", "table.js", "audit_sources.js", "audit.js"),
        views=_VIEWS,
        context={
            "overview": overview(summary),
            "summary": summary,
            "tables": [section._replace(rows=tuple(map(_shown_row, section.rows))) for section in tables],
            "left_out": summary["sources"]["all"] - len(rows),
            "clauses": CLAUSES,
        },
    )


def _shown_row(row: tuple[str | int, ...]) -> tuple[str | int, ...]:
    return tuple(cell if isinstance(cell, int) else shown(cell) for cell in row)


def _sources(rows: Sequence[SourceRow]) -> dict[str, Any]:
    """The rows; rules are places in a table, and only so many examples as a page can hold."""
    rules: dict[str, int] = {}
    left, listed = _MAX_EXAMPLES, []
    for row in rows:
        examples = row.examples[:left]
        left -= len(examples)
        counts = [[rules.setdefault(rule, len(rules)), count] for rule, count in row.rules]
        texts = [shown(text) for text in (row.source, row.version, row.resolved, row.kind, row.label)]
        numbers = [row.errors, row.warnings, row.notes, row.skills]
        example_texts = [[shown(text) for text in example] for example in examples]
        listed.append([*texts, *numbers, row.pinned, row.date, shown(row.why), counts, example_texts])
    return {"rules": [shown(rule) for rule in rules], "rows": listed}


def _rules(summary: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            "rule": shown(rule["rule"]),
            "clause": shown(rule["clause"] or ""),
            "level": shown(rule["level"]),
            "sources": rule["sources"],
            "skills": rule["skills"],
            "findings": rule["findings"],
            "worst": [f"{shown(entry['source'])} ({entry['findings']:,})" for entry in rule["worst"][:3]],
        }
        for rule in summary["rules"]
    ]


def _groups(summary: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Each group of copies or near-copies with the places that are listed."""
    for key, kind in (("copies", "same files"), ("near_copies", "nearly the same text")):
        for group in summary[key]["listed"]:
            yield {
                "kind": kind,
                "name": shown(group["name"]),
                "skills": group["skills"],
                "sources": group["sources"],
                "likeness": group["likeness"],
                "places": [[shown(place["source"]), shown(place["path"])] for place in group["places"]],
            }
