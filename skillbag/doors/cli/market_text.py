"""The answers of the commands of the marketplace."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from skillbag.doors.cli.answers import CommandOutput
from skillbag.doors.cli.exit_codes import EXIT_ENVIRONMENT
from skillbag.doors.cli.streams import columns
from skillbag.report.columns import head_or_more
from skillbag.report.encoding import to_json
from skillbag.report.sanitize import exact, shown, shown_page
from skillbag.report.summary import counted

if TYPE_CHECKING:
    from skillbag.agents.marketplace.index import Offered, SearchResult
    from skillbag.agents.marketplace.registry_search import RegistrySkill
    from skillbag.agents.marketplace.state import MarketplaceState, SourceState
    from skillbag.agents.marketplace.update import Updated
    from skillbag.agents.settings.user_settings import MarketSource

_NARROWEST = 40
_SHOWN = 5
"""Remarks on a source that the text shows; --json has all."""


def search_answer(query: str, found: SearchResult) -> CommandOutput:
    """The skills of a search, the best first; without any, what may have been meant."""
    values = {"query": exact(query), "skills": _skill_values(found.skills), "meant": list(found.meant)}
    remarks = tuple(exact(" ".join(remark.split())) for remark in found.remarks)
    values |= {"remarks": list(remarks)} if remarks else {}
    meant = f" Did you mean {' or '.join(map(shown, found.meant))}?" if found.meant else ""
    nothing = f"No skill of the index has any of these words.{meant}\n"
    return CommandOutput(
        values, (_page(_skills(found.skills)) or nothing) + _page(f"registry: {shown(r)}" for r in remarks)
    )


def published_answer(found: RegistrySkill) -> CommandOutput:
    """A skill of a registry: its versions and its manifest."""
    values = {name: exact(getattr(found, name)) for name in ("name", "version", "manifest")}
    lines = [f"{found.name} {found.version}", f"Versions: {', '.join(found.versions)}", "", shown_page(found.manifest)]
    remarks = [shown(" ".join(remark.split())) for remark in found.remarks]
    skill = {**values, "versions": list(found.versions)}
    more = {"remarks": [exact(remark) for remark in remarks]}
    return CommandOutput({"skill": skill, **more}, _page([*lines, *(f"registry: {remark}" for remark in remarks)]))


def list_answer(skills: Sequence[Offered]) -> CommandOutput:
    """The skills of the index."""
    return CommandOutput({"skills": _skill_values(skills)}, _page(_skills(skills)) or "The sources offer no skill.\n")


def state_answer(state: MarketplaceState) -> CommandOutput:
    """The sources, how each was indexed, and where the index is."""
    from skillbag.agents.marketplace.sources import HOW_TO_ADD

    values = {
        "index": {"path": exact(state.path), "state": state.kind, "bytes": state.bytes},
        "sources": [
            {**_status(source), "updated": source.updated, "resolved": source.resolved} for source in state.sources
        ],
    }
    lines = [*(line for source in state.sources for line in _state(source)), "", f"Index: {shown(state.where)}"]
    nothing = f"The marketplace has no source yet: {HOW_TO_ADD}.\n"
    return CommandOutput(values, _page(lines) if state.sources else nothing)


def source_answer(source: MarketSource, message: str) -> CommandOutput:
    """A source that was added or removed; the `message` says which."""
    return CommandOutput({"source": to_json(source)}, f"{source.name} {message}.\n")


def update_answer(updates: Sequence[Updated]) -> CommandOutput:
    """What became of each source; a failure of one is a failure of the environment."""
    sources = [{**_status(update), "failures": to_json(update.failures)} for update in updates]
    code = EXIT_ENVIRONMENT if any(update.failures for update in updates) else 0
    return CommandOutput({"sources": sources}, _page(line for update in updates for line in _updated(update)), code)


def _page(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _skills(skills: Iterable[Offered]) -> Iterator[str]:
    width = columns(sys.stdout)
    for skill in skills:
        yield shown(skill.ref)
        about = shown(" ".join(skill.description.split()))
        yield f"    {head_or_more(about, max(width, _NARROWEST) - 4) if width else about}"


def _skill_values(skills: Iterable[Offered]) -> list[dict[str, Any]]:
    names = ("name", "description", "ref", "source", "address")
    return [
        {**{name: exact(getattr(skill, name)) for name in names}, "score": float(f"{skill.score:.6g}")}
        for skill in skills
    ]


def _status(status: SourceState | Updated) -> dict[str, Any]:
    return {**to_json(status.source), "skills": status.skills, "remarks": to_json(status.remarks)}


def _state(state: SourceState) -> Iterator[str]:
    source = state.source
    yield f"{source.name}  {shown(source.address)}{f' at {shown(source.version)}' if source.version else ''}"
    if state.skills is None:
        yield f"    never indexed: skillbag marketplace update {source.name}"
    else:
        yield f"    {counted(state.skills, 'skill')}, indexed {state.updated}"
    yield from _remarks(state.remarks)


def _updated(update: Updated) -> Iterator[str]:
    indexed = "index unchanged" if update.skills is None else counted(update.skills, "skill")
    yield f"{update.source.name}: {indexed}"
    for failure in update.failures:
        yield f"    failed: {shown(' '.join(failure.split()))}"
    yield from _remarks(update.remarks)


def _remarks(remarks: tuple[str, ...]) -> Iterator[str]:
    for remark in remarks[:_SHOWN]:
        yield f"    skipped: {shown(' '.join(remark.split()))}"
    if len(remarks) > _SHOWN:
        yield f"    and {len(remarks) - _SHOWN} more; --json has them"
