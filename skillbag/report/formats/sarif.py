"""SARIF 2.1.0, within the limits that GitHub documents for uploads. The records are objects of it, with its keys."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import quote

from skillbag import REPOSITORY, __version__
from skillbag.kernel.base.json_records import ABSENT, Absent
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.documents.source import Document
from skillbag.kernel.model.findings import Finding, Severity
from skillbag.kernel.model.result import CheckResult, RuleInfo
from skillbag.lint.rules.model import SECURITY
from skillbag.report.edits import Texts, replacements, text_of
from skillbag.report.encoding import encoded, items
from skillbag.report.formats.line_hash import line_hashes
from skillbag.report.options import ReportOptions, located
from skillbag.report.sanitize import exact, shown, shown_page

# GitHub wants this property; the address is the schema's published name, and nothing fetches it.
_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
BASE = "%SRCROOT%"
_LEVELS = tuple(Severity)
_MAX = 25_000
"""Results, and rules."""
_LONGEST_MESSAGE = 2_000
_LONGEST_DESCRIPTION = 1_024
_MALICE = "external/owasp/AST01"
_SEVERITIES = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "recommendation"}


class _Message(NamedTuple):
    text: str
    markdown: str | Absent = ABSENT


class _Artifact(NamedTuple):
    uri: str
    uriBaseId: str | Absent = ABSENT


class _TextRegion(NamedTuple):
    startLine: int
    startColumn: int
    endLine: int
    endColumn: int


class _Replaced(NamedTuple):
    deletedRegion: _TextRegion
    insertedContent: _Message


class _ArtifactChange(NamedTuple):
    artifactLocation: _Artifact
    replacements: list[_Replaced]


class _Fix(NamedTuple):
    description: _Message | Absent
    artifactChanges: list[_ArtifactChange]


class _PhysicalLocation(NamedTuple):
    artifactLocation: _Artifact
    region: _TextRegion


class _ResultLocation(NamedTuple):
    physicalLocation: _PhysicalLocation


class _Result(NamedTuple):
    ruleId: str
    ruleIndex: int | Absent
    level: Severity
    message: _Message
    locations: tuple[_ResultLocation]
    partialFingerprints: Mapping[str, str]
    fixes: tuple[_Fix, ...] | Absent
    properties: Mapping[str, bool] | Absent


class _Configuration(NamedTuple):
    level: Severity


class _ReportingDescriptor(NamedTuple):
    id: str
    shortDescription: _Message
    fullDescription: _Message
    help: _Message
    helpUri: str | Absent
    defaultConfiguration: _Configuration
    properties: Mapping[str, str | list[str]]


class _Driver(NamedTuple):
    name: str
    semanticVersion: str
    informationUri: str
    rules: list[_ReportingDescriptor]


class _Notification(NamedTuple):
    level: Severity
    message: _Message


class _Invocation(NamedTuple):
    executionSuccessful: bool
    toolExecutionNotifications: tuple[_Notification] | Absent


def report(result: CheckResult, options: ReportOptions) -> Iterator[str]:
    """One log with one run, in pieces, all ASCII."""
    base = {"originalUriBaseIds": {BASE: _Artifact(_file_uri(exact(options.cwd) + "/"))}}
    return log([run(result, options, base, {})])


def log(runs: Iterable[Iterable[str]]) -> Iterator[str]:
    """A log of these runs, in pieces."""
    yield f'{{"$schema": {encoded(_SCHEMA)}, "version": "2.1.0", "runs": ['
    separator = ""
    for each in runs:
        yield separator
        yield from each
        separator = ",\n"
    yield "]}\n"


def run(
    result: CheckResult, options: ReportOptions, about: Mapping[str, object], texts: Texts, fault: str = ""
) -> Iterator[str]:
    """A run in pieces, with the properties `about` it. Of more results than a run may have, the most severe are kept.

    `texts` are those that are known, a `fault` is why there is no result.
    """
    rules = result.rules[:_MAX]
    indexes = {rule.id: index for index, rule in enumerate(rules)}
    by_level = sorted(range(len(result.findings)), key=lambda index: _LEVELS.index(result.findings[index].level))
    findings = [result.findings[index] for index in sorted(by_level[:_MAX])]
    # The level that is entered last is the worst.
    worst = {result.findings[index].rule: result.findings[index].level for index in reversed(by_level)}
    described = [_rule(rule, worst.get(rule.id, rule.level)) for rule in rules]
    driver = _Driver("skillbag", __version__, REPOSITORY, described)
    hashes = _hashes(findings, texts)
    yield f'{{"tool": {encoded({"driver": driver})},\n'
    yield f'"invocations": {encoded([_invocation(fault, len(result.findings) - len(findings))])},\n'
    yield from (f'"{name}": {encoded(value)},\n' for name, value in about.items())
    yield '"columnKind": "unicodeCodePoints", "results": ['
    yield from items(_result(finding, indexes.get(finding.rule), hashes, texts, options) for finding in findings)
    yield "]}"


def _hashes(findings: Iterable[Finding], texts: Texts) -> dict[str, dict[int, str]]:
    """By path, the hash of each line that has a finding."""
    lines: dict[str, set[int]] = {}
    documents: dict[str, Document] = {}
    for finding in findings:
        if document := text_of(finding.path, finding.root, texts):
            documents[finding.path] = document
            lines.setdefault(finding.path, set()).add(finding.line)
    return {path: line_hashes(document, lines[path]) for path, document in documents.items()}


def _rule(rule: RuleInfo, worst: Severity) -> _ReportingDescriptor:
    """The page itself is in `help`, too, for those who can't follow `helpUri`."""
    advice = "" if rule.fix is None else f"\n{shown(rule.fix)}"
    tags = list(dict.fromkeys(shown(tag) for tag in (rule.family, rule.clause, *rule.tags) if tag))
    number = rule.score or _score(rule, worst)
    score = {"security-severity": number} if number else {}
    return _ReportingDescriptor(
        shown(rule.id),
        _Message(_limited(shown(rule.title), _LONGEST_DESCRIPTION)),
        _Message(_limited(shown_page(rule.why), _LONGEST_DESCRIPTION)),
        _Message(shown_page(rule.why) + advice, shown_page(rule.help)),
        rule.url or ABSENT,
        _Configuration(rule.level),
        {"tags": tags, "problem.severity": _SEVERITIES[rule.level], **score},
    )


