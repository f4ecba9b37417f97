"""What of an archive is taken, judged from the list of its entries alone, whatever the format of the archive."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from skillbag.kernel.workspace.target import AGENTS, SKILL_ROOT
from skillbag.supply.sources.agent_skills_layout import NO_SKILLS, TAKES_PLAIN, PlainParts, is_skill_file, plain_parts
from skillbag.supply.sources.entries import faults, is_taken
from skillbag.supply.sources.entry import EntryKind, SourceEntry, shape_faults
from skillbag.supply.sources.fetched import InvalidSourceError
from skillbag.supply.sources.refused_skills import is_refused, refused_skills, without

_RESOURCE_FORKS = "__MACOSX"
"""The folder that macOS adds beside what it packs."""

_FORK = "._"
"""The beginning of the names of files that macOS adds to tar archives."""


class Judged(NamedTuple):
    """A sound archive or commit. `taken` are its entries to be unpacked, by their path in it. Their own path is that in
    the source, whose root may be a folder of an archive. `others` are the paths in the source of files and links that
    are only marked by placeholders. `refused` are skills that can't be installed, each with a sentence.
    """

    taken: Mapping[str, SourceEntry]
    others: Sequence[str]
    refused: Mapping[str, str]


def judge(entries: Sequence[SourceEntry], found: Sequence[str], *, plain: bool, whole: bool) -> Judged:
    """Judge the entries of an archive, whose paths are those in the archive; `found` are faults that are known already.

    `plain` and `whole` are as for `archive.unpack`.

    Raises:
        InvalidSourceError: all faults are named.
    """
    top = _top(entries, plain)
    parts = [*_parts(entries, top)]
    selected = plain_parts(((part.path, part.kind) for _, part in parts), whole=whole) if plain else None
    refused: Mapping[str, str] = {}
    if selected is not None and not found:
        refused = refused_skills([part for _, part in parts], selected)
        parts = [(path, part) for path, part in parts if not is_refused(part.path, refused)]
        selected = without(selected, refused)
    wrong = [*found, *faults((part for _, part in parts), selected)]
    if wrong := wrong or list(_missing([part for _, part in parts], selected)):
        raise InvalidSourceError(dict.fromkeys(wrong))
    taken = {path: part for path, part in parts if is_taken(part.path, selected)}
    beside = [part.path for path, part in parts if path not in taken and part.kind is not EntryKind.FOLDER]
    return Judged(taken, beside if whole else [], refused)


def _parts(entries: Iterable[SourceEntry], top: str) -> Iterator[tuple[str, SourceEntry]]:
    """The entries by their path, under their names in the source, which is the folder `top` of the archive."""
    for entry in entries:
        if entry.path != top or entry.kind is not EntryKind.FOLDER:
            yield entry.path, entry._replace(path=entry.path.removeprefix(f"{top}/") if top else entry.path)


def _top(entries: Iterable[SourceEntry], plain: bool) -> str:
    """The single folder that holds everything, if that is not the source itself; else an empty string."""
    names = {entry.path.partition("/")[0] for entry in entries} - {_RESOURCE_FORKS}
    names = {name for name in names if not (name.startswith(_FORK) and name.removeprefix(_FORK) in names)}
    if len(names) != 1 or not names.isdisjoint((AGENTS, SKILL_ROOT)):
        return ""
    (top,) = names
    if plain and (top == "skills" or top.startswith(".")):
        # `skills/`, `.claude/` and the like are the repository's own: no host packs one under such a name.
        return ""
    return "" if any(shape_faults(top)) else top


def _missing(parts: Sequence[SourceEntry], selected: PlainParts | None) -> Iterator[str]:
    if selected is not None:
        if selected.is_empty:
            yield NO_SKILLS
    elif all(part.path.partition("/")[0] not in (AGENTS, SKILL_ROOT) for part in parts):
        hint = f"; it holds {TAKES_PLAIN}" if any(is_skill_file(part.path) for part in parts) else ""
        yield f"the archive holds neither `{AGENTS}` nor `{SKILL_ROOT}/`, at its root or in a single folder{hint}"
