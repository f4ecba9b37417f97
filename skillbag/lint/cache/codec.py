"""Verdicts, results and skill summaries as JSON, which is harmless to read even if it was tampered with."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence

from skillbag.kernel.model.findings import (
    Edit,
    Finding,
    MakeExecutable,
    Rename,
    Severity,
    Suppression,
    TextEdit,
    WriteFile,
)
from skillbag.kernel.model.result import Aside, CheckedTarget, CheckResult, RuleInfo

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from skillbag.kernel.workspace.skill import SkillSummary
    from skillbag.kernel.workspace.target import SkillFolder
    from skillbag.lint.engine.verdict import Verdict

_EDITS: dict[str, type[Edit]] = {kind.__name__: kind for kind in (TextEdit, WriteFile, Rename, MakeExecutable)}
_encode = json.JSONEncoder(separators=(",", ":")).encode


def dump(value: object) -> bytes:
    """A value as one line of JSON."""
    return _encode(value).encode()


def pack(verdict: Verdict) -> bytes:
    """A verdict as one line."""
    lines: dict[str, int] = {}
    findings = [_pack_finding(finding, [finding.root], lines) for finding in verdict.findings]
    return dump([findings, [*lines], verdict.suppressions, verdict.files, verdict.aside])


def unpack(data: bytes, root: str) -> Verdict:
    """The verdict of a line, on files of the target at `root`."""
    from skillbag.lint.engine.verdict import Verdict

    findings, lines, raw_suppressions, files, aside = json.loads(data)
    suppressions = tuple([Suppression(raw[0], tuple(raw[1]), *raw[2:]) for raw in raw_suppressions])
    found = tuple([_unpack_finding(raw, [root], lines) for raw in findings])
    return Verdict(found, suppressions, files, tuple([Aside(*raw) for raw in aside]))


def _pack_finding(finding: Finding, roots: Sequence[str], lines: dict[str, int]) -> list[Any]:
    """A finding as a plain list, with the numbers of its root and its line.

    `lines` gets the line: a thousand findings may be on one of a megabyte.
    """
    edits = [[type(edit).__name__, *edit] for edit in finding.edits]
    line = lines.setdefault(finding.excerpt, len(lines))
    return [*finding[:4], roots.index(finding.root), *finding[5:11], line, finding.fingerprint, edits]


def _unpack_finding(raw: Sequence[Any], roots: Sequence[str], lines: Sequence[str]) -> Finding:
    rule, clause, level, path, root, *rest, line, fingerprint, raw_edits = raw
    edits = tuple([_EDITS[kind](*fields) for kind, *fields in raw_edits])
    return Finding._make(
        (rule, clause, Severity(level), path, roots[root], *rest, lines[line], fingerprint, edits, False)
    )


def pack_result(result: CheckResult) -> dict[str, Any]:
    """A result as plain JSON values."""
    roots = list(dict.fromkeys(finding.root for finding in result.findings))
    lines: dict[str, int] = {}
    findings = [_pack_finding(finding, roots, lines) for finding in result.findings]
    return {**result._asdict(), "roots": roots, "findings": findings, "lines": [*lines]}


def unpack_result(plain: Mapping[str, Any]) -> CheckResult:
    """The result of plain JSON values."""
    return CheckResult(
        tuple([CheckedTarget(*raw) for raw in plain["targets"]]),
        tuple([_unpack_finding(raw, plain["roots"], plain["lines"]) for raw in plain["findings"]]),
        tuple([_rule(raw) for raw in plain["rules"]]),
        suppressed=plain["suppressed"],
        aside=tuple([Aside(*raw) for raw in plain["aside"]]),
    )


def _rule(raw: Sequence[Any]) -> RuleInfo:
    rule = RuleInfo(*raw)
    return rule._replace(level=Severity(rule.level), tags=tuple(rule.tags))


def pack_summary(summary: SkillSummary) -> bytes:
    """A summary as one line, without the folder of its skill."""
    return dump(_plain_summary(summary))


def unpack_summary(data: bytes, folder: SkillFolder) -> SkillSummary:
    """The summary of a line, for the skill in a folder."""
    return _summary(json.loads(data), folder.path, folder.skills_root)


def _plain_summary(summary: SkillSummary) -> list[Any]:
    inner = [[os.path.relpath(skill.directory, summary.directory), _plain_summary(skill)] for skill in summary.inner]
    return [os.path.basename(summary.path), *summary[4:8], inner]


def _summary(raw: list[Any], directory: str, skills_root: str) -> SkillSummary:
    from skillbag.kernel.documents.source import DocumentProblem
    from skillbag.kernel.workspace.skill import Dependency, Description, Located, SkillSummary

    file, name, description, dependencies, problem, inner = raw
    if description:
        value, start, end, hidden, counts = description
        description = Description(value, start, end, Located(*hidden) if hidden else None, counts)
    return SkillSummary(
        os.path.basename(directory),
        directory,
        os.path.join(directory, file),
        skills_root,
        Located(*name) if name else None,
        description or None,
        tuple([Dependency(Located(*raw[0]), *raw[1:]) for raw in dependencies]),
        DocumentProblem(*problem) if problem else None,
        tuple([_summary(skill, os.path.join(directory, relative), skills_root) for relative, skill in inner]),
    )
