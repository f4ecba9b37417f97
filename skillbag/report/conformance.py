"""The result of a run of the conformance kit: as text and Markdown for people, and as JSON.

`schemas/conformance-report.schema.json` describes the JSON.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, NamedTuple

from skillbag import STANDARD_VERSION
from skillbag.fleet.conformance.case import KINDS, ConformanceCase
from skillbag.fleet.conformance.results import CaseStatus, ClauseResult, ConformanceResult, Report, with_verdict
from skillbag.kernel.base.json_records import fits
from skillbag.report.answers.types import Count, Text
from skillbag.report.columns import table
from skillbag.report.markdown import markdown_table
from skillbag.report.sanitize import shown
from skillbag.report.summary import CONFORMS, counted

_MAX_LINES = 10
_WORDS = {CaseStatus.PASSED: "passed", CaseStatus.FAILED: "FAILED", CaseStatus.NOT_COVERED: "not covered"}


_LEVELS = ("MUST", "MUST NOT", "SHOULD", "SHOULD NOT", "MAY", "MUST, where present")
_CaseId = Annotated[Text, "area/file/case, or rules/CLAUSE for the examples of its rules."]
_Clauses = Annotated[tuple[Text, ...], fits(minItems=1)]
_Kind = Annotated[str, fits(enum=KINDS)]
_Why = Annotated[str, "What a failing program may have done, or what the rule requires."]


class DriverJson(NamedTuple):
    """The implementation's name and version."""

    name: str
    version: str


class VerdictCountsJson(NamedTuple):
    """The number of cases by result."""

    passed: Count
    failed: Count
    not_covered: Count


class ClauseResultJson(NamedTuple):
    """A clause."""

    id: Text
    level: Annotated[str, fits(enum=_LEVELS)]
    verdict: Annotated[CaseStatus, "failed: one of its cases failed. passed: it has cases, and all passed."]
    passed: Count
    failed: Count
    not_covered: Count
    reason: Annotated[str | None, "Why there is no case for it, or for a part of it: only an agent can follow it."]


class ConformanceCaseJson(NamedTuple):
    """A case of the suite."""

    id: _CaseId
    clauses: _Clauses
    kind: _Kind
    why: _Why


class CaseResultJson(NamedTuple):
    """The result of a case."""

    id: _CaseId
    clauses: _Clauses
    kind: _Kind
    why: _Why
    verdict: CaseStatus
    lines: Annotated[tuple[str, ...], "Why it did not pass, one reason each."]

    @classmethod
    def of(cls, result: ConformanceResult, most: int | None = None) -> CaseResultJson:
        """The result with at most so many lines."""
        return cls(*_case(result.case), result.verdict, result.lines[:most])


class ConformanceReportJson(NamedTuple):
    """What was run."""

    driver: Annotated[DriverJson | None, "The implementation's name and version; null if it did not answer `hello`."]
    whole: Annotated[bool, "Whether the whole suite ran."]
    conforms: Annotated[bool, "Whether the whole suite ran and every case passed."]
    summary: VerdictCountsJson
    clauses: Annotated[
        tuple[ClauseResultJson, ...], "In the standard's order; with a selection, only the clauses of its cases."
    ]
    cases: Annotated[tuple[CaseResultJson, ...], "In the order of the suite."]

    @classmethod
    def of(cls, report: Report) -> ConformanceReportJson:
        """The whole report."""
        clauses = [
            ClauseResultJson(each.clause.id, each.clause.level, each.verdict, *_counts(each.counts), each.reason)
            for each in report.clauses
        ]
        cases = map(CaseResultJson.of, report.cases)
        return cls(
            DriverJson(report.driver.name, report.driver.version) if report.driver else None,
            report.whole,
            report.conforms,
            _counts(report.counts),
            tuple(clauses),
            tuple(cases),
        )


class CaseListJson(NamedTuple):
    """The cases of a selection, none of which was run."""

    list: Annotated[tuple[ConformanceCaseJson, ...], fits(minItems=1)]

    @classmethod
    def of(cls, cases: Iterable[ConformanceCase]) -> CaseListJson:
        """These cases."""
        return cls(tuple(map(_case, cases)))


def _case(case: ConformanceCase) -> ConformanceCaseJson:
    return ConformanceCaseJson(case.id, case.clauses, case.kind, case.why)


def _counts(counts: Mapping[CaseStatus, int]) -> VerdictCountsJson:
    return VerdictCountsJson(*(counts[verdict] for verdict in CaseStatus))


def report_text(report: Report) -> str:
    """The whole report, clause by clause, then what failed and what was not covered."""
    return "".join(f"{line}\n" for line in _text_lines(report))


def list_text(cases: Iterable[ConformanceCase]) -> str:
    """The cases, one a line, each with its kind and clauses."""
    return "".join(f"{case.id}  {case.kind}  [{', '.join(case.clauses)}]\n" for case in cases)


