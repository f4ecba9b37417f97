"""The page of `conformance --html`: the matrix of clauses, and every case with what failed."""

from __future__ import annotations

from skillbag import STANDARD_VERSION
from skillbag.fleet.conformance.case import KINDS
from skillbag.fleet.conformance.results import Report
from skillbag.kernel.base.json_records import to_json
from skillbag.report.conformance import CaseResultJson, totals
from skillbag.report.conformance_matrix import driver_name, matrix
from skillbag.report.pages.rendering import View, render_page
from skillbag.report.sanitize import shown

_MAX_LINES = 50


def conformance_page(report: Report) -> str:
    """The page."""
    rows = matrix(report)
    name = driver_name(report)
    cases = [CaseResultJson.of(result, _MAX_LINES) for result in report.cases]
    return render_page(
        "conformance.html",
        title=f"Conformance of {name}",
        data={"kinds": KINDS, "clauses": to_json(rows), "cases": to_json(cases, shown)},
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
