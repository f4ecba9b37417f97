"""The JSON contract, version 1: `schemas/findings.schema.json` describes it, a finding a line."""

from __future__ import annotations

from collections.abc import Iterator

from skillbag.kernel.base.json_records import to_json
from skillbag.kernel.model.findings import Finding
from skillbag.kernel.model.result import CheckResult
from skillbag.report.encoding import encoded, items
from skillbag.report.options import ReportOptions, located
from skillbag.report.sanitize import exact, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from skillbag.kernel.model.timing import Timing
    from skillbag.report.edits import Texts


def report(result: CheckResult, options: ReportOptions, timing: Timing | None = None) -> Iterator[str]:
    """One object, in pieces, all ASCII."""

    def path_of(path: str) -> str:
        return exact(located(path, options.cwd))

    texts: Texts = {}

    def edits_of(finding: Finding) -> object:
        if not finding.edits:
            return []
        # Most runs have none, and then no text is read.
        from skillbag.report.edits import edit_values

        return to_json(edit_values(finding, texts, path_of))

    yield f'{{"version": 1,\n"command": "check",\n"exit": {options.exit},\n"targets": ['
    yield from items(
        {"kind": target.kind, "root": path_of(target.root), "skills": target.skills, "files": target.files}
        for target in result.targets
    )
    yield '],\n"findings": ['
    urls = {rule.id: rule.url for rule in result.rules}
    yield from items(
        _finding(finding, path_of(finding.path), urls.get(finding.rule), edits_of(finding))
        for finding in result.findings
    )
    yield '],\n"not_judged": ['
    yield from items({"path": path_of(path), "reason": shown(reason)} for path, reason in result.aside)
    summary = {
        "files": result.files,
        "skills": result.skills,
        "errors": result.errors,
        "warnings": result.warnings,
        "notes": result.notes,
    }
    yield f'],\n"summary": {encoded(summary)}'
    if timing:
        yield f',\n"timing": {encoded(to_json(timing, shown))}'
    yield "}\n"


def _finding(finding: Finding, path: str, url: str | None, edits: object) -> dict[str, object]:
    return {
        "rule": shown(finding.rule),
        "clause": None if finding.clause is None else shown(finding.clause),
        "level": finding.level.value,
        "path": path,
        "line": finding.line,
        "column": finding.column,
        "end_line": finding.end_line,
        "end_column": finding.end_column,
        "message": shown(finding.message),
        "fix": None if finding.fix is None else shown(finding.fix),
        "fixable": bool(finding.edits),
        "edits": edits,
        "installed": finding.installed,
        "url": url,
    }
