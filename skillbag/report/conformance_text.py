"""What a run of the conformance kit showed, for people: clause by clause, then what failed and what was not covered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from skillbag.conformance.case import Case
from skillbag.conformance.results import CaseResult, CaseStatus, ClauseResult, Report, with_verdict
from skillbag.report.sanitize import shown
from skillbag.report.summary import CONFORMS, counted

_MOST_LINES = 10
_WORDS = {CaseStatus.PASSED: "passed", CaseStatus.FAILED: "FAILED", CaseStatus.NOT_COVERED: "not covered"}


def report_text(report: Report) -> str:
    """The whole report, a line feed at its end."""
    return "".join(f"{line}\n" for line in _lines(report))


def list_text(cases: Iterable[Case]) -> str:
    """The cases, one a line, each with its kind and clauses."""
    return "".join(f"{case.id}  {case.kind}  [{', '.join(case.clauses)}]\n" for case in cases)


def counts_words(counts: Mapping[CaseStatus, int]) -> str:
    """Counts as words: `5 passed, 2 failed`."""
    return ", ".join(f"{counts[one]} {_WORDS[one].lower()}" for one in CaseStatus if counts[one])


def conclusion(report: Report) -> str:
    """What the run shows, in one sentence; the clauses that failed or were not covered are named."""
    failed = [one.clause.id for one in report.clauses if one.verdict is CaseStatus.FAILED]
    open_ = [one.clause.id for one in report.clauses if one.counts[CaseStatus.NOT_COVERED]]
    if failed:
        return f"It fails {counted(len(failed), 'clause')} of SkillBag: {', '.join(failed)}."
    if not report.counts[CaseStatus.PASSED]:
        return f"Nothing was shown, since no case is covered; not covered: {', '.join(open_)}."
    if open_:
        return f"Nothing failed, but not all is covered; not covered: {', '.join(open_)}."
    if not report.whole:
        return "All of the chosen cases passed; what they leave out was not looked at."
    return f"It {CONFORMS}."


def agent_sentence(report: Report) -> str:
    """Of which clauses a part is the agent's; empty where there are none."""
    alone = [one.clause.id for one in report.clauses if one.reason]
    return f"What an agent alone can do is not seen here: {', '.join(alone)}." if alone else ""


def not_covered(report: Report) -> Mapping[str, int]:
    """Why cases are not covered, and how many for each reason."""
    return Counter(line for result in with_verdict(report, CaseStatus.NOT_COVERED) for line in result.lines)


def case_lines(result: CaseResult) -> Iterator[str]:
    """Why a case did not pass, a line each, safe for a terminal."""
    yield from (shown(line) for line in result.lines[:_MOST_LINES])
    if len(result.lines) > _MOST_LINES:
        yield f"… and {len(result.lines) - _MOST_LINES} more"


def _lines(report: Report) -> Iterator[str]:
    name = f"{report.driver.name} {report.driver.version}" if report.driver else "a driver that did not greet"
    yield shown(f"{name}: {counted(len(report.cases), 'case')} about {counted(len(report.clauses), 'clause')}")
    yield ""
    yield from (_clause_line(one) for one in report.clauses)
    for result in with_verdict(report, CaseStatus.FAILED):
        yield ""
        yield f"{result.case.id} failed  [{', '.join(result.case.clauses)}]"
        if result.case.why:
            yield f"  about: {result.case.why}"
        yield from (f"  {line}" for line in case_lines(result))
    if reasons := not_covered(report):
        yield ""
        yield from (shown(f"{counted(number, 'case')} not covered: {reason}") for reason, number in reasons.items())
    yield ""
    if sentence := agent_sentence(report):
        yield sentence
    yield f"{counted(len(report.cases), 'case')}: {counts_words(report.counts)}. {conclusion(report)}"


def _clause_line(one: ClauseResult) -> str:
    counts = counts_words(one.counts) or (f"an agent alone: {one.reason}" if one.reason else "no case")
    return f"{_WORDS[one.verdict]:<11}  {one.clause.id:<36}  {counts}"
