"""Unpacking a zip: its layout, names and kinds are checked before anything is written, a file's size and checksum
while it is. Only what is installed is unpacked.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import BinaryIO, NamedTuple
from zipfile import BadZipFile, ZipFile

from skillbag.sources.agent_skills_layout import NO_SKILLS, TAKES_PLAIN, PlainParts, is_skill_file, plain_parts
from skillbag.sources.entries import faults, is_taken
from skillbag.sources.entry import EntryKind, SourceEntry
from skillbag.sources.entry_names import quoted, shape_faults
from skillbag.sources.fetched import InvalidSourceError
from skillbag.sources.refused_skills import RECORD, is_refused, record, refused_skills, without
from skillbag.sources.tree_writer import TreeWriter
from skillbag.sources.zip_layout import check_end, layout_faults
from skillbag.sources.zip_members import BadContentError, Member, content, member, member_faults, read_target
from skillbag.workspace.target import AGENTS, SKILL_ROOT

_RESOURCE_FORKS = "__MACOSX"
"""The folder that macOS adds beside what it packs."""


class _Part(NamedTuple):
    """A member, and what it is in the source, whose root may be a folder of the archive."""

    member: Member
    entry: SourceEntry


def unpack(path: str, to: str, *, plain: bool = False, whole: bool = False) -> str:
    """Unpack what is installed from the archive at `path` into the new or empty folder `to`; return its tree hash.

    A single top folder, as hosts of code pack it, is looked through. Of the permissions only the owner's right to run a
    file is kept. After an error `to` holds nothing that may be used. With `plain` it is the archive of a plain
    repository, of which the folders with a `SKILL.md` are installed; with `whole`, all that a check could look at is
    unpacked, and a placeholder for every other file.

    Raises:
        InvalidSourceError: the archive, or something in it, is broken or hostile; all faults are named.
    """
    with open(path, "rb") as handle:
        directory_at = check_end(handle)
        try:
            archive = ZipFile(handle)
        except (BadZipFile, NotImplementedError, ValueError, struct.error) as error:
            raise InvalidSourceError(["the list of the archive's entries is damaged"]) from error
        with archive:
            parts, selected, refused = _checked(handle, archive, directory_at, plain, whole)
            taken = [part for part in parts if is_taken(part.entry.path, selected)]
            others = [part.entry.path for part in parts if part.entry.kind is not EntryKind.FOLDER] if whole else []
            tree = TreeWriter(to)
            _write(archive, taken, tree, set(others) - {part.entry.path for part in taken})
    if refused:
        tree.write_file(RECORD, [record(refused)])
    return tree.tree_hash()


def _checked(
    handle: BinaryIO, archive: ZipFile, directory_at: int, plain: bool, whole: bool
) -> tuple[list[_Part], PlainParts | None, Mapping[str, str]]:
    """The content of an archive without faults; of a plain one also the selected parts, and the refused skills."""
    members = [member(info) for info in archive.infolist()]
    found = list(layout_faults(handle, archive.infolist(), directory_at))
    found += [fault for item in members for fault in member_faults(item)]
    targets: dict[str, str] = {}
    if not found:
        # Nothing is read from an entry that is misplaced, or not what it seems.
        targets, found = _targets(archive, members)
    parts = list(_parts(members, targets, _top(members, plain)))
    selected = plain_parts(((part.entry.path, part.entry.kind) for part in parts), whole=whole) if plain else None
    refused: Mapping[str, str] = {}
    if selected is not None and not found:
        refused = refused_skills([part.entry for part in parts], selected)
        parts = [part for part in parts if not is_refused(part.entry.path, refused)]
        selected = without(selected, refused)
    found += faults((part.entry for part in parts), selected)
    if found := found or list(_missing(parts, selected)):
        raise InvalidSourceError(dict.fromkeys(found))
    return parts, selected, refused


def _targets(archive: ZipFile, members: Iterable[Member]) -> tuple[dict[str, str], list[str]]:
    """The targets of the links by their paths, and what is wrong with those that can't be read."""
    targets, found = {}, []
    for item in members:
        if item.kind is EntryKind.LINK:
            try:
                targets[item.path] = read_target(archive, item)
            except BadContentError as error:
                found.append(f"{quoted(item.path)}: {error}")
    return targets, found


def _parts(members: Sequence[Member], targets: Mapping[str, str], top: str) -> Iterator[_Part]:
    """The members under their names in the source, which is the folder `top` of the archive.

    A link without a known target is taken to lead to its own folder.
    """
    for item in members:
        if item.path != top or item.kind is not EntryKind.FOLDER:
            path = item.path.removeprefix(f"{top}/") if top else item.path
            size = item.info.file_size
            yield _Part(item, SourceEntry(path, item.kind, size, item.executable, targets.get(item.path, ".")))


def _top(members: Iterable[Member], plain: bool) -> str:
    """The single folder that holds everything, if that is not the source itself; else an empty string."""
    names = {item.path.partition("/")[0] for item in members} - {_RESOURCE_FORKS}
    if len(names) != 1 or not names.isdisjoint((AGENTS, SKILL_ROOT)):
        return ""
    (top,) = names
    if plain and (top == "skills" or top.startswith(".")):
        # `skills/`, `.claude/` and the like are the repository's own: no host packs one under such a name.
        return ""
    return "" if any(shape_faults(top)) else top


def _missing(parts: Sequence[_Part], selected: PlainParts | None) -> Iterator[str]:
    if selected is not None:
        if selected.is_empty:
            yield NO_SKILLS
    elif all(part.entry.path.partition("/")[0] not in (AGENTS, SKILL_ROOT) for part in parts):
        hint = f"; it holds {TAKES_PLAIN}" if any(is_skill_file(part.entry.path) for part in parts) else ""
        yield f"the archive holds neither `{AGENTS}` nor `{SKILL_ROOT}/`, at its root or in a single folder{hint}"


def _write(archive: ZipFile, parts: Sequence[_Part], tree: TreeWriter, others: Iterable[str]) -> None:
    """Write files, the placeholders of `others`, and links. An empty folder is part of no skill."""
    links = [part.entry for part in parts if part.entry.kind is EntryKind.LINK]
    for link in links:
        tree.make_folder(link.path.rpartition("/")[0])
    found: list[str] = []
    for item, entry in parts:
        if entry.kind is EntryKind.FILE:
            try:
                tree.write_file(entry.path, content(archive, item.info), executable=item.executable)
            except BadContentError as error:
                found.append(f"{quoted(entry.path)}: {error}")
    if found:
        raise InvalidSourceError(found)
    tree.write_placeholders(others)
    for link in links:
        tree.write_link(link.path, link.target)
