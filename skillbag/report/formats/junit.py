"""JUnit XML: a suite for each target, a case for each file with findings; a case fails where the run would."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter

from skillbag.kernel.model.findings import Finding, Severity
from skillbag.kernel.model.result import CheckResult
from skillbag.report.junit import FAILURE, OUTPUT, JunitCase, JunitSuite, junit_xml
from skillbag.report.options import ReportOptions, shown_path
from skillbag.report.sanitize import shown
from skillbag.report.summary import counted, target_name


def report(result: CheckResult, options: ReportOptions) -> Iterator[str]:
    """The document. A file with nothing but warnings and notes passes, unless the options are strict."""
    return junit_xml("skillbag", list(_suites(result, options)))


def _suites(result: CheckResult, options: ReportOptions) -> Iterator[JunitSuite]:
    by_root: dict[str, list[Finding]] = {target.root: [] for target in result.targets}
    for finding in result.findings:
        by_root.setdefault(finding.root, []).append(finding)
    names = {target.root: target_name(target, options) for target in result.targets}
    for root, findings in by_root.items():
        yield _suite(names.get(root, shown_path(root, options.cwd)), findings, options)


def _suite(name: str, findings: list[Finding], options: ReportOptions) -> JunitSuite:
    groups = groupby(findings, attrgetter("path"))
    cases = [_case(name, shown_path(path, options.cwd), list(group), options.strict) for path, group in groups]
    return JunitSuite(name, cases or [JunitCase({"classname": name, "name": "no findings"})])


def _case(suite: str, path: str, findings: list[Finding], strict: bool) -> JunitCase:
    counting = {finding.level for finding in findings if finding.level is Severity.ERROR or not finding.installed}
    attributes = {"classname": suite, "name": path, "file": path}
    lines = "\n".join(_line(path, finding) for finding in findings)
    if Severity.ERROR in counting or (strict and Severity.WARNING in counting):
        return JunitCase(attributes, FAILURE, lines, counted(len(findings), "finding"))
    return JunitCase(attributes, OUTPUT, lines)


def _line(path: str, finding: Finding) -> str:
    clause = "" if finding.clause is None else f" [{shown(finding.clause)}]"
    fix = "" if finding.fix is None else f"\n  fix: {shown(finding.fix)}"
    place = f"{path}:{finding.line}:{finding.column}"
    return f"{place}: {finding.level} {shown(finding.rule)}{clause}\n  {shown(finding.message)}{fix}"
