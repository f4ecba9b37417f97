"""A line for each finding, `path:line:column: level rule message`, for grep and the quickfix lists of editors."""

from __future__ import annotations

from collections.abc import Iterator

from skillbag.kernel.model.findings import Finding
from skillbag.kernel.model.result import CheckResult
from skillbag.report.columns import paint
from skillbag.report.options import ReportOptions, linked_page, linked_place, linked_rules, shown_path
from skillbag.report.sanitize import shown
from skillbag.report.summary import named_aside


def report(result: CheckResult, options: ReportOptions) -> Iterator[str]:
    """The lines, then one for each file that was not judged; nothing where there is no finding and no such file."""
    urls = linked_rules(result, options)
    yield from (f"{_line(finding, urls.get(finding.rule), options)}\n" for finding in result.findings)
    for each in named_aside(result):
        yield f"{_name(each.path, options)}:1:1: note not-judged {shown(each.reason)}\n"


def place(finding: Finding, options: ReportOptions) -> str:
    """`path:line:column`, as compilers write it."""
    return f"{_name(finding.path, options)}:{finding.line}:{finding.column}"


def _name(path: str, options: ReportOptions) -> str:
    name = shown_path(path, options.cwd)
    # A line that begins with two colons is a command to the runner of a GitHub job.
    return f"./{name}" if name.startswith("::") else name


def _line(finding: Finding, url: str | None, options: ReportOptions) -> str:
    at = linked_place(paint(place(finding, options), "path", options.color), finding, options)
    level = paint(finding.level, finding.level, options.color)
    return f"{at}: {level} {linked_page(shown(finding.rule), url)} {shown(finding.message)}"
