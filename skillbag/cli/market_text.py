"""What the commands of the marketplace print: texts for people, and the same as values for `--json`."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from skillbag.cli.streams import columns
from skillbag.report.columns import head_or_more
from skillbag.report.sanitize import exact, shown

if TYPE_CHECKING:
    from skillbag.marketplace.index import Offered, Search
    from skillbag.marketplace.state import MarketplaceState, SourceState
    from skillbag.marketplace.update import Updated
    from skillbag.settings.user_settings import MarketSource

_NARROWEST = 40
_SHOWN = 5
"""Remarks on a source that are shown; --json has more."""


def found_text(found: Search) -> str:
    """The skills of a search, the best first, and what else is to be said."""
    if found.skills:
        return _page(_skills(found.skills))
    meant = f" Did you mean {' or '.join(map(shown, found.meant))}?" if found.meant else ""
    return f"No skill of the index has any of these words.{meant}\n"


def found_values(query: str, found: Search) -> dict[str, Any]:
    """A search as JSON."""
    return {
        "query": exact(query),
        "skills": [_skill(one) for one in found.skills],
        "meant": list(found.meant),
    }


def listed_text(skills: Iterable[Offered]) -> str:
    """The skills of the index."""
    lines = list(_skills(skills))
    return _page(lines) if lines else "The sources offer no skill.\n"


def listed_values(skills: Iterable[Offered]) -> dict[str, Any]:
    """The skills of the index as JSON."""
    return {"skills": [_skill(one) for one in skills]}


def state_text(state: MarketplaceState) -> str:
    """The sources, how each was indexed, and where the index is."""
    if not state.sources:
        return f"The marketplace has no source yet: {state.how_to_add}.\n"
    return _page([*(line for one in state.sources for line in _state(one)), "", f"Index: {shown(state.where)}"])


def state_values(state: MarketplaceState) -> dict[str, Any]:
    """The sources and the index as JSON."""
    return {
        "index": {"path": exact(state.path), "state": state.kind, "bytes": state.bytes},
        "sources": [
            {
                **_source(one.source),
                "skills": one.skills,
                "updated": one.updated,
                "resolved": one.resolved,
                "remarks": [exact(remark) for remark in one.remarks],
            }
            for one in state.sources
        ],
    }


def source_values(source: MarketSource) -> dict[str, Any]:
    """A source as JSON."""
    return {"source": _source(source)}


def updated_text(updates: Iterable[Updated]) -> str:
    """What became of each source."""
    return _page(line for one in updates for line in _updated(one))


def updated_values(updates: Iterable[Updated]) -> dict[str, Any]:
    """What became of each source, as JSON."""
    return {
        "sources": [
            {
                **_source(one.source),
                "skills": one.skills,
                "remarks": [exact(remark) for remark in one.remarks],
                "failures": [exact(failure) for failure in one.failures],
            }
            for one in updates
        ]
    }


def _page(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _skills(skills: Iterable[Offered]) -> Iterator[str]:
    room = _room()
    for one in skills:
        yield shown(one.ref)
        about = shown(" ".join(one.description.split()))
        yield f"    {head_or_more(about, room - 4) if room else about}"


def _room() -> int:
    room = columns(sys.stdout)
    return max(room, _NARROWEST) if room else 0


def _state(one: SourceState) -> Iterator[str]:
    version = f" at {shown(one.source.version)}" if one.source.version else ""
    yield f"{one.source.name}  {shown(one.source.address)}{version}"
    if one.skills is None:
        yield f"    never indexed: skillbag marketplace update {one.source.name}"
    else:
        yield f"    {_count(one.skills)}, indexed {one.updated}"
    yield from _remarks(one.remarks)


def _updated(one: Updated) -> Iterator[str]:
    told = "as it was indexed last, if it was" if one.skills is None else _count(one.skills)
    yield f"{one.source.name}: {told}"
    for failure in one.failures:
        yield f"    failed: {shown(' '.join(failure.split()))}"
    yield from _remarks(one.remarks)


def _remarks(remarks: tuple[str, ...]) -> Iterator[str]:
    for remark in remarks[:_SHOWN]:
        yield f"    skipped: {shown(' '.join(remark.split()))}"
    if len(remarks) > _SHOWN:
        yield f"    and {len(remarks) - _SHOWN} more; --json has them"


def _count(skills: int) -> str:
    return f"{skills} skill{'' if skills == 1 else 's'}"


def _skill(one: Offered) -> dict[str, Any]:
    return {
        "name": one.name,
        "description": exact(one.description),
        "ref": one.ref,
        "source": one.source,
        "address": exact(one.address),
        "score": float(f"{one.score:.6g}"),
    }


def _source(source: MarketSource) -> dict[str, Any]:
    return {"name": source.name, "address": exact(source.address), "version": source.version}
