"""What a run of the conformance kit showed, in Markdown: a table of the clauses, then the cases that failed."""

from __future__ import annotations

from collections.abc import Iterator

from skillbag import STANDARD_VERSION
from skillbag.conformance.results import CaseResult, CaseStatus, ClauseResult, Report, with_verdict
from skillbag.report.conformance_text import case_lines, conclusion, counts_words, not_covered
from skillbag.report.sanitize import shown
from skillbag.report.summary import counted

_WORDS = {CaseStatus.PASSED: "passed", CaseStatus.FAILED: "**failed**", CaseStatus.NOT_COVERED: "not covered"}


def report_markdown(report: Report) -> str:
    """The whole report. What a driver has said stands in code blocks alone, where it is no markup."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: Report) -> Iterator[str]:
    yield f"# Conformance to SkillBag {STANDARD_VERSION}"
    yield ""
    yield f"    {shown(f'{report.driver.name} {report.driver.version}') if report.driver else 'it did not greet'}"
    yield ""
    yield f"{counted(len(report.cases), 'case')}: {counts_words(report.counts)}. {conclusion(report)}"
    yield ""
    yield "| Clause | Level | | Passed | Failed | Not covered |"
    yield "| --- | --- | --- | ---: | ---: | ---: |"
    yield from (_row(one) for one in report.clauses)
    yield from _agents(report)
    for result in with_verdict(report, CaseStatus.FAILED):
        yield from _failed(result)
    if reasons := not_covered(report):
        yield ""
        yield "## Not covered"
        yield ""
        yield from (f"    {counted(number, 'case')}: {shown(reason)}" for reason, number in reasons.items())


def _row(one: ClauseResult) -> str:
    counts = " | ".join(str(one.counts[verdict]) for verdict in CaseStatus)
    word = "an agent alone" if one.reason and not any(one.counts.values()) else _WORDS[one.verdict]
    return f"| {one.clause.id} | {one.clause.level} | {word} | {counts} |"


def _agents(report: Report) -> Iterator[str]:
    alone = [one for one in report.clauses if one.reason]
    if alone:
        yield ""
        yield "## What only an agent can do"
        yield ""
        yield from (f"- {one.clause.id}: {one.reason}" for one in alone)


def _failed(result: CaseResult) -> Iterator[str]:
    yield ""
    yield f"## {result.case.id}"
    yield ""
    yield f"{', '.join(result.case.clauses)} ({result.case.kind}). {result.case.why}".rstrip()
    yield ""
    yield from (f"    {line}" for line in case_lines(result))
