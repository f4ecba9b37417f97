"""The page of `conformance --html`: the matrix of clauses, and every case with what failed."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from skillbag.fleet.conformance import kit
from skillbag.kernel.base.json_records import to_json
from skillbag.report.pages.rendering import View, render_page
from skillbag.report.sanitize import shown

_MAX_LINES = 50


class Row(NamedTuple):
    """A clause; `word` is its verdict for people. `kinds`: how many cases of each kind passed, of how many."""

    clause: str
    level: str
    gist: str
    verdict: str
    word: str
    reason: str
    kinds: tuple[tuple[int, int], ...]


def matrix(report: kit.Report) -> tuple[Row, ...]:
    """The rows in the standard's order."""
    passed: Counter[tuple[str, str]] = Counter()
    every: Counter[tuple[str, str]] = Counter()
    for result in report.cases:
        for clause in result.clauses:
            every[clause, result.kind] += 1
            passed[clause, result.kind] += result.verdict == kit.PASSED
    rows = []
    for each in report.clauses:
        kinds = tuple((passed[each.id, kind], every[each.id, kind]) for kind in kit.KINDS)
        verdict = each.verdict if any(each.counts) or not each.reason else "agent"
        rows.append(Row(each.id, each.level, each.gist, verdict, each.word.lower(), each.reason or "", kinds))
    return tuple(rows)


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
