"""Unpacking a zip: all of it is judged before anything is written; then only what is installed is unpacked."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import BinaryIO, NamedTuple
from zipfile import BadZipFile, ZipFile

from skillbag.sources.agent_skills_layout import (
    NO_SKILLS,
    TAKES_PLAIN,
    PlainParts,
    is_skill_file,
    plain_parts,
    whole_parts,
)
from skillbag.sources.entries import AGENTS, EntryKind, SourceEntry, faults, taken
from skillbag.sources.entry_links import SKILLS
from skillbag.sources.entry_names import quoted, shape_faults
from skillbag.sources.fetched import InvalidSourceError
from skillbag.sources.placeholders import write_stand_ins
from skillbag.sources.refused_skills import RECORD, is_refused, record, refused_skills, without
from skillbag.sources.zip_layout import check_end, layout_faults
from skillbag.sources.zip_members import (
    BadContentError,
    Member,
    content,
    member,
    member_faults,
    read_target,
)

_FLAGS = (
    os.O_WRONLY
    | os.O_CREAT
    | os.O_EXCL
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
_RESOURCE_FORKS = "__MACOSX"
"""The folder that macOS adds beside what it packs."""


class _Part(NamedTuple):
    """A member, and what it is in the source, whose root may be a folder of the archive."""

    member: Member
    entry: SourceEntry


def unpack(path: str, to: str, *, plain: bool = False, whole: bool = False) -> None:
    """Unpack what is installed from the archive at `path` into `to`, a new or empty folder.

    A single top folder, as hosts of code pack it, is looked through. Entries keep one permission: whether they may be
    run. After an error `to` holds nothing that may be used. With `plain` it is the archive of a plain repository, of
    which the folders with a `SKILL.md` are installed; with `whole`, all is unpacked that a check could look at, and
    with a placeholder for every other file.

    Raises:
        InvalidSourceError: the archive, or something in it, is broken or hostile; all faults are named.
        OSError: the archive can't be read, or `to` not written.
    """
    with open(path, "rb") as handle:
        directory_at = check_end(handle)
        with _open(handle) as packed:
            parts, those, refused = _judged(handle, packed, directory_at, plain, whole)
            wanted = [part for part in parts if taken(part.entry.path, those)]
            others = [part.entry.path for part in parts if part.entry.kind is not EntryKind.FOLDER] if whole else []
            _write(packed, wanted, to, set(others) - {part.entry.path for part in wanted})
    if refused:
        with os.fdopen(os.open(os.path.join(to, RECORD), _FLAGS, 0o644), "wb") as file:
            file.write(record(refused))


def _open(handle: BinaryIO) -> ZipFile:
    try:
        return ZipFile(handle)
    except (BadZipFile, NotImplementedError, ValueError, struct.error) as error:
        raise InvalidSourceError(["the list of the archive's entries is damaged"]) from error


def _judged(
    handle: BinaryIO, packed: ZipFile, directory_at: int, plain: bool, whole: bool
) -> tuple[list[_Part], PlainParts | None, Mapping[str, str]]:
    """All that the archive holds, if there is nothing wrong with any of it; of a plain one also what is taken, and the
    skills that are left out.
    """
    members = [member(info) for info in packed.infolist()]
    found = list(layout_faults(handle, packed.infolist(), directory_at))
    found += [fault for item in members for fault in member_faults(item)]
    targets: dict[str, str] = {}
    if not found:
        # What is not where it should be, or not what it seems, is not read.
        targets, found = _targets(packed, members)
    parts = list(_parts(members, targets, _top(members, plain)))
    those = _plain_parts(parts, whole_parts if whole else plain_parts) if plain else None
    refused: Mapping[str, str] = {}
    if those is not None and not whole and not found:
        refused = refused_skills([part.entry for part in parts], those)
        parts = [part for part in parts if not is_refused(part.entry.path, refused)]
        those = without(those, refused)
    found += faults((part.entry for part in parts), those)
    if found := found or list(_missing(parts, those)):
        raise InvalidSourceError(dict.fromkeys(found))
    return parts, those, refused


def _plain_parts(parts: Sequence[_Part], choose: Callable[[list[str], list[str]], PlainParts]) -> PlainParts:
    paths = {kind: [part.entry.path for part in parts if part.entry.kind is kind] for kind in EntryKind}
    return choose(paths[EntryKind.FILE], paths[EntryKind.LINK])


def _targets(packed: ZipFile, members: Iterable[Member]) -> tuple[dict[str, str], list[str]]:
    """The targets of the links by their paths, and what is wrong with those that can't be read."""
    targets, found = {}, []
    for item in members:
        if item.kind is EntryKind.LINK:
            try:
                targets[item.path] = read_target(packed, item)
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
    if len(names) != 1 or not names.isdisjoint((AGENTS, SKILLS)):
        return ""
    (top,) = names
    if plain and (top == "skills" or top.startswith(".")):
        # `skills/`, `.claude/` and the like are the repository's own: no host packs one under such a name.
        return ""
    return "" if any(shape_faults(top)) else top


def _missing(parts: Sequence[_Part], plain: PlainParts | None) -> Iterator[str]:
    if plain is not None:
        if plain.is_empty:
            yield NO_SKILLS
    elif all(part.entry.path.partition("/")[0] not in (AGENTS, SKILLS) for part in parts):
        hint = f"; it holds {TAKES_PLAIN}" if any(is_skill_file(part.entry.path) for part in parts) else ""
        yield f"the archive holds neither `{AGENTS}` nor `{SKILLS}/`, at its root or in a single folder{hint}"


def _write(packed: ZipFile, parts: Iterable[_Part], to: str, others: Iterable[str]) -> None:
    """Write files and links, in that order, so that nothing is ever written through a link; and the folders above them.

    An empty folder is part of no skill. `others` are the paths of placeholders.
    """
    os.makedirs(to, exist_ok=True)
    made: set[str] = {""}
    found: list[str] = []
    files = [part for part in parts if part.entry.kind is EntryKind.FILE]
    links = [part for part in parts if part.entry.kind is EntryKind.LINK]
    for part in (*files, *links):
        _make_folders(to, part.entry.path.rpartition("/")[0], made)
    for item, entry in files:
        try:
            _write_file(packed, item, os.path.join(to, *entry.path.split("/")))
        except BadContentError as error:
            found.append(f"{quoted(entry.path)}: {error}")
    if found:
        raise InvalidSourceError(found)
    write_stand_ins(to, others)
    for _, entry in links:
        os.symlink(entry.target, os.path.join(to, *entry.path.split("/")))


def _make_folders(to: str, path: str, made: set[str]) -> None:
    """Make the folder `path` and those above it, each by ourselves: one that is there already is not ours."""
    if path not in made:
        _make_folders(to, path.rpartition("/")[0], made)
        os.mkdir(os.path.join(to, *path.split("/")))
        made.add(path)


def _write_file(packed: ZipFile, item: Member, path: str) -> None:
    with os.fdopen(os.open(path, _FLAGS, 0o755 if item.executable else 0o644), "wb") as file:
        for piece in content(packed, item.info):
            file.write(piece)
