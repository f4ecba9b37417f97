"""The Reviewdog Diagnostic Format: reviewdog makes comments of it, with suggestions that a click applies.

It counts columns in bytes of UTF-8, those of a byte order mark among them.
"""

from __future__ import annotations

from collections.abc import Iterator

from skillbag import REPOSITORY
from skillbag.kernel.base.json_records import ABSENT, Absent
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.documents.source import Document, Position
from skillbag.kernel.model.findings import Finding, Severity
from skillbag.kernel.model.result import CheckResult
from skillbag.report.edits import Texts, replacements, text_of
from skillbag.report.encoding import encoded, items
from skillbag.report.options import ReportOptions, located
from skillbag.report.sanitize import exact, shown

_SEVERITIES = {Severity.ERROR: "ERROR", Severity.WARNING: "WARNING", Severity.NOTE: "INFO"}
_MARK = 3
"""The bytes of a byte order mark."""


class _Source(NamedTuple):
    name: str
    url: str


class _Range(NamedTuple):
    start: Position
    end: Position


class _Location(NamedTuple):
    path: str
    range: _Range


class _Code(NamedTuple):
    value: str
    url: str | Absent


class _Suggestion(NamedTuple):
    range: _Range
    text: str


class _Diagnostic(NamedTuple):
    message: str
    location: _Location
    severity: str
    code: _Code
    suggestions: tuple[_Suggestion, ...] | Absent


def report(result: CheckResult, options: ReportOptions) -> Iterator[str]:
    """One `DiagnosticResult`, in pieces, all ASCII."""
    urls = {rule.id: rule.url for rule in result.rules}
    texts: Texts = {}
    worst = min((finding.level for finding in result.findings), key=list(Severity).index, default=Severity.NOTE)
    source = _Source("skillbag", REPOSITORY)
    yield f'{{"source": {encoded(source)}, "severity": {encoded(_SEVERITIES[worst])},\n"diagnostics": ['
    yield from items(_diagnostic(finding, urls.get(finding.rule), texts, options) for finding in result.findings)
    yield "]}\n"


def _diagnostic(finding: Finding, url: str | None, texts: Texts, options: ReportOptions) -> _Diagnostic:
    document = text_of(finding.path, finding.root, texts)
    installed = "In an installed skill: " if finding.installed else ""
    fix = "" if finding.fix is None else f"\n\nFix: {shown(finding.fix)}"
    ends = ((finding.line, finding.column), (finding.end_line, finding.end_column))
    return _Diagnostic(
        f"{installed}{shown(finding.message)}{fix}",
        _Location(exact(located(finding.path, options.cwd)), _range(ends, document)),
        _SEVERITIES[finding.level],
        _Code(shown(finding.rule), url or ABSENT),
        _suggestions(finding, texts) or ABSENT,
    )


def _suggestions(finding: Finding, texts: Texts) -> tuple[_Suggestion, ...]:
    """The edits; none where they change another file, since a suggestion has no path."""
    edits = replacements(finding, texts) if finding.edits else ()
    if any(edit.document.path != finding.path for edit in edits):
        return ()
    return tuple(_Suggestion(_range(edit.places, edit.document), edit.text) for edit in edits)


def _range(ends: tuple[tuple[int, int], tuple[int, int]], document: Document | None) -> _Range:
    return _Range(*(Position(line, _bytes_before(line, column, document) + 1) for line, column in ends))


def _bytes_before(line: int, column: int, document: Document | None) -> int:
    if document is None:
        return column - 1
    mark = _MARK if document.has_bom and line == 1 else 0
    text = document.line(line)
    # A place behind the line's text is in its line end.
    return mark + len(text[: column - 1].encode()) + max(0, column - 1 - len(text))
