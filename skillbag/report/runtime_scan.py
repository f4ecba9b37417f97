"""A scan as text and as JSON (skill runtime, section 8). Its findings are also in every format of `check`."""

from __future__ import annotations

from typing import Any

from skillbag.report import FORMATS
from skillbag.report.encoding import json_object
from skillbag.report.options import ReportOptions, located
from skillbag.report.sanitize import shown
from skillbag.report.summary import counted
from skillbag.runtime.scanning.scan import Scan


def scan_values(scan: Scan, options: ReportOptions) -> dict[str, Any]:
    """The findings with their severities, and what could not be done."""
    result = scan.result
    return json_object(
        findings=[
            {
                "rule": finding.rule,
                "severity": scan.severity(finding),
                "level": finding.level,
                "path": located(finding.path, options.cwd),
                "line": finding.line,
                "column": finding.column,
                "message": finding.message,
                "fix": finding.fix,
                "fingerprint": finding.fingerprint,
            }
            for finding in result.findings
        ],
        errors=scan.errors,
        skills=scan.skills,
        files=scan.files,
        duration_ms=scan.duration,
        suppressed=result.suppressed,
        baselined=result.baselined,
    )


def scan_text(scan: Scan, name: str, options: ReportOptions) -> str:
    """The findings in one of the formats of `check`."""
    return FORMATS[name].render(scan.result, options)


def error_lines(scan: Scan) -> list[str]:
    """What could not be done, a line each, for standard error."""
    lines = []
    for error in scan.errors:
        place = ": ".join(filter(None, (error.path, f'skill "{error.skill}"' if error.skill else "")))
        lines.append(f"{place}: {error.message}" if place else error.message)
    return [shown(line) for line in lines]


def baseline_text(path: str, number: int) -> str:
    """How many findings were written to a baseline."""
    return f"{shown(path)}: {counted(number, 'finding')} written\n"