def report_markdown(report: Report) -> str:
    """The whole report: a table of the clauses, then the cases that failed.

    Texts of the driver are in code blocks alone, where they are no markup.
    """
    return "\n".join(_markdown_lines(report)) + "\n"


def totals(report: Report) -> str:
    """The counts, and what the run shows, in a sentence each; the clauses that failed or were not covered are named."""
    totals = f"{counted(len(report.cases), 'case')}: {_counts_words(report.counts)}."
    failed = [result.clause.id for result in report.clauses if result.verdict is CaseStatus.FAILED]
    open_ = [result.clause.id for result in report.clauses if result.counts[CaseStatus.NOT_COVERED]]
    if failed:
        return f"{totals} It fails {counted(len(failed), 'clause')} of SkillBag: {', '.join(failed)}."
    if not report.counts[CaseStatus.PASSED]:
        return f"{totals} Nothing was shown, since no case is covered; not covered: {', '.join(open_)}."
    if open_:
        return f"{totals} Nothing failed, but not all is covered; not covered: {', '.join(open_)}."
    if not report.whole:
        return f"{totals} All of the chosen cases passed; the others were not run."
    return f"{totals} It {CONFORMS}."


def _counts_words(counts: Mapping[CaseStatus, int]) -> str:
    return ", ".join(f"{counts[verdict]} {_WORDS[verdict].lower()}" for verdict in CaseStatus if counts[verdict])


def _not_covered(report: Report) -> Mapping[str, int]:
    """Why cases are not covered, and how many for each reason."""
    return Counter(line for result in with_verdict(report, CaseStatus.NOT_COVERED) for line in result.lines)


def _case_lines(result: ConformanceResult) -> Iterator[str]:
    """Why a case did not pass, a line each, safe for a terminal."""
    yield from (shown(line) for line in result.lines[:_MAX_LINES])
    if len(result.lines) > _MAX_LINES:
        yield f"… and {len(result.lines) - _MAX_LINES} more"


def _text_lines(report: Report) -> Iterator[str]:
    name = f"{report.driver.name} {report.driver.version}" if report.driver else "a driver that did not greet"
    yield shown(f"{name}: {counted(len(report.cases), 'case')} about {counted(len(report.clauses), 'clause')}")
    yield ""
    yield from table((_WORDS[each.verdict], each.clause.id, _shown_counts(each)) for each in report.clauses)
    for result in with_verdict(report, CaseStatus.FAILED):
        yield ""
        yield f"{result.case.id} failed  [{', '.join(result.case.clauses)}]"
        if result.case.why:
            yield f"  about: {result.case.why}"
        yield from (f"  {line}" for line in _case_lines(result))
    if reasons := _not_covered(report):
        yield ""
        yield from (shown(f"{counted(number, 'case')} not covered: {reason}") for reason, number in reasons.items())
    yield ""
    if alone := [clause.clause.id for clause in report.clauses if clause.reason]:
        yield f"Not tested, since only an agent can comply: {', '.join(alone)}."
    yield totals(report)


def _shown_counts(clause: ClauseResult) -> str:
    return _counts_words(clause.counts) or (f"only an agent: {clause.reason}" if clause.reason else "no case")


def _markdown_lines(report: Report) -> Iterator[str]:
    yield f"# Conformance to SkillBag {STANDARD_VERSION}"
    yield ""
    yield f"    {shown(f'{report.driver.name} {report.driver.version}') if report.driver else 'it did not greet'}"
    yield from ("", totals(report), "")
    columns = ("Clause", "Level", "", "Passed", "Failed", "Not covered")
    yield from markdown_table(columns, map(_row, report.clauses), numbers=(3, 4, 5))
    if alone := [clause for clause in report.clauses if clause.reason]:
        yield from ("", "## What only an agent can do", "")
        yield from (f"- {clause.clause.id}: {clause.reason}" for clause in alone)
    for result in with_verdict(report, CaseStatus.FAILED):
        case = result.case
        yield from ("", f"## {case.id}", "")
        yield from (f"{', '.join(case.clauses)} ({case.kind}). {case.why}".rstrip(), "")
        yield from (f"    {line}" for line in _case_lines(result))
    if reasons := _not_covered(report):
        yield from ("", "## Not covered", "")
        yield from (f"    {counted(number, 'case')}: {shown(reason)}" for reason, number in reasons.items())


def clause_word(clause: ClauseResult) -> str:
    """The verdict of a clause for people."""
    if clause.reason and not any(clause.counts.values()):
        return "only an agent"
    return _WORDS[clause.verdict].lower()


def _row(clause: ClauseResult) -> Sequence[str]:
    word = "**failed**" if clause.verdict is CaseStatus.FAILED else clause_word(clause)
    return clause.clause.id, clause.clause.level, word, *(str(clause.counts[verdict]) for verdict in CaseStatus)
