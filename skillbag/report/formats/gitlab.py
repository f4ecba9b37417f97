"""GitLab's Code Quality report: an array of issues, each with a fingerprint of its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from skillbag.kernel.base.json_records import ABSENT, Absent
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.model.findings import Finding, Severity
from skillbag.kernel.model.result import CheckResult
from skillbag.report.encoding import items
from skillbag.report.markdown import escaped, linked
from skillbag.report.options import ReportOptions, located
from skillbag.report.sanitize import exact, shown

_SEVERITIES = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.NOTE: "info"}


class _Lines(NamedTuple):
    begin: int
    end: int


class _Location(NamedTuple):
    path: str
    lines: _Lines


class _Content(NamedTuple):
    body: str


class _Issue(NamedTuple):
    description: str
    check_name: str
    fingerprint: str
    severity: str
    location: _Location
    content: _Content | Absent


def report(result: CheckResult, options: ReportOptions) -> Iterator[str]:
    """The array, in pieces, all ASCII. GitLab drops issues that share a fingerprint, so repeated ones are numbered."""
    seen: Counter[str] = Counter()
    urls = {rule.id: rule.url for rule in result.rules}

    def issue(finding: Finding) -> _Issue:
        seen[finding.fingerprint] += 1
        occurrence, body = seen[finding.fingerprint], _body(finding, urls.get(finding.rule))
        return _Issue(
            f"{'In an installed skill: ' if finding.installed else ''}{shown(finding.message)}",
            shown(finding.rule),
            finding.fingerprint if occurrence == 1 else f"{finding.fingerprint}-{occurrence}",
            _SEVERITIES[finding.level],
            _Location(exact(located(finding.path, options.cwd)), _Lines(finding.line, finding.end_line)),
            _Content(body) if body else ABSENT,
        )

    yield "["
    yield from items(map(issue, result.findings))
    yield "\n]\n"


def _body(finding: Finding, url: str | None) -> str:
    """The advice and the rule's page in Markdown, where the format of Code Climate has them; GitLab accepts it."""
    page = linked(shown(finding.rule), url) if url else ""
    return "\n\n".join(filter(None, (finding.fix and escaped(shown(finding.fix)), page)))
