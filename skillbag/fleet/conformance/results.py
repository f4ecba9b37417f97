"""The results of a run: of each case, of each clause, and of the whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from skillbag.fleet.conformance.case import ConformanceCase
from skillbag.fleet.conformance.protocol import DriverInfo
from skillbag.fleet.conformance.suite import Suite
from skillbag.lint.rules.model import Clause


class CaseStatus(StrEnum):
    """The result of a case; NOT_COVERED: the driver does not support it."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_COVERED = "not-covered"


class ConformanceResult(NamedTuple):
    """A case and its result; `lines` say why it did not pass, a phrase each."""

    case: ConformanceCase
    verdict: CaseStatus
    lines: tuple[str, ...] = ()


class ClauseResult(NamedTuple):
    """How many cases of a clause have which result; `reason` says why it has no case (only an agent can do it)."""

    clause: Clause
    counts: Mapping[CaseStatus, int]
    reason: str | None

    @property
    def verdict(self) -> CaseStatus:
        """FAILED if one case did; PASSED only if there are cases and all of them did."""
        if self.counts[CaseStatus.FAILED]:
            return CaseStatus.FAILED
        if self.counts[CaseStatus.NOT_COVERED] or not self.counts[CaseStatus.PASSED]:
            return CaseStatus.NOT_COVERED
        return CaseStatus.PASSED


class Report(NamedTuple):
    """All results. `driver` is None if it never greeted; `whole` says whether no case was left out."""

    driver: DriverInfo | None
    cases: tuple[ConformanceResult, ...]
    clauses: tuple[ClauseResult, ...]
    whole: bool

    @property
    def counts(self) -> Mapping[CaseStatus, int]:
        return Counter(result.verdict for result in self.cases)

    @property
    def failed(self) -> bool:
        """Whether a case failed, or none was supported."""
        return bool(self.counts[CaseStatus.FAILED]) or not self.counts[CaseStatus.PASSED]

    @property
    def conforms(self) -> bool:
        """Whether the whole suite ran and every case of it passed."""
        return self.whole and self.counts[CaseStatus.PASSED] == len(self.cases)


def report_of(suite: Suite, results: Iterable[ConformanceResult], driver: DriverInfo | None) -> Report:
    """The report about these results: clauses in the standard's order, without those that no selected case tests."""
    results = tuple(results)
    whole = len(results) == len(suite.cases)
    by_clause: dict[str, Counter[CaseStatus]] = {clause.id: Counter() for clause in suite.clauses}
    for result in results:
        for clause in result.case.clauses:
            by_clause[clause][result.verdict] += 1
    clauses = tuple(
        ClauseResult(clause, by_clause[clause.id], suite.reasons.get(clause.id))
        for clause in suite.clauses
        if whole or by_clause[clause.id]
    )
    return Report(driver, results, clauses, whole)


def with_verdict(report: Report, verdict: CaseStatus) -> Sequence[ConformanceResult]:
    """The cases with this result."""
    return [result for result in report.cases if result.verdict is verdict]
