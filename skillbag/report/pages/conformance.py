"""The page of `conformance --html`: the matrix of clauses, and every case with what failed."""

from __future__ import annotations

from skillbag.fleet.conformance import kit
from skillbag.kernel.base.json_records import to_json
from skillbag.report.conformance_matrix import matrix
from skillbag.report.pages.rendering import View, render_page
from skillbag.report.sanitize import shown

_MAX_LINES = 50


def conformance_page(report: kit.Report) -> str:
    """The page."""
    rows = matrix(report)
    name = shown(report.subject)
    cases = [case._replace(lines=case.lines[:_MAX_LINES]) for case in report.cases]
    return render_page(
        "conformance.html",
        title=f"Conformance of {name}",
        data={"kinds": kit.KINDS, "clauses": to_json(rows), "cases": to_json(cases, shown)},
        scripts=("facets.js", "pager.js", "listing.js", "table.js", "conformance.js"),
        views=(View("clauses", "Clauses"), View("cases", "Cases")),
        context={
            "name": name,
            "totals": kit.totals(report),
            "versions": shown(kit.versions(report)),
            "parts": [(part, kit.WORDS[verdict].lower(), numbers) for part, verdict, numbers in kit.parts(report)],
            "rows": rows,
            "kinds": kit.KINDS,
            "counts": report.summary,
            "number": len(report.cases),
            "standard_version": report.versions.standard,
        },
    )
