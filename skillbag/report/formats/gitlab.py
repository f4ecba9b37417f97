"""GitLab's Code Quality report: an array of issues, each with a fingerprint of its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from skillbag.kernel.model.findings import Finding, Severity
from skillbag.kernel.model.result import CheckResult
from skillbag.report.encoding import items
from skillbag.report.markdown import escaped, linked
from skillbag.report.options import ReportOptions, located
from skillbag.report.sanitize import exact, shown

_SEVERITIES = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.NOTE: "info"}


def report(result: CheckResult, options: ReportOptions) -> Iterator[str]:
    """The array, in pieces, all ASCII. GitLab drops issues that share a fingerprint, so repeated ones are numbered."""
    seen: Counter[str] = Counter()

    urls = {rule.id: rule.url for rule in result.rules}

    def issue(finding: Finding) -> dict[str, object]:
        seen[finding.fingerprint] += 1
        return _issue(finding, seen[finding.fingerprint], _body(finding, urls.get(finding.rule)), options)

    yield "["
    yield from items(map(issue, result.findings))
    yield "\n]\n"


def _issue(finding: Finding, occurrence: int, body: str, options: ReportOptions) -> dict[str, object]:
    return {
        "description": f"{'In an installed skill: ' if finding.installed else ''}{shown(finding.message)}",
        "check_name": shown(finding.rule),
        "fingerprint": finding.fingerprint if occurrence == 1 else f"{finding.fingerprint}-{occurrence}",
        "severity": _SEVERITIES[finding.level],
        "location": {
            "path": exact(located(finding.path, options.cwd)),
            "lines": {"begin": finding.line, "end": finding.end_line},
        },
        **({"content": {"body": body}} if body else {}),
    }


def _body(finding: Finding, url: str | None) -> str:
    """The advice and the rule's page in Markdown, where the format of Code Climate has them; GitLab accepts it."""
    page = linked(shown(finding.rule), url) if url else ""
    return "\n\n".join(filter(None, (finding.fix and escaped(shown(finding.fix)), page)))
