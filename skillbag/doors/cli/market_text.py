"""The answers of the commands of the marketplace."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from skillbag.doors.cli.answers import CommandOutput
from skillbag.doors.cli.exit_codes import EXIT_ENVIRONMENT
from skillbag.doors.cli.streams import columns
from skillbag.kernel.base.json_records import ABSENT
from skillbag.report.answers.commands import (
    IndexedSourceJson,
    IndexJson,
    MarketplaceJson,
    MarketSourceJson,
    OfferedSkillsJson,
    SourceChangeJson,
    UpdatedSourceJson,
    UpdatedSourcesJson,
)
from skillbag.report.answers.registry import OfferedSkillJson, PublishedJson, PublishedSkillJson, SearchJson
from skillbag.report.columns import head_or_more
from skillbag.report.sanitize import shown, shown_page
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
    remarks = tuple(" ".join(remark.split()) for remark in found.remarks)
    values = SearchJson(query, _skill_values(found.skills), tuple(found.meant), remarks or ABSENT)
    meant = f" Did you mean {' or '.join(map(shown, found.meant))}?" if found.meant else ""
    nothing = f"No skill of the index has any of these words.{meant}\n"
    return CommandOutput(
        values, (_page(_skills(found.skills)) or nothing) + _page(f"registry: {shown(r)}" for r in remarks)
    )


def here_answer(query: str, found: SearchResult) -> CommandOutput:
    """The installed skills of a search as lines of a catalog, the best first."""
    lines = _page(shown(f"{each.name}: {each.description}") for each in found.skills)
    return search_answer(query, found)._replace(text=lines or "No skill here has any of these words.\n")


def published_answer(found: RegistrySkill) -> CommandOutput:
    """A skill of a registry: its versions and its manifest."""
    skill = PublishedSkillJson(found.name, found.version, found.manifest, found.versions)
    remarks = tuple(shown(" ".join(remark.split())) for remark in found.remarks)
    lines = [f"{found.name} {found.version}", f"Versions: {', '.join(found.versions)}", "", shown_page(found.manifest)]
    return CommandOutput(PublishedJson(skill, remarks), _page([*lines, *(f"registry: {each}" for each in remarks)]))


def list_answer(skills: Sequence[Offered]) -> CommandOutput:
    """The skills of the index."""
    return CommandOutput(
        OfferedSkillsJson(_skill_values(skills)), _page(_skills(skills)) or "The sources offer no skill.\n"
    )


def state_answer(state: MarketplaceState) -> CommandOutput:
    """The sources, how each was indexed, and where the index is."""
    from skillbag.agents.marketplace.sources import HOW_TO_ADD

    sources = tuple(
        IndexedSourceJson(*each.source, each.skills, each.remarks, each.updated, each.resolved)
        for each in state.sources
    )
    values = MarketplaceJson(IndexJson(state.path, state.kind, state.bytes), sources)
    lines = [*(line for source in state.sources for line in _state(source)), "", f"Index: {shown(state.where)}"]
    nothing = f"The marketplace has no source yet: {HOW_TO_ADD}.\n"
    return CommandOutput(values, _page(lines) if state.sources else nothing)


def source_answer(source: MarketSource, message: str) -> CommandOutput:
    """A source that was added or removed; the `message` says which."""
    return CommandOutput(SourceChangeJson(MarketSourceJson(*source)), f"{source.name} {message}.\n")


def update_answer(updates: Sequence[Updated]) -> CommandOutput:
    """What became of each source; a failure of one is a failure of the environment."""
    sources = tuple(UpdatedSourceJson(*each.source, each.skills, each.remarks, each.failures) for each in updates)
    code = EXIT_ENVIRONMENT if any(update.failures for update in updates) else 0
    return CommandOutput(
        UpdatedSourcesJson(sources), _page(line for update in updates for line in _updated(update)), code
    )


def _page(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _skills(skills: Iterable[Offered]) -> Iterator[str]:
    width = columns(sys.stdout)
    for skill in skills:
        yield shown(skill.ref)
        about = shown(" ".join(skill.description.split()))
        yield f"    {head_or_more(about, max(width, _NARROWEST) - 4) if width else about}"


def _skill_values(skills: Iterable[Offered]) -> tuple[OfferedSkillJson, ...]:
    return tuple(
        OfferedSkillJson(each.name, each.description, each.ref, each.source, each.address, float(f"{each.score:.6g}"))
        for each in skills
    )


def _state(state: SourceState) -> Iterator[str]:
    source = state.source
    yield f"{source.name}  {shown(source.address)}{f' at {shown(source.version)}' if source.version else ''}"
    if state.skills is None:
        yield f"    never indexed: skillbag team marketplace update {source.name}"
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
