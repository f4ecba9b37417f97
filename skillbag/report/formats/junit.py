"""JUnit XML: a suite for each target, a case for each file with findings; a case fails where the run would."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from itertools import groupby
from operator import attrgetter

from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.model.findings import Finding, Severity
from skillbag.kernel.model.result import CheckResult
from skillbag.report.options import ReportOptions, shown_path
from skillbag.report.sanitize import shown
from skillbag.report.summary import counted, target_name


class _Suite(NamedTuple):
    name: str
    cases: list[str]
    failures: int


def report(result: CheckResult, options: ReportOptions) -> Iterator[str]:
    """The document. A file with nothing but warnings and notes passes, unless the options are strict."""
    suites = list(_suites(result, options))
    tests, failures = sum(len(suite.cases) for suite in suites), sum(suite.failures for suite in suites)
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield f'<testsuites name="skillbag" tests="{tests}" failures="{failures}" errors="0">\n'
    for suite in suites:
        yield f'<testsuite name={_attribute(suite.name)} tests="{len(suite.cases)}" failures="{suite.failures}"'
        yield ' errors="0" skipped="0">\n'
        yield from suite.cases
        yield "</testsuite>\n"
    yield "</testsuites>\n"


def _suites(result: CheckResult, options: ReportOptions) -> Iterator[_Suite]:
    by_root: dict[str, list[Finding]] = {target.root: [] for target in result.targets}
    for finding in result.findings:
        by_root.setdefault(finding.root, []).append(finding)
    names = {target.root: target_name(target, options) for target in result.targets}
    for root, findings in by_root.items():
        yield _suite(names.get(root, shown_path(root, options.cwd)), findings, options)


def _suite(name: str, findings: list[Finding], options: ReportOptions) -> _Suite:
    cases, failures = [], 0
    for path, group in groupby(findings, attrgetter("path")):
        of_file = list(group)
        counting = {finding.level for finding in of_file if finding.level is Severity.ERROR or not finding.installed}
        failed = Severity.ERROR in counting or (options.strict and Severity.WARNING in counting)
        failures += failed
        cases.append(_case(name, shown_path(path, options.cwd), of_file, failed))
    if not cases:
        cases.append(f'<testcase classname={_attribute(name)} name="no findings" />\n')
    return _Suite(name, cases, failures)


def _case(suite: str, path: str, findings: list[Finding], failed: bool) -> str:
    lines = escape("\n".join(_line(path, finding) for finding in findings), quote=False)
    attributes = f"classname={_attribute(suite)} name={_attribute(path)} file={_attribute(path)}"
    if failed:
        summary = f'message="{counted(len(findings), "finding")}" type="skillbag"'
        return f"<testcase {attributes}>\n<failure {summary}>\n{lines}\n</failure>\n</testcase>\n"
    return f"<testcase {attributes}>\n<system-out>\n{lines}\n</system-out>\n</testcase>\n"


def _line(path: str, finding: Finding) -> str:
    clause = "" if finding.clause is None else f" [{shown(finding.clause)}]"
    fix = "" if finding.fix is None else f"\n  fix: {shown(finding.fix)}"
    place = f"{path}:{finding.line}:{finding.column}"
    return f"{place}: {finding.level} {shown(finding.rule)}{clause}\n  {shown(finding.message)}{fix}"


def _attribute(text: str) -> str:
    return f'"{escape(text)}"'
