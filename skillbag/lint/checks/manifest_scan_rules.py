"""The files of a security skill: its rules for scans, and what overrides them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from skillbag.kernel.documents.source import Document, DocumentProblem
from skillbag.kernel.manifest.reader import ActiveSkill
from skillbag.kernel.manifest.scan_rules import read_overrides, read_rules
from skillbag.kernel.manifest.shapes import ManifestFault
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject


@Predicate("manifest-scan-rules-invalid", Subject.MANIFEST, values=("detail",))
def invalid_rules(active: ActiveSkill, _: NoOptions) -> Iterator[Match]:
    """What is wrong with the rules of a `sast_rules_file`."""
    if found := _named(active, "sast_rules_file"):
        yield from _matches(found, read_rules(found).faults)


@Predicate("manifest-overrides-invalid", Subject.MANIFEST, values=("detail",))
def invalid_overrides(active: ActiveSkill, _: NoOptions) -> Iterator[Match]:
    """What is wrong with an `overrides_file`."""
    if found := _named(active, "overrides_file"):
        yield from _matches(found, read_overrides(found).faults)


def _named(active: ActiveSkill, field: str) -> Document | DocumentProblem | None:
    manifest = active.file.manifest
    path = getattr(manifest.security_rules, field) if manifest and manifest.security_rules else ""
    return active.skill.read(path) if path else None


def _matches(document: Document | DocumentProblem, faults: Iterable[ManifestFault]) -> Iterator[Match]:
    for fault in faults:
        at = fault.position if isinstance(document, DocumentProblem) else None
        yield Match(document.path, fault.start, fault.end, {"detail": fault.message}, at=at)
