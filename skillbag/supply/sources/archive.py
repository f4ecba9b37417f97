"""Unpacking the archive of a source, whatever its format: it is judged as a whole before anything is written, a file's
content while it is. Only what is installed is unpacked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import BinaryIO, Protocol

from skillbag.kernel.workspace.target import AGENTS, SKILL_ROOT
from skillbag.supply.sources.agent_skills_layout import NO_SKILLS, TAKES_PLAIN, PlainParts, is_skill_file, plain_parts
from skillbag.supply.sources.entries import faults, is_taken
from skillbag.supply.sources.entry import EntryKind, PackedEntry, SourceEntry, shape_faults
from skillbag.supply.sources.fetched import InvalidSourceError
from skillbag.supply.sources.refused_skills import is_refused, refused_skills, without
from skillbag.supply.sources.tar_entries import TarReader
from skillbag.supply.sources.tree_writer import Judged, write_tree
from skillbag.supply.sources.zip_members import ZipReader


class ArchiveReader(Protocol):
    """The content of an archive of one format, made of its open file."""

    def listed(self) -> tuple[list[SourceEntry], list[str]]:
        """All entries, and what is wrong with them as entries of such an archive."""

    def entries(self) -> Iterator[PackedEntry]:
        """All entries with their content."""


_READERS: Mapping[str, Callable[[BinaryIO], ArchiveReader]] = {"zip": ZipReader, "tar": TarReader}
"""The readers of the formats by the names that the lock has for them."""


def unpack(path: str, to: str, form: str = "zip", *, plain: bool = False, whole: bool = False) -> str:
    """Unpack what is installed from the archive at `path` into the new or empty folder `to`; return its tree hash.

    A single top folder, as hosts of code pack it, is looked through. Of the permissions only the owner's right to run a
    file is kept. After an error `to` holds nothing that may be used. With `plain` it is the archive of a plain
    repository, of which the folders with a `SKILL.md` are installed; with `whole`, all that a check could look at is
    unpacked, and a placeholder for every other file.

    Raises:
        InvalidSourceError: the archive, or something in it, is broken or hostile; all faults are named, of a tar the
            first one.
    """
    with open(path, "rb") as handle:
        reader = _READERS[form](handle)
        entries, found = reader.listed()
        return write_tree(to, judge(entries, found, plain=plain, whole=whole), reader.entries())


_RESOURCE_FORKS = "__MACOSX"
"""The folder that macOS adds beside what it packs."""

_FORK = "._"
"""The beginning of the names of files that macOS adds to tar archives."""


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
