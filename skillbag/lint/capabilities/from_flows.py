"""Downloads that run, as the rules of a check find them: one reader for both, so that they cannot disagree."""

from __future__ import annotations

from collections.abc import Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.capabilities.facts import FactKind, FactPlace, FoundFact
from skillbag.lint.capabilities.shortening import shortened
from skillbag.lint.facts.flows import every_flow
from skillbag.lint.facts.literals import DOWNLOADS
from skillbag.lint.facts.values import ActKind, OriginKind

_CHECK = late(r"\b(?:sha\d+sum|shasum|gpg[ \t]+--verify|cosign|minisign)\b")
"""What compares a download with a known hash or signature."""


def flow_facts(file: TextFile) -> Iterator[FoundFact]:
    """What a text downloads and runs, one fact for each place that fetches."""
    if not any(word in file.document.raw for word in DOWNLOADS):
        return
    seen = set[int]()
    for found in every_flow(file):
        origin, act = found.flow.source, found.flow.act
        if origin.kind is OriginKind.DOWNLOAD and act.kind is ActKind.RUNS and origin.start not in seen:
            seen.add(origin.start)
            place = FactPlace(file.relative, *file.document.position(origin.start))
            marks = (found.unit.origin, *(("checked",) if _CHECK().search(found.unit.text) else ()))
            yield FoundFact(FactKind.DOWNLOAD_RUN, shortened(origin.what, 80), place, marks)
