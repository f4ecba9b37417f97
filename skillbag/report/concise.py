"""A line for each finding, `path:line:column: level rule message`, for grep and the quickfix lists of editors."""

from __future__ import annotations

from collections.abc import Iterator

from skillbag.kernel.model.findings import Finding
from skillbag.kernel.model.result import CheckResult
from skillbag.report.columns import paint
from skillbag.report.options import ReportOptions, linked_page, linked_place, linked_rules, shown_path
from skillbag.report.sanitize import shown


def report(result: CheckResult, options: ReportOptions) -> Iterator[str]:
    """The lines; nothing where there is no finding."""
    urls = linked_rules(result, options)
    return (f"{_line(finding, urls.get(finding.rule), options)}\n" for finding in result.findings)


def place(finding: Finding, options: ReportOptions) -> str:
    """`path:line:column`, as compilers write it."""
    name = shown_path(finding.path, options.cwd)
    # A line that begins with two colons is a command to the runner of a GitHub job.
    return f"{'./' if name.startswith('::') else ''}{name}:{finding.line}:{finding.column}"


def _line(finding: Finding, url: str | None, options: ReportOptions) -> str:
    at = linked_place(paint(place(finding, options), "path", options.color), finding, options)
    level = paint(finding.level, finding.level, options.color)
    return f"{at}: {level} {linked_page(shown(finding.rule), url)} {shown(finding.message)}"
