"""The findings of an audit as SARIF: a run for each source, with paths from its root."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from skillbag.fleet.audit.values import FAILED, AuditedFinding, SourceHead, SourceRecord
from skillbag.kernel.model.findings import Finding
from skillbag.kernel.model.result import CheckResult, RuleInfo
from skillbag.lint.engine.planner import describe
from skillbag.lint.rules.builtin import load_rules
from skillbag.lint.rules.model import Rule
from skillbag.report.formats.sarif import BASE, log, run
from skillbag.report.options import ReportOptions
from skillbag.report.sanitize import shown

_TOP = "/"
"""Where the paths of a record begin; nothing is read there."""


def audit_sarif(records: Iterable[SourceRecord], own: Iterable[Rule]) -> Iterator[str]:
    """The log in pieces; `own` are the rules of a team.

    Sources with nothing to check have no run; one that failed has a run that says why.
    """
    known = {rule.id: describe(rule) for rule in (*load_rules(), *own)}
    return log(_run(record, known) for record in records if record.found or record.head.status == FAILED)


def _run(record: SourceRecord, rules: dict[str, RuleInfo]) -> Iterator[str]:
    findings = tuple(map(_finding, record.found.findings)) if record.found else ()
    broken = sorted({finding.rule for finding in findings} & rules.keys())
    result = CheckResult((), findings, tuple(rules[rule] for rule in broken))
    unread = {finding.path: None for finding in findings}
    return run(result, ReportOptions(cwd=_TOP), _about(record.head), {**unread}, record.head.error or "")


def _about(head: SourceHead) -> dict[str, object]:
    source = shown(head.source)
    version = f"@{shown(head.version)}" if head.version else ""
    about: dict[str, object] = {
        # Up to the last `/`, code hosts take it for the category, of which a commit has one run each.
        "automationDetails": {"id": f"{source}{version}/"},
        "originalUriBaseIds": {BASE: {"description": {"text": source}}},
    }
    if head.kind and head.kind.has_revisions and head.resolved and "://" in source:
        place = {"repositoryUri": source, "revisionId": head.resolved, "mappedTo": {"uriBaseId": BASE}}
        about["versionControlProvenance"] = [place]
    return about


def _finding(finding: AuditedFinding) -> Finding:
    place = (finding.line, finding.column)
    head = (finding.rule, finding.clause, finding.level, _TOP + finding.path, _TOP)
    return Finding(*head, *place, *place, finding.message, None, "", finding.fingerprint)
