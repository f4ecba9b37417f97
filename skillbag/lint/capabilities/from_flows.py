"""What code takes and where it gets to, as the rules of a check find it: one reader for both, so that they agree."""

from __future__ import annotations

from collections.abc import Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.capabilities.facts import TAUGHT, FactKind, FactPlace, FoundFact
from skillbag.lint.capabilities.places import shortened
from skillbag.lint.checks.flow_signs import SOURCES
from skillbag.lint.facts.flows import UnitFlow, text_facts
from skillbag.lint.facts.roles import role_of
from skillbag.lint.facts.skill_flows import skill_flows
from skillbag.lint.facts.values import LOGIN, ActKind, OriginKind, PlaceRole
from skillbag.lint.signals.hosts import gives_securely, is_local

_CHECK = late(r"\b(?:sha\d+sum|shasum|gpg[ \t]+--verify|cosign|minisign)\b")
"""What compares a download with a known hash or signature."""


def flow_facts(file: TextFile) -> Iterator[FoundFact]:
    """What a text downloads or decodes and runs, and what it takes and sends, itself or in another file of its skill.

    It is one fact for each place that takes it.
    """
    seen = set[tuple[FactKind, FactPlace]]()
    for found in _flows(file):
        fact = _fact(found)
        if fact is not None and (key := (fact.kind, fact.place)) not in seen:
            seen.add(key)
            yield fact


def _flows(file: TextFile) -> Iterator[UnitFlow]:
    if any(file.places.of(literals) for _, literals, _, _ in SOURCES):
        yield from text_facts(file).flows.found
        for _, _, signs, _ in SOURCES:
            yield from skill_flows(file, signs).found


def _fact(found: UnitFlow) -> FoundFact | None:
    """The fact that a flow is; None for what a program does with its own login, and for what stays on the machine."""
    origin, act = found.flow.source, found.flow.act
    place = FactPlace(found.origin.file.relative, *found.origin.file.document.position(origin.start))
    role = role_of(found.origin.file, origin.start, origin.end, [(each.start, each.end) for each in (origin, act)])
    taught = () if found.leaves or role in (PlaceRole.MEANT, PlaceRole.TEST) else (TAUGHT,)
    where = f"in {found.unit.file.relative}" if found.leaves else ""
    what = shortened(origin.what, 80)
    if act.kind is ActKind.RUNS and origin.kind is OriginKind.DOWNLOAD:
        marks = (*taught, found.unit.origin, *(("checked",) if _CHECK().search(found.unit.text) else ()))
        marks += ("vendor",) if gives_securely(origin.what) else ()
        return FoundFact(FactKind.DOWNLOAD_RUN, what, place, marks, where)
    if act.kind is ActKind.RUNS and origin.kind is OriginKind.DECODED:
        return FoundFact(FactKind.ENCODED_TEXT, f"decoded by {what}", place, ("command", *taught), where)
    is_value = origin.kind not in (OriginKind.DOWNLOAD, OriginKind.DECODED)
    if not is_value or act.kind not in (ActKind.SENDS, ActKind.RESOLVES) or is_local(act.to):
        return None
    if act.means.endswith(LOGIN):
        return None
    host = shortened(act.to, 80) or "a host known at run time only"
    return FoundFact(FactKind.SENT, f"{what} to {host}", place, (origin.kind.value, *taught), where)
