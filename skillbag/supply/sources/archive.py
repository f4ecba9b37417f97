"""Unpacking a zip: its layout, names and kinds are checked before anything is written, a file's size and checksum
while it is. Only what is installed is unpacked.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from typing import BinaryIO
from zipfile import BadZipFile, ZipFile

from skillbag.supply.sources.archive_layout import Judged, judge
from skillbag.supply.sources.entry import EntryKind, SourceEntry
from skillbag.supply.sources.entry_names import quoted
from skillbag.supply.sources.fetched import InvalidSourceError
from skillbag.supply.sources.refused_skills import RECORD, record
from skillbag.supply.sources.tree_writer import TreeWriter
from skillbag.supply.sources.zip_layout import check_end, layout_faults
from skillbag.supply.sources.zip_members import BadContentError, ZipMember, content, member, member_faults, read_target


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
            members = [member(info) for info in archive.infolist()]
            judged = _judged(handle, archive, directory_at, members, plain=plain, whole=whole)
            tree = TreeWriter(to)
            _write(archive, members, judged, tree)
    if judged.refused:
        tree.write_file(RECORD, [record(judged.refused)])
    return tree.tree_hash()


def _judged(
    handle: BinaryIO, archive: ZipFile, directory_at: int, members: Sequence[ZipMember], *, plain: bool, whole: bool
) -> Judged:
    found = list(layout_faults(handle, archive.infolist(), directory_at))
    found += [fault for item in members for fault in member_faults(item)]
    targets: dict[str, str] = {}
    if not found:
        # Nothing is read from an entry that is misplaced, or not what it seems.
        targets, found = _targets(archive, members)
    # A link without a known target is taken to lead to its own folder.
    entries = [
        SourceEntry(item.path, item.kind, item.info.file_size, item.executable, targets.get(item.path, "."))
        for item in members
    ]
    return judge(entries, found, plain=plain, whole=whole)


def _targets(archive: ZipFile, members: Iterable[ZipMember]) -> tuple[dict[str, str], list[str]]:
    """The targets of the links by their paths, and what is wrong with those that can't be read."""
    targets, found = {}, []
    for item in members:
        if item.kind is EntryKind.LINK:
            try:
                targets[item.path] = read_target(archive, item)
            except BadContentError as error:
                found.append(f"{quoted(item.path)}: {error}")
    return targets, found


def _write(archive: ZipFile, members: Iterable[ZipMember], judged: Judged, tree: TreeWriter) -> None:
    """Write files, placeholders, and links. An empty folder is part of no skill."""
    links = [entry for entry in judged.taken.values() if entry.kind is EntryKind.LINK]
    for link in links:
        tree.make_folder(link.path.rpartition("/")[0])
    found: list[str] = []
    for item in members:
        entry = judged.taken.get(item.path)
        if entry is not None and entry.kind is EntryKind.FILE:
            try:
                tree.write_file(entry.path, content(archive, item.info), executable=item.executable)
            except BadContentError as error:
                found.append(f"{quoted(entry.path)}: {error}")
    if found:
        raise InvalidSourceError(found)
    tree.write_placeholders(judged.others)
    for link in links:
        tree.write_link(link.path, link.target)
