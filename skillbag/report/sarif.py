"""SARIF 2.1.0, within the limits that GitHub documents for uploads."""

from __future__ import annotations

import os
from collections.abc import Iterator
from urllib.parse import quote

from skillbag import __version__
from skillbag.model.findings import Finding, Severity
from skillbag.model.result import Result, RuleInfo
from skillbag.report.encoding import encoded, items
from skillbag.report.options import ReportOptions, located
from skillbag.report.sanitize import exact, shown, shown_page

# GitHub wants this property; the address is the schema's published name, and nothing fetches it.
_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_BASE = "%SRCROOT%"
_LEVELS = tuple(Severity)
_MOST = 25_000
"""Results, and rules."""
_LONGEST_MESSAGE = 2_000
_LONGEST_DESCRIPTION = 1_024
_SEVERITIES = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "recommendation"}


def report(result: Result, options: ReportOptions) -> Iterator[str]:
    """One log with one run, in pieces, all ASCII. Of more results than a run may have, the most severe are kept."""
    rules = result.rules[:_MOST]
    indexes = {rule.id: index for index, rule in enumerate(rules)}
    by_level = sorted(range(len(result.findings)), key=lambda index: _LEVELS.index(result.findings[index].level))
    findings = [result.findings[index] for index in sorted(by_level[:_MOST])]
    driver = {"name": "skillbag", "semanticVersion": __version__, "rules": [_rule(rule) for rule in rules]}
    yield f'{{"$schema": {encoded(_SCHEMA)}, "version": "2.1.0", "runs": [{{"tool": {encoded({"driver": driver})},\n'
    yield f'"invocations": {encoded([_invocation(len(result.findings) - len(findings))])},\n'
    yield f'"originalUriBaseIds": {encoded({_BASE: {"uri": _file_uri(exact(options.cwd) + "/")}})},\n'
    yield '"columnKind": "unicodeCodePoints", "results": ['
    yield from items(_result(finding, indexes.get(finding.rule), options) for finding in findings)
    yield "]}]}\n"


def _rule(rule: RuleInfo) -> dict[str, object]:
    """A `reportingDescriptor`. It has no `helpUri`, since the page itself is in `help`."""
    advice = "" if rule.fix is None else f"\n{shown(rule.fix)}"
    tags = dict.fromkeys(shown(tag) for tag in (rule.family, rule.clause, *rule.tags) if tag)
    score = {"security-severity": rule.score} if rule.score else {}
    return {
        "id": shown(rule.id),
        "shortDescription": {"text": _limited(shown(rule.title), _LONGEST_DESCRIPTION)},
        "fullDescription": {"text": _limited(shown_page(rule.why), _LONGEST_DESCRIPTION)},
        "help": {"text": shown_page(rule.why) + advice, "markdown": shown_page(rule.help)},
        "defaultConfiguration": {"level": rule.level.value},
        "properties": {"tags": list(tags), "problem.severity": _SEVERITIES[rule.level], **score},
    }


def _limited(text: str, most: int) -> str:
    """`text`, or its first `most` characters with `…` as the last of them."""
    return text if len(text) <= most else text[: most - 1] + "…"


def _invocation(dropped: int) -> dict[str, object]:
    invocation: dict[str, object] = {"executionSuccessful": True}
    if dropped:
        text = f"{dropped} findings are left out, those of the lowest levels first: a run holds {_MOST} results."
        invocation["toolExecutionNotifications"] = [{"level": "warning", "message": {"text": text}}]
    return invocation


def _result(finding: Finding, rule_index: int | None, options: ReportOptions) -> dict[str, object]:
    fix = "" if finding.fix is None else f"\nFix: {shown(finding.fix)}"
    path = exact(located(finding.path, options.cwd))
    artifact = {"uri": _file_uri(path)} if os.path.isabs(path) else {"uri": _quoted(path), "uriBaseId": _BASE}
    region = {
        "startLine": finding.line,
        "startColumn": finding.column,
        "endLine": finding.end_line,
        "endColumn": finding.end_column,
    }
    rule = {} if rule_index is None else {"ruleIndex": rule_index}
    return {
        "ruleId": shown(finding.rule),
        **rule,
        "level": finding.level.value,
        "message": {"text": _limited(_unlinked(shown(finding.message) + fix), _LONGEST_MESSAGE)},
        "locations": [{"physicalLocation": {"artifactLocation": artifact, "region": region}}],
        "partialFingerprints": {"skillbag/v1": finding.fingerprint},
        **({"properties": {"installed": True}} if finding.installed else {}),
    }


def _unlinked(text: str) -> str:
    """A bracketed text before a parenthesis is a link in a SARIF message; escaped, it is what it was in the file."""
    return text.replace("[", "\\[").replace("]", "\\]") if "](" in text else text


def _file_uri(path: str) -> str:
    return "file://" + _quoted("/" + path.replace(os.sep, "/").lstrip("/"))


def _quoted(path: str) -> str:
    return quote(path, safe="/~")
