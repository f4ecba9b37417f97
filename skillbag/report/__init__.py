"""Findings to text, JSON, SARIF and the rest. `FORMATS` names every output; each is imported when it is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    # Imported for types only: every import of a part of this package runs this file.
    from skillbag.model.result import Result
    from skillbag.report.options import Report, ReportOptions


def _in(module: str) -> Report:
    def report(result: Result, options: ReportOptions) -> Iterator[str]:
        made: Report = import_module(f"skillbag.report.{module}").report
        return made(result, options)

    return report


FORMATS: dict[str, Report] = {
    "text": _in("text"),
    "json": _in("as_json"),
    "github": _in("github"),
    "sarif": _in("sarif"),
    "gitlab": _in("gitlab"),
    "junit": _in("junit"),
    "markdown": _in("markdown"),
}
"""Every output by the name that `--format` takes. `markdown` is the summary of a job, not a list for a machine."""
