"""Fetch and index the marketplace's sources; a failing source does not affect the others."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from typing import NamedTuple

from skillbag.agents.marketplace.index_builder import IndexedSkill, Writer, is_usable, rewriting
from skillbag.agents.marketplace.manifest_sources import (
    Parts,
    SourcePart,
    fetch_spec,
    is_list,
    parts_of_list,
    parts_of_repository,
    skills_within,
)
from skillbag.agents.marketplace.sources import chosen, configured
from skillbag.agents.settings.user_settings import MarketSource
from skillbag.kernel.base.errors import UserError, format_error
from skillbag.kernel.documents.source import Document
from skillbag.kernel.workspace.skill import Skill, read_skill
from skillbag.kernel.workspace.target import BOOTSTRAP_SKILL
from skillbag.supply.sources.fetch import Fetcher
from skillbag.supply.sources.fetch_all import fetch_all
from skillbag.supply.sources.fetched import Answer, Fetched, FetchError, FetchFailure, FetchSpec
from skillbag.supply.sources.skill_layout import offered_skills

_MAX_REMARKS = 50
_CHANGED = "it was removed or changed meanwhile, so nothing of it was indexed"


class Updated(NamedTuple):
    """The result for a source: the number of indexed skills, None if its index is unchanged.

    `remarks` are about skipped skills, `failures` about failed fetches of the source or of repositories that it lists.
    """

    source: MarketSource
    skills: int | None
    remarks: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()


def update_sources(
    names: tuple[str, ...] = (), *, offline: bool = False, progress: Callable[[str], None] | None = None
) -> tuple[Updated, ...]:
    """Fetch these sources, or all, and write the index once; the index of a failing source is unchanged.

    Raises:
        UserError: no source is configured, or none of a name.
        OSError: the index can't be written.
    """
    sources = chosen(names)
    if not is_usable():
        # The index is built again, so it needs all sources.
        sources = chosen(())
    report = progress or (lambda _line: None)
    with closing(Fetcher(offline=offline, progress=report)) as fetcher:
        found = _located(sources, fetcher)
        parts = [part for located in found.values() if isinstance(located, Parts) for part in located.parts]
        answers = fetch_all(fetcher, (part.spec for part in parts))
        with rewriting(lambda: report("waiting for another process that writes the index")) as writer:
            # The user may have removed a source meanwhile.
            now = configured()
            writer.keep_only(now)
            still = {
                source: located if now.get(source.name) == source else _CHANGED for source, located in found.items()
            }
            return tuple(_indexed(source, located, answers, writer, report) for source, located in still.items())


def _located(sources: Iterable[MarketSource], fetcher: Fetcher) -> dict[MarketSource, Parts | str]:
    """The repositories of each source; a message for one that can't be fetched."""
    specs: dict[MarketSource, FetchSpec] = {}
    found: dict[MarketSource, Parts | str] = {}
    for source in sources:
        try:
            if is_list(source):
                found[source] = parts_of_list(source, offline=fetcher.offline)
            else:
                specs[source] = fetch_spec(source.address, source.version)
        except (UserError, OSError) as error:
            found[source] = error.reason if isinstance(error, FetchError) else format_error(error)
    answers = fetch_all(fetcher, specs.values())
    for source, spec in specs.items():
        answer = answers[spec]
        found[source] = parts_of_repository(spec, answer) if isinstance(answer, Fetched) else _failure(answer)
    return {source: found[source] for source in sources}


def _failure(answer: Answer) -> str:
    """Why a source could not be fetched, in one line."""
    return "; ".join(answer.reasons) if isinstance(answer, FetchFailure) else ""


def _indexed(
    source: MarketSource,
    found: Parts | str,
    answers: Mapping[FetchSpec, Answer],
    writer: Writer,
    report: Callable[[str], None],
) -> Updated:
    if isinstance(found, str):
        return Updated(source, None, failures=(found,))
    report(f"indexing {source.name}")
    failures = [
        f"{part.spec.source.declared}: {_failure(answer)}"
        for part in found.parts
        if not isinstance(answer := answers[part.spec], Fetched)
    ]
    fetched = [answer for part in found.parts if isinstance(answer := answers[part.spec], Fetched)]
    remarks = list(found.remarks)
    offers = _offers(found.parts, answers, remarks)
    skills = writer.replace(source, fetched[0].resolved if fetched else None, offers)
    if len(remarks) > _MAX_REMARKS:
        remarks[_MAX_REMARKS:] = [f"and {len(remarks) - _MAX_REMARKS} more"]
    writer.note(source.name, [*remarks, *failures])
    return Updated(source, skills, tuple(remarks), tuple(failures))


def _offers(
    parts: Iterable[SourcePart], answers: Mapping[FetchSpec, Answer], remarks: list[str]
) -> Iterator[IndexedSkill]:
    """The skills to index, each name once; adds a remark on each that is skipped."""
    seen: set[str] = set()
    for part in parts:
        answer = answers[part.spec]
        if not isinstance(answer, Fetched):
            continue
        remarks.extend(_skipped(answer))
        folders, empty = skills_within(answer, offered_skills(answer), part)
        remarks.extend(empty)
        for name, folder in folders.items():
            if name == BOOTSTRAP_SKILL:
                continue
            if name in seen:
                remarks.append(f"{name}: the source offers another skill of this name before")
                continue
            skill = read_skill(folder, os.path.dirname(folder), answer.root)
            if fault := _fault(skill, name):
                remarks.append(f"{os.path.relpath(folder, answer.root)}: {fault}")
                continue
            seen.add(name)
            body = skill.document.text[skill.body_start :] if isinstance(skill.document, Document) else ""
            description = skill.description.value if skill.description else ""
            yield IndexedSkill(name, description, body, answer.source.declared, answer.requested)


def _skipped(fetched: Fetched) -> Iterator[str]:
    """A remark on each skipped folder of a plain repository."""
    if fetched.plain is not None:
        for folder in fetched.plain.nameless:
            yield f"{folder}: it declares no name that a skill can have"
        for path, reason in fetched.plain.refused.items():
            yield f"{path}: it is left out for a link: {reason}"
        for name, folders in fetched.plain.ambiguous.items():
            if name not in fetched.plain.folders:
                yield f"{name}: several folders hold different skills of this name: {', '.join(folders)}"


def _fault(skill: Skill, name: str) -> str | None:
    card = skill.card
    if card.problem is not None:
        return card.problem.detail
    if not card.valid:
        return "it declares no name or no description"
    return None if card.name and card.name.value == name else "its name is not its folder's"
