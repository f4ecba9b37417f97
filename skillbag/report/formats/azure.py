"""Issues of an Azure Pipelines job: a logging command for each error and warning, errors first.

The pipeline has no issues below a warning, so notes are plain lines of the log.
"""

from __future__ import annotations

from collections.abc import Iterator

from skillbag.kernel.model.findings import Finding, Severity
from skillbag.kernel.model.result import CheckResult
from skillbag.report.concise import place
from skillbag.report.options import ReportOptions
from skillbag.report.sanitize import shown
from skillbag.report.summary import extent, tally

_DATA = str.maketrans({"%": "%AZP25", "\r": "%0D", "\n": "%0A"})
_PROPERTY = _DATA | str.maketrans({"]": "%5D", ";": "%3B"})
"""The escapes that the agent undoes, in the text of a command and in its properties."""


def report(result: CheckResult, options: ReportOptions) -> Iterator[str]:
    """A command or a line for each finding, level by level, then a plain line that sums up."""
    yield from (_line(finding, options) for finding in result.errors_first().findings)
    if not options.quiet:
        yield f"skillbag: {tally(result).lower()} ({extent(result.skills, result.files)} checked).\n"


def _line(finding: Finding, options: ReportOptions) -> str:
    message = ("In an installed skill: " if finding.installed else "") + shown(finding.message)
    if finding.level is Severity.NOTE:
        return f"{place(finding, options)}: {finding.level} {shown(finding.rule)} {message}\n"
    properties = {
        "type": finding.level,
        # The agent looks for the repository of absolute paths only.
        "sourcepath": shown(finding.path),
        "linenumber": finding.line,
        "columnnumber": finding.column,
        "code": shown(finding.rule),
    }
    written = ";".join(f"{name}={str(value).translate(_PROPERTY)}" for name, value in properties.items())
    fix = "" if finding.fix is None else f"\nFix: {shown(finding.fix)}"
    return f"##vso[task.logissue {written}]{(message + fix).translate(_DATA)}\n"
