"""What a run of the conformance kit showed, as JSON: `schemas/conformance-report.schema.json` describes it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from skillbag.conformance.case import Case
from skillbag.conformance.results import CaseStatus, Report
from skillbag.report.sanitize import exact


def report_values(report: Report) -> dict[str, Any]:
    """The report in plain values."""
    driver = report.driver
    return {
        "driver": driver and {"name": exact(driver.name), "version": exact(driver.version)},
        "whole": report.whole,
        "conforms": report.conforms,
        "summary": _counts(report.counts),
        "clauses": [
            {
                "id": one.clause.id,
                "level": one.clause.level,
                "verdict": one.verdict.value,
                **_counts(one.counts),
                "reason": one.reason,
            }
            for one in report.clauses
        ],
        "cases": [
            {**_case(one.case), "verdict": one.verdict.value, "lines": [exact(line) for line in one.lines]}
            for one in report.cases
        ],
    }


def list_values(cases: Iterable[Case]) -> dict[str, Any]:
    """The cases of a selection, none of which was run."""
    return {"list": [_case(case) for case in cases]}


def _case(case: Case) -> dict[str, Any]:
    return {"id": case.id, "clauses": list(case.clauses), "kind": case.kind, "why": case.why}


def _counts(counts: Mapping[CaseStatus, int]) -> dict[str, int]:
    return {verdict.value.replace("-", "_"): counts[verdict] for verdict in CaseStatus}
