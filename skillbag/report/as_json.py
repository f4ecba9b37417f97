"""The JSON of a check: one object, a finding a line."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from skillbag.kernel.base.json_records import ABSENT
from skillbag.kernel.model.findings import Finding
from skillbag.kernel.model.result import CheckResult
from skillbag.report.answers.envelope import VERSION, EnvelopeJson
from skillbag.report.answers.findings import (
    CheckJson,
    FindingJson,
    NotJudgedJson,
    SameCauseJson,
    SummaryJson,
    TargetJson,
)
from skillbag.report.encoding import encoded, items
from skillbag.report.options import ReportOptions, located
from skillbag.report.sanitize import exact, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from skillbag.kernel.model.timing import Timing
    from skillbag.report.answers.edits import EditJson
    from skillbag.report.edits import Texts


def report(result: CheckResult, options: ReportOptions, timing: Timing | None = None) -> Iterator[str]:
    """One object, in pieces, all ASCII."""
    separator = "{"
    for record in (EnvelopeJson(VERSION, "check", options.exit), _answer(result, options, timing)):
        for name, value in record._asdict().items():
            if value is not ABSENT:
                yield f'{separator}"{name}": '
                yield from _member(value)
                separator = ",\n"
    yield "}\n"


def _member(value: object) -> Iterator[str]:
    """An array with an item a line; anything else on one."""
    if type(value) is tuple:
        yield "["
        yield from items(value)
        yield "]"
    else:
        yield encoded(value)


def _answer(result: CheckResult, options: ReportOptions, timing: Timing | None) -> CheckJson:
    def path_of(path: str) -> str:
        return exact(located(path, options.cwd))

    texts: Texts = {}

    def edits_of(finding: Finding) -> tuple[EditJson, ...]:
        if not finding.edits:
            return ()
        # Most runs have none, and then no text is read.
        from skillbag.report.edits import edit_values

        return edit_values(finding, texts, path_of)

    urls = {rule.id: rule.url for rule in result.rules}
    return CheckJson(
        tuple(TargetJson(each.kind, path_of(each.root), *each[2:]) for each in result.targets),
        tuple(_finding(each, path_of, edits_of(each), urls.get(each.rule)) for each in result.findings),
        tuple(NotJudgedJson(path_of(each.path), shown(each.reason)) for each in result.aside),
        SummaryJson(result.files, result.skills, result.errors, result.warnings, result.notes, result.test_data),
        timing or ABSENT,
    )


def _finding(
    finding: Finding, path_of: Callable[[str], str], edits: tuple[EditJson, ...], url: str | None
) -> FindingJson:
    return FindingJson(
        shown(finding.rule),
        None if finding.clause is None else shown(finding.clause),
        finding.level,
        path_of(finding.path),
        finding.line,
        finding.column,
        finding.end_line,
        finding.end_column,
        shown(finding.message),
        None if finding.fix is None else shown(finding.fix),
        bool(finding.edits),
        edits,
        finding.installed,
        url,
        tuple(_place(each, path_of(each.path)) for each in finding.places),
    )


def _place(finding: Finding, path: str) -> SameCauseJson:
    bounds = (finding.line, finding.column, finding.end_line, finding.end_column)
    return SameCauseJson(path, *bounds, shown(finding.message))
