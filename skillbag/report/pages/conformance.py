"""The page of `conformance --html`: the matrix of clauses, and every case with what failed."""

from __future__ import annotations

from typing import Any

from skillbag import STANDARD_VERSION
from skillbag.fleet.conformance.results import ConformanceResult, Report
from skillbag.report.conformance import totals
from skillbag.report.conformance_matrix import KINDS, driver_name, matrix
from skillbag.report.pages.rendering import View, render_page
from skillbag.report.sanitize import shown

_MAX_LINES = 50


def conformance_page(report: Report) -> str:
    """The page."""
    rows = matrix(report)
    name = driver_name(report)
    return render_page(
        "conformance.html",
        title=f"Conformance of {name}",
        data={"kinds": KINDS, "clauses": [row._asdict() for row in rows], "cases": list(map(_case, report.cases))},
        scripts=("facets.js", "pager.js", "listing.js", "table.js", "conformance.js"),
        views=(View("clauses", "Clauses"), View("cases", "Cases")),
        context={
            "name": name,
            "totals": totals(report),
            "rows": rows,
            "kinds": KINDS,
            "counts": {verdict.value: number for verdict, number in report.counts.items()},
            "number": len(report.cases),
            "standard_version": STANDARD_VERSION,
        },
    )


def _case(result: ConformanceResult) -> dict[str, Any]:
    case = result.case
    return {
        "id": case.id,
        "verdict": result.verdict.value,
        "kind": case.kind,
        "clauses": case.clauses,
        "why": case.why,
        "lines": [shown(line) for line in result.lines[:_MAX_LINES]],
    }
