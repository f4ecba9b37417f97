"""What the reader of manifests finds: one predicate for its faults by kind, one for unknown keys with their fix."""

from __future__ import annotations

from collections.abc import Iterator

from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.manifest.reader import ActiveSkill, ManifestFile
from skillbag.kernel.manifest.shapes import FaultKind, ManifestFault
from skillbag.kernel.model.findings import TextEdit
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject

_OBVIOUS = 0.85
"""How alike a key and the one that it is meant to be are where it is renamed without a question."""


class FaultKinds(NamedTuple):
    """`kinds`: the kinds of fault to report."""

    kinds: tuple[str, ...] = ()


@Predicate("manifest-fault", Subject.MANIFEST, values=("detail",), options=FaultKinds)
def manifest_fault(active: ActiveSkill, options: FaultKinds) -> Iterator[Match]:
    """The faults of a manifest of some kinds."""
    for fault in active.file.faults:
        if fault.kind in options.kinds:
            yield _match(active.file, fault, {"detail": fault.message})


@Predicate("manifest-key-unknown", Subject.MANIFEST, values=("key", "nearest"))
def unknown_key(active: ActiveSkill, _: NoOptions) -> Iterator[Match]:
    """Keys that a manifest does not have; an obvious misspelling is corrected."""
    for fault in active.file.faults:
        if fault.kind is FaultKind.KEY:
            meant = fault.suggestion
            nearest = f"; did you mean `{meant}`?" if meant else ""
            match = _match(active.file, fault, {"key": fault.where[:80], "nearest": nearest})
            yield match._replace(edits=_renaming(active.file, fault))


def _match(file: ManifestFile, fault: ManifestFault, values: dict[str, str]) -> Match:
    at = fault.position if file.document is None else None
    return Match(file.path, fault.start, fault.end, values, at=at)


def _renaming(file: ManifestFile, fault: ManifestFault) -> tuple[TextEdit, ...]:
    from difflib import SequenceMatcher

    written = file.document.text[fault.start : fault.end] if file.document else ""
    plain = written.lower().replace("-", "_")
    if not fault.suggestion or SequenceMatcher(None, plain, fault.suggestion).ratio() < _OBVIOUS:
        return ()
    return (TextEdit(file.path, fault.start, fault.end, fault.suggestion),)
