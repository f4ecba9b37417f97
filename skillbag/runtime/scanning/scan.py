"""A scan of a workspace by the active `security-rule` skills (skill runtime, section 8)."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from typing import NamedTuple

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.documents.frontmatter import FrontMatter, front_matter
from skillbag.kernel.documents.source import DocumentProblem, read_document
from skillbag.kernel.manifest.names import Phase, SkillType
from skillbag.kernel.manifest.scan_rules import ScanSeverity
from skillbag.kernel.model.findings import Finding, Suppression
from skillbag.kernel.model.result import CheckedTarget, CheckResult
from skillbag.kernel.workspace.text import TextFile, language_of
from skillbag.lint.checks.suppressions import MARK, is_of_scan, read_suppressions
from skillbag.lint.engine.fingerprints import fingerprinted
from skillbag.lint.engine.lint import conclude
from skillbag.lint.engine.planner import describe
from skillbag.lint.engine.rule_set import RuleSet
from skillbag.lint.engine.verdict import TargetVerdict, Verdict
from skillbag.lint.rules.builtin import load_core_rules
from skillbag.runtime.activation.missing_tools import listed
from skillbag.runtime.scanning.findings import ScanFinding, as_finding, rule_info
from skillbag.runtime.scanning.inspection import Inspection
from skillbag.runtime.scanning.sources import ScanSource, SkillFailure, is_for_scans, source_of
from skillbag.runtime.sessions.preview import activate_triggered, is_of
from skillbag.runtime.sessions.runtime import Runtime
from skillbag.runtime.skill import Json
from skillbag.runtime.triggers.surroundings import list_files

MAX_IN_HOOK = 1000
"""Findings, and errors, that hooks are given."""

_SUPPRESSIONS = "suppressions"
_INCOMPLETE = "the workspace has more files than are scanned; name folders to scan"


class Scan(NamedTuple):
    """The result of a scan: findings as those of `check`, and what could not be done. `skills` are those that took
    part; `duration` is in milliseconds."""

    result: CheckResult
    severities: Mapping[tuple[object, ...], ScanSeverity]
    errors: tuple[SkillFailure, ...]
    skills: tuple[str, ...]
    files: int
    duration: int

    def severity(self, finding: Finding) -> ScanSeverity | None:
        """How severe the skill finds it; None for a finding about a suppression."""
        return self.severities.get(_key(finding))


def scan(runtime: Runtime, root: str, paths: Iterable[str] = ()) -> Scan:
    """Scan the texts of the workspace at `root`, those at or below the absolute `paths` if there are any. Without an
    active skill for it, a remark says which there are.

    Raises:
        UserError: a path is not in the workspace.
    """
    start = time.monotonic()
    sources = [source_of(active) for active in runtime.skills if is_for_scans(active)]
    known = list_files(root)
    files = chosen(root, known.paths, paths)
    collected = _Collected(root)
    inspection = Inspection(runtime, sources, collected.take)
    if not known.complete:
        inspection.errors.append(SkillFailure("", "", _INCOMPLETE))
    if sources:
        inspection.run(collected.look(read_texts(root, files)))
    else:
        runtime.remarks.append(_nothing_scanned(runtime))
    result = _concluded(collected, root, sources)
    names = tuple(source.name for source in sources)
    duration = round((time.monotonic() - start) * 1000)
    return Scan(result, collected.severities, tuple(inspection.errors), names, collected.files, duration)


def _nothing_scanned(runtime: Runtime) -> str:
    idle = [found.name for found in runtime.skills.idle() if SkillType.SECURITY_RULE in found.manifest.types]
    advice = f"; activate one with --skills: {listed(idle)}" if idle else ""
    return f'no skill of the type "{SkillType.SECURITY_RULE}" is active, so nothing was scanned{advice}'


class _Collected:
    """What a scan has found so far."""

    def __init__(self, root: str) -> None:
        self._root = root
        self.findings: list[Finding] = []
        self.severities: dict[tuple[object, ...], ScanSeverity] = {}
        self.suppressions: list[Suppression] = []
        self.files = 0

    def look(self, texts: Iterable[TextFile]) -> Iterator[TextFile]:
        """The texts, one after the other: they are counted, and searched for suppressions."""
        for text in texts:
            self.files += 1
            if MARK in text.document.body:
                found = read_suppressions(text)
                self.suppressions += [each for each in found if any(map(is_of_scan, each.rules))]
            yield text

    def take(self, found: ScanFinding) -> None:
        """Add a finding."""
        finding = as_finding(found, self._root)
        self.findings.append(finding)
        self.severities[_key(finding)] = found.severity


def _key(finding: Finding) -> tuple[object, ...]:
    return (finding.path, finding.line, finding.column, finding.end_column, finding.rule, finding.message)


def _concluded(collected: _Collected, root: str, sources: list[ScanSource]) -> CheckResult:
    """The result with the suppressions of the texts applied, as `check` does."""
    rules = tuple(rule for rule in load_core_rules() if rule.family == _SUPPRESSIONS)
    infos = [rule_info(source.name, rule) for source in sources for rule in source.rules]
    ran = frozenset(info.id for info in infos) | {finding.rule for finding in collected.findings}
    # What names rules of `check` alone, or of skills that are not active, is not judged here.
    written = tuple(each for each in collected.suppressions if not ran.isdisjoint(each.rules))
    named = {name for each in written for name in each.rules}
    verdict = Verdict(tuple(collected.findings), written, collected.files)
    linted = conclude(
        TargetVerdict((verdict,), len(sources), collected.files),
        root,
        RuleSet(rules),
        defined=named,
        today=date.today().isoformat(),
        further=ran,
    )
    target = CheckedTarget("workspace", root, len(sources), collected.files)
    described = (*infos, *map(describe, rules))
    return CheckResult((target,), linted.findings, described, linted.suppressed)


def complete(runtime: Runtime, scan: Scan) -> None:
    """Fire `OnSecurityScanComplete`; what goes wrong in hooks is a remark."""
    findings: list[Json] = [
        {
            "rule": finding.rule,
            "severity": scan.severity(finding) or ScanSeverity.LOW,
            "message": finding.message[:300],
            "path": finding.path.removeprefix(f"{finding.root}/"),
            "line": finding.line,
        }
        for finding in scan.result.findings[:MAX_IN_HOOK]
    ]
    errors = [error._replace(message=error.message[:300])._asdict() for error in scan.errors[:MAX_IN_HOOK]]
    data = {
        "findings": findings,
        # No rule says how findings are connected.
        "attack_chains": [],
        "errors": errors,
        "findings_count": len(scan.result.findings),
        "chain_count": 0,
        "files_scanned": scan.files,
        "duration_ms": scan.duration,
        "errors_count": len(scan.errors),
    }
    runtime.remarks += runtime.hooks.dispatch(Phase.SECURITY_SCAN_COMPLETE, data).notes


def scan_workspace(runtime: Runtime, paths: Iterable[str] = ()) -> Scan:
    """Scan the runtime's workspace by its `security-rule` skills: those that are active, and those that the workspace
    triggers, which are activated. `OnSecurityScanComplete` fires at the end.

    `paths` are absolute paths of files and folders; without any, all files that git sees are scanned, up to 1 MiB each.

    Raises:
        UserError: there is no workspace, or a path is not in it.
        QuestionsError: the user must be asked before a skill can be activated.
    """
    found = scan_triggered(runtime, paths)
    complete(runtime, found)
    return found


def scan_triggered(runtime: Runtime, paths: Iterable[str]) -> Scan:
    """The same, for callers that change the findings before they call `complete`. Skills that could not be activated
    are among the errors. Raises as `scan_workspace`."""
    root = runtime.request.workspace
    if root is None:
        raise UserError("there is no workspace here; run this in one, or name it with --workspace")
    failed = activate_triggered(runtime, is_of(SkillType.SECURITY_RULE))
    found = scan(runtime, root, paths)
    errors = (*(SkillFailure(name, "", why) for name, why in failed.items()), *found.errors)
    findings = tuple(fingerprinted(found.result.findings))
    return found._replace(result=found.result._replace(findings=findings), errors=errors)


def chosen(root: str, files: Iterable[str], paths: Iterable[str]) -> list[str]:
    """Those of the workspace's `files` (relative) that are at or below one of the absolute `paths`; all without any.

    Raises:
        UserError: a path does not exist, or is not in the workspace.
    """
    wanted = [_relative(root, path) for path in paths]
    if not wanted or "." in wanted:
        return list(files)
    folders = tuple(f"{path}/" for path in wanted)
    return [file for file in files if file in wanted or file.startswith(folders)]


def _relative(root: str, path: str) -> str:
    if not os.path.lexists(path):
        raise UserError(f"{path}: there is no such file or folder")
    # The path itself may be a link, which is a file of the workspace.
    real = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
    relative = os.path.relpath(real if os.path.islink(path) else os.path.realpath(path), root).replace(os.sep, "/")
    if relative.split("/")[0] == "..":
        raise UserError(f"{path}: it is not in the workspace {root}; scan a path in it")
    return relative


def read_texts(root: str, files: Iterable[str]) -> Iterator[TextFile]:
    """The files that are texts of at most 1 MiB; others, and what can't be read, are left out."""
    for relative in files:
        document = read_document(os.path.join(root, relative), root)
        if isinstance(document, DocumentProblem):
            continue
        language = language_of(relative) or "text"
        body = 0
        if language == "markdown" and isinstance(matter := front_matter(document), FrontMatter):
            body = matter.body
        yield TextFile(document, relative, language, body)