def _score(rule: RuleInfo, worst: Severity) -> str:
    """The severity of a rule about security in GitHub's ranges, by its worst finding: GitHub has none for a finding.

    Errors are high, those about malice critical; warnings are medium and notes low.
    """
    if rule.family != SECURITY:
        return ""
    if worst is Severity.ERROR:
        return "9.5" if _MALICE in rule.tags else "8.0"
    return "5.5" if worst is Severity.WARNING else "2.5"


def _limited(text: str, most: int) -> str:
    """`text`, or its first `most` characters with `…` as the last of them."""
    return text if len(text) <= most else text[: most - 1] + "…"


def _invocation(fault: str, dropped: int) -> _Invocation:
    if fault:
        return _Invocation(False, (_Notification(Severity.ERROR, _Message(_limited(fault, _LONGEST_MESSAGE))),))
    text = f"{dropped} findings are left out, those of the lowest levels first: a run holds {_MAX} results."
    return _Invocation(True, (_Notification(Severity.WARNING, _Message(text)),) if dropped else ABSENT)


def _result(
    finding: Finding,
    rule_index: int | None,
    hashes: Mapping[str, Mapping[int, str]],
    texts: Texts,
    options: ReportOptions,
) -> _Result:
    fix = "" if finding.fix is None else f"\nFix: {shown(finding.fix)}"
    region = _TextRegion(finding.line, finding.column, finding.end_line, finding.end_column)
    line = hashes.get(finding.path, {}).get(finding.line)
    known_line = {} if line is None else {"primaryLocationLineHash": line}
    return _Result(
        shown(finding.rule),
        ABSENT if rule_index is None else rule_index,
        finding.level,
        _Message(_limited(_unlinked(shown(finding.message) + fix), _LONGEST_MESSAGE)),
        (_ResultLocation(_PhysicalLocation(_artifact(finding.path, options), region)),),
        {**known_line, "skillbag/v2": finding.fingerprint},
        _fixes(finding, texts, options) or ABSENT,
        {"installed": True} if finding.installed else ABSENT,
    )


def _fixes(finding: Finding, texts: Texts, options: ReportOptions) -> tuple[_Fix, ...]:
    """The edits as one `fix`; none where they make or rename a file, or change its mode: SARIF has nothing for that."""
    changes: dict[str, list[_Replaced]] = {}
    for edit in replacements(finding, texts) if finding.edits else ():
        start, end = edit.places
        changes.setdefault(edit.document.path, []).append(_Replaced(_TextRegion(*start, *end), _Message(edit.text)))
    if not changes:
        return ()
    described = ABSENT if finding.fix is None else _Message(_unlinked(shown(finding.fix)))
    return (_Fix(described, [_ArtifactChange(_artifact(path, options), each) for path, each in changes.items()]),)


def _artifact(path: str, options: ReportOptions) -> _Artifact:
    name = exact(located(path, options.cwd))
    return _Artifact(_file_uri(name)) if os.path.isabs(name) else _Artifact(_quoted(name), BASE)


def _unlinked(text: str) -> str:
    """A bracketed text before a parenthesis is a link in a SARIF message; escaped, it is what it was in the file."""
    return text.replace("[", "\\[").replace("]", "\\]") if "](" in text else text


def _file_uri(path: str) -> str:
    return "file://" + _quoted("/" + path.replace(os.sep, "/").lstrip("/"))


def _quoted(path: str) -> str:
    return quote(path, safe="/~")
