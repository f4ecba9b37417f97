"""What rules and scanners of skills find, as findings of `check` (skill runtime, section 8)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from skillbag.kernel.documents.source import Document, Position
from skillbag.kernel.manifest.scan_rules import RuleOverride, ScanRule, ScanSeverity
from skillbag.kernel.model.findings import Finding, Severity
from skillbag.kernel.model.result import RuleInfo
from skillbag.kernel.secrets.detection import mask
from skillbag.kernel.workspace.text import TextFile
from skillbag.runtime.errors import ChildError
from skillbag.runtime.host.search import matches, parse_glob
from skillbag.runtime.skill import Json

FAMILY = "scan"
"""The family of rules of skills, in reports."""

_IN_REPORTS: Mapping[ScanSeverity, tuple[Severity, str]] = {
    ScanSeverity.CRITICAL: (Severity.ERROR, "9.5"),
    ScanSeverity.HIGH: (Severity.ERROR, "8.0"),
    ScanSeverity.MEDIUM: (Severity.WARNING, "5.5"),
    ScanSeverity.LOW: (Severity.NOTE, "2.5"),
    ScanSeverity.INFO: (Severity.NOTE, "0.0"),
}
"""The level in reports that have three, and GitHub's `security-severity`: a number in the range of the word."""

MAX_OF_SCANNER = 1000
"""Findings of one scanner in one text that count."""

_LONGEST_MESSAGE = 2000
_LONGEST_RULE = 100


class ScanFinding(NamedTuple):
    """A finding of a skill in a text: `rule` is its id within the skill, `start` and `end` are the place."""

    skill: str
    rule: str
    severity: ScanSeverity
    message: str
    text: TextFile
    start: Position
    end: Position
    fix: str | None = None

    @property
    def id(self) -> str:
        """The id of the rule in reports and in suppressions: that of the skill before it."""
        return f"{self.skill}/{self.rule}"


def scanner_findings(skill: str, scanner: str, text: TextFile, answer: Json) -> list[ScanFinding]:
    """What a scanner answered about a text: texts, or objects with `rule`, `message`, `severity` and `line`.

    Raises:
        ChildError: it has another shape.
    """
    if not isinstance(answer, list):
        raise ChildError("its answer is no list of findings")
    return [_finding(skill, scanner, text, entry) for entry in answer[:MAX_OF_SCANNER]]


def _finding(skill: str, scanner: str, text: TextFile, entry: Json) -> ScanFinding:
    given = {"message": entry} if isinstance(entry, str) else entry
    if not isinstance(given, dict) or not isinstance(given.get("message"), str):
        raise ChildError("a finding is neither a text nor an object with a message")
    rule, line, severity = given.get("rule", scanner), given.get("line", 1), given.get("severity", ScanSeverity.MEDIUM)
    if not isinstance(rule, str) or not 0 < len(rule) <= _LONGEST_RULE or not _is_plain(rule):
        raise ChildError("the rule of a finding is no id of letters, digits and . _ -")
    if isinstance(line, bool) or not isinstance(line, int) or line < 1:
        raise ChildError(f"the line of a finding of {rule} is no number from 1 on")
    if not isinstance(severity, str) or severity not in set(ScanSeverity):
        raise ChildError(f"the severity of a finding of {rule} is none of {', '.join(ScanSeverity)}")
    start = text.document.within(Position(line, 1))
    end = Position(start.line, len(text.document.line(start.line)) + 1)
    message = given["message"][:_LONGEST_MESSAGE].strip() or rule
    return ScanFinding(skill, rule, ScanSeverity(severity), message, text, start, end)


def _is_plain(rule: str) -> bool:
    return all(char.isascii() and (char.isalnum() or char in "._-") for char in rule)


def overridden(found: ScanFinding, overrides: Mapping[str, RuleOverride]) -> ScanFinding | None:
    """The finding as the skill's overrides have it; None if they switch it off."""
    override = overrides.get(found.rule)
    if override is None or not covers(override.paths, found.text.relative):
        return found
    if not override.enabled:
        return None
    return found._replace(severity=override.severity or found.severity)


def covers(globs: tuple[str, ...], path: str) -> bool:
    """Whether a path matches one of the globs, or there are none."""
    return not globs or any(matches(_parsed(glob), path) for glob in globs)


_parsed = lru_cache(maxsize=256)(parse_glob)


def as_finding(found: ScanFinding, root: str) -> Finding:
    """The finding in the shape of `check`; its message names the severity."""
    document = found.text.document
    return Finding(
        rule=found.id,
        clause=None,
        level=_IN_REPORTS[found.severity][0],
        path=document.path,
        root=root,
        line=found.start.line,
        column=found.start.column,
        end_line=found.end.line,
        end_column=found.end.column,
        message=f"{found.message} [{found.severity}]",
        fix=found.fix,
        excerpt=shareable(document).line(found.start.line),
    )


def as_value(found: ScanFinding) -> dict[str, Json]:
    """The finding as test cases expect it."""
    return {"rule": found.rule, "severity": found.severity.value, "message": found.message, "line": found.start.line}


def shareable(document: Document) -> Document:
    """The document, masked if it holds a private key, which a line alone does not show."""
    return document._replace(text=mask(document.text)) if "PRIVATE KEY" in document.text else document


def rule_info(skill: str, rule: ScanRule) -> RuleInfo:
    """What reports say about a rule of a skill."""
    about = " ".join(filter(None, (rule.title, f"({rule.cwe})" if rule.cwe else "")))
    tags = (rule.severity.value, *filter(None, (rule.category, _weakness(rule.cwe))))
    level, score = _IN_REPORTS[rule.severity]
    return RuleInfo(
        f"{skill}/{rule.id}",
        FAMILY,
        None,
        level,
        rule.title,
        about,
        rule.remediation or None,
        f"{about}\n\nA rule of the skill `{skill}`.",
        tags,
        score,
    )


def _weakness(cwe: str) -> str:
    return f"external/cwe/{cwe.lower()}" if cwe else ""
