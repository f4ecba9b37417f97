"""What the active skills bring to a scan: their rules, overrides and scanners (skill runtime, section 8)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, NamedTuple

from skillbag.kernel.base.json_records import fits
from skillbag.kernel.documents.source import read_document
from skillbag.kernel.manifest.names import BackendKind, Permission, SkillType
from skillbag.kernel.manifest.scan_rules import RuleOverride, ScanRule, read_overrides, read_rules
from skillbag.kernel.manifest.shapes import ManifestFault
from skillbag.kernel.manifest.values import Implementation
from skillbag.kernel.workspace.text import TextFile
from skillbag.runtime.activation.activation import ActivatedSkill
from skillbag.runtime.activation.calls import Calls
from skillbag.runtime.errors import RuntimeFaultError
from skillbag.runtime.scanning.findings import ScanFinding, scanner_findings
from skillbag.runtime.sessions.runtime import Runtime
from skillbag.runtime.skill import FoundSkill

MAX_FAILURES = 10
"""After so many failures in a row, a scanner is not run any more."""


class SkillFailure(NamedTuple):
    """What could not be done: the skill, the file where there is one (relative, else empty), and the message."""

    skill: str
    path: str
    message: Annotated[str, fits(minLength=1)]


class ScanSource(NamedTuple):
    """An active skill that takes part, and what can't be used of it."""

    active: ActivatedSkill
    rules: tuple[ScanRule, ...]
    overrides: Mapping[str, RuleOverride]
    errors: tuple[SkillFailure, ...]

    @property
    def name(self) -> str:
        """The skill's name."""
        return self.active.found.name

    def is_own(self, text: TextFile) -> bool:
        """Whether a text is a file of the skill, which would find its own expressions."""
        return text.document.path.startswith(f"{self.active.found.directory}{os.sep}")


def is_for_scans(active: ActivatedSkill) -> bool:
    """Whether the skill takes part in scans."""
    return SkillType.SECURITY_RULE in active.found.manifest.types


class SkillRules(NamedTuple):
    """The rules and overrides in the files of a skill, and what can't be used of these."""

    rules: tuple[ScanRule, ...]
    overrides: Mapping[str, RuleOverride]
    errors: tuple[SkillFailure, ...]


def rules_of(found: FoundSkill) -> SkillRules:
    """Read the rules and overrides of a skill."""
    named = found.manifest.security_rules
    rules: tuple[ScanRule, ...] = ()
    overrides: Mapping[str, RuleOverride] = {}
    errors: list[SkillFailure] = []
    if named and named.sast_rules_file:
        rules, faults = read_rules(read_document(os.path.join(found.folder, named.sast_rules_file), found.folder))
        errors += _errors(found.name, named.sast_rules_file, faults)
    if named and named.overrides_file:
        document = read_document(os.path.join(found.folder, named.overrides_file), found.folder)
        overrides, faults = read_overrides(document)
        errors += _errors(found.name, named.overrides_file, faults)
    return SkillRules(rules, overrides, tuple(errors))


def source_of(active: ActivatedSkill) -> ScanSource:
    """What an active skill brings to a scan."""
    found = active.found
    named = found.manifest.security_rules
    rules, overrides, faults = rules_of(found)
    errors = list(faults)
    for scanner in named.scanners if named else ():
        if scanner.name not in active.registration.scanners:
            message = f'it declares the scanner "{scanner.name}", and its code does not register it'
            errors.append(SkillFailure(found.name, "", message))
        elif not _has_effect(found.manifest.implementation, scanner.entrypoint):
            message = f'the entrypoint of the scanner "{scanner.name}" is not run: only Starlark skills have several'
            errors.append(SkillFailure(found.name, "", message))
    return ScanSource(active, rules, overrides, tuple(errors))


def _has_effect(implementation: Implementation | None, entrypoint: str) -> bool:
    """Whether the code in the entrypoint of a scanner is run."""
    if implementation is None or implementation.backend is BackendKind.STARLARK:
        return True
    # A plugin may be named as a module.
    return ":" in implementation.entrypoint or implementation.entrypoint == entrypoint


def _errors(skill: str, file: str, faults: Iterable[ManifestFault]) -> Iterator[SkillFailure]:
    for fault in faults:
        place = f"{file}:{fault.position.line}:{fault.position.column}"
        yield SkillFailure(skill, "", f"{place}: {fault.message}")


class Scanner:
    """A scanner of a skill, which may look at the workspace's texts if the skill has `file:read`."""

    def __init__(self, calls: Calls, source: ScanSource, name: str) -> None:
        self._calls, self._source, self._name = calls, source, name
        self._failures = 0
        self._is_over = False

    def scan(self, text: TextFile) -> tuple[list[ScanFinding], SkillFailure | None]:
        """What it finds in a text, and the failure if it fails."""
        skill, active = self._source.name, self._source.active
        if self._is_over or self._source.is_own(text):
            return [], None
        try:
            answer = self._calls.scan(active, self._name, text.relative, text.document.text)
            found = scanner_findings(skill, self._name, text, answer)
        except RuntimeFaultError as error:
            self._failures += 1
            self._is_over = self._failures >= MAX_FAILURES or bool(active.backend and active.backend.failure)
            more = "; it is not run on further files" if self._is_over else ""
            return [], SkillFailure(skill, text.relative, f"scanner {self._name}: {error}{more}")
        self._failures = 0
        return found, None


def scanners_of(runtime: Runtime, source: ScanSource) -> tuple[list[Scanner], tuple[SkillFailure, ...]]:
    """The scanners of a skill that may read the workspace, and why those that may not don't."""
    active = source.active
    if not active.registration.scanners:
        return [], ()
    try:
        runtime.broker.demand(active.grantee, Permission.FILE_READ, "scan of the workspace")
    except RuntimeFaultError as error:
        return [], (SkillFailure(source.name, "", f"its scanners are not run: {error}"),)
    return [Scanner(runtime.calls, source, name) for name in active.registration.scanners], ()
