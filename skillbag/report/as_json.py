"""The JSON contract, version 1: `schemas/findings.schema.json` describes it, a finding a line."""

from __future__ import annotations

from collections.abc import Iterator

from skillbag.model.findings import Finding
from skillbag.model.result import Aside, CheckedTarget, Result
from skillbag.report.encoding import encoded, items
from skillbag.report.options import ReportOptions
from skillbag.report.paths import located
from skillbag.report.sanitize import exact, shown


def report(result: Result, options: ReportOptions) -> Iterator[str]:
    """One object, in pieces, all ASCII."""
    yield '{"version": 1,\n"targets": ['
    yield from items(_target(target, options) for target in result.targets)
    yield '],\n"findings": ['
    yield from items(_finding(finding, options) for finding in result.findings)
    yield '],\n"not_judged": ['
    yield from items(_aside(one, options) for one in result.aside)
    yield f'],\n"summary": {encoded(_summary(result))}}}\n'


def _target(target: CheckedTarget, options: ReportOptions) -> dict[str, object]:
    root = exact(located(target.root, options.cwd))
    return {"kind": target.kind, "root": root, "skills": target.skills, "files": target.files}


def _finding(finding: Finding, options: ReportOptions) -> dict[str, object]:
    return {
        "rule": shown(finding.rule),
        "clause": None if finding.clause is None else shown(finding.clause),
        "level": finding.level.value,
        "path": exact(located(finding.path, options.cwd)),
        "line": finding.line,
        "column": finding.column,
        "message": shown(finding.message),
        "fix": None if finding.fix is None else shown(finding.fix),
        "installed": finding.installed,
    }


def _aside(one: Aside, options: ReportOptions) -> dict[str, str]:
    return {"path": exact(located(one.path, options.cwd)), "reason": shown(one.reason)}


def _summary(result: Result) -> dict[str, int]:
    return {
        "files": result.files,
        "skills": result.skills,
        "errors": result.errors,
        "warnings": result.warnings,
        "notes": result.notes,
    }
