"""Annotations of a GitHub job: a workflow command for each finding, errors first, since only a few are displayed."""

from __future__ import annotations

from collections.abc import Iterator

from skillbag.kernel.model.findings import Finding, Severity
from skillbag.kernel.model.result import CheckResult
from skillbag.report.options import ReportOptions, located
from skillbag.report.sanitize import shown
from skillbag.report.summary import extent, tally

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}
_DISPLAYED = 10
"""Annotations of one level that GitHub displays for a step."""


def report(result: CheckResult, options: ReportOptions) -> Iterator[str]:
    """A command for each finding, level by level, then a plain line that sums up."""
    for level in Severity:
        yield from (_command(finding, options) for finding in result.findings if finding.level is level)
    if options.quiet:
        return
    yield f"skillbag: {tally(result).lower()} ({extent(result.skills, result.files)} checked).\n"
    if max(result.errors, result.warnings, result.notes) > _DISPLAYED:
        yield f"GitHub displays the first {_DISPLAYED} annotations of each level; the log above has them all.\n"


def _command(finding: Finding, options: ReportOptions) -> str:
    title = finding.rule if finding.clause is None else f"{finding.rule} ({finding.clause})"
    if finding.installed:
        title += " in an installed skill"
    properties = {"file": located(finding.path, options.cwd), **_range(finding), "title": title}
    escaped = {key: _data(shown(value)).replace(":", "%3A").replace(",", "%2C") for key, value in properties.items()}
    written = ",".join(f"{key}={value}" for key, value in escaped.items())
    fix = "" if finding.fix is None else f"\nFix: {shown(finding.fix)}"
    return f"::{_COMMANDS[finding.level]} {written}::{_data(shown(finding.message) + fix)}\n"


def _range(finding: Finding) -> dict[str, str]:
    """Lines and columns; GitHub accepts columns only within one line."""
    start = {"line": str(finding.line)}
    if finding.end_line > finding.line:
        return {**start, "endLine": str(finding.end_line)}
    start["col"] = str(finding.column)
    return {**start, "endColumn": str(finding.end_column)} if finding.end_column > finding.column else start


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
