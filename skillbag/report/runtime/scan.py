"""A scan as a record and as text (skill runtime, section 8). Its findings are also in every format of `check`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, NamedTuple

from skillbag.kernel.manifest.scan_rules import ScanSeverity
from skillbag.kernel.model.findings import Severity
from skillbag.report.answers.types import Count, OneBased, Text
from skillbag.report.options import ReportOptions, located
from skillbag.report.sanitize import shown
from skillbag.runtime.scanning.scan import Scan
from skillbag.runtime.scanning.sources import SkillFailure


class ScanFindingJson(NamedTuple):
    """A finding."""

    rule: Annotated[Text, "`SKILL/RULE`, or a rule of `check` about suppressions."]
    severity: Annotated[ScanSeverity | None, "Null for a rule of `check`."]
    level: Severity
    path: Text
    line: OneBased
    column: OneBased
    message: Text
    fix: str | None
    fingerprint: Text


class ScanJson(NamedTuple):
    """What the rules and scanners of skills have found in the workspace. With the exit code 1 a finding is as severe as
    `--fail-on`, or there are errors.
    """

    findings: Annotated[tuple[ScanFindingJson, ...], "By path, line, column and rule."]
    errors: Annotated[tuple[SkillFailure, ...], "What could not be done. `skill` and `path` may be empty."]
    skills: Annotated[tuple[Text, ...], "Those that took part."]
    files: Annotated[Count, "How many texts were scanned."]
    duration_ms: Count
    suppressed: Annotated[Count, "Findings that comments in the files suppress."]
    baselined: Annotated[Count, "Findings in the baseline."]

    @classmethod
    def of(cls, scan: Scan, options: ReportOptions) -> ScanJson:
        """The findings with their severities, and what could not be done."""
        result = scan.result
        findings = (
            ScanFindingJson(
                each.rule,
                scan.severity(each),
                each.level,
                located(each.path, options.cwd),
                each.line,
                each.column,
                each.message,
                each.fix,
                each.fingerprint,
            )
            for each in result.findings
        )
        return cls(tuple(findings), *scan[2:], result.suppressed, result.baselined)


def error_lines(errors: Iterable[SkillFailure]) -> list[str]:
    """What could not be done, a line each, for standard error."""
    lines = []
    for error in errors:
        place = ": ".join(filter(None, (error.path, f'skill "{error.skill}"' if error.skill else "")))
        lines.append(shown(f"{place}: {error.message}" if place else error.message))
    return lines
