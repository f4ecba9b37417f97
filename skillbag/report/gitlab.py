"""GitLab's Code Quality report: an array of issues, each with a fingerprint of its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from skillbag.model.findings import Finding, Level
from skillbag.model.result import Result
from skillbag.report.encoding import items
from skillbag.report.options import ReportOptions
from skillbag.report.paths import located
from skillbag.report.sanitize import exact, shown

_SEVERITIES = {Level.ERROR: "major", Level.WARNING: "minor", Level.NOTE: "info"}


def report(result: Result, options: ReportOptions) -> Iterator[str]:
    """The array, in pieces, all ASCII. GitLab drops issues that share a fingerprint, so repeated ones are numbered."""
    yield "["
    yield from items(_issues(result, options))
    yield "\n]\n"


def _issues(result: Result, options: ReportOptions) -> Iterator[dict[str, object]]:
    seen: Counter[str] = Counter()
    for finding in result.findings:
        seen[finding.fingerprint] += 1
        yield _issue(finding, seen[finding.fingerprint], options)


def _issue(finding: Finding, occurrence: int, options: ReportOptions) -> dict[str, object]:
    fix = "" if finding.fix is None else f" Fix: {shown(finding.fix)}"
    return {
        "description": f"{'In an installed skill: ' if finding.installed else ''}{shown(finding.message)}{fix}",
        "check_name": shown(finding.rule),
        "fingerprint": finding.fingerprint if occurrence == 1 else f"{finding.fingerprint}-{occurrence}",
        "severity": _SEVERITIES[finding.level],
        "location": {
            "path": exact(located(finding.path, options.cwd)),
            "lines": {"begin": finding.line, "end": finding.end_line},
        },
    }
