"""Unpacking a tar archive of a source, compressed by gzip or not: it is read twice, and judged as a whole before
anything is written, as a zip is (`archive.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from skillbag.supply.sources import limits
from skillbag.supply.sources.archive_layout import Judged, judge
from skillbag.supply.sources.entry import EntryKind, SourceEntry
from skillbag.supply.sources.fetched import InvalidSourceError
from skillbag.supply.sources.refused_skills import RECORD, record
from skillbag.supply.sources.tar_entries import TarEntry, TarLimits, tar_entries
from skillbag.supply.sources.tar_stream import source_stream
from skillbag.supply.sources.tree_writer import TreeWriter


def unpack(path: str, to: str, *, plain: bool = False, whole: bool = False) -> str:
    """Unpack what is installed from the archive at `path` into the new or empty folder `to`; return its tree hash.

    A single top folder, as hosts of code pack it, is looked through. Of the permissions only the owner's right to run a
    file is kept. `plain` and `whole` are as for a zip.

    Raises:
        InvalidSourceError: the archive, or something in it, is broken or hostile.
    """
    with open(path, "rb") as handle:
        entries = [
            SourceEntry(entry.path, entry.kind, entry.size, entry.executable, entry.target)
            for entry in _entries(handle)
        ]
        judged = judge(entries, [], plain=plain, whole=whole)
        handle.seek(0)
        tree = TreeWriter(to)
        _write(handle, judged, tree)
    if judged.refused:
        tree.write_file(RECORD, [record(judged.refused)])
    return tree.tree_hash()


def _entries(handle: BinaryIO) -> Iterator[TarEntry]:
    stream = source_stream(handle, limits.MAX_UNPACKED)
    for number, entry in enumerate(tar_entries(stream, TarLimits(limits.MAX_ENTRIES, limits.MAX_FILE))):
        if number == limits.MAX_ENTRIES:
            most = limits.MAX_ENTRIES
            raise InvalidSourceError([f"the archive holds more than {most:,} entries; no more are taken"])
        yield entry


def _write(handle: BinaryIO, judged: Judged, tree: TreeWriter) -> None:
    """Write files, placeholders, and links. An empty folder is part of no skill."""
    links = [entry for entry in judged.taken.values() if entry.kind is EntryKind.LINK]
    for link in links:
        tree.make_folder(link.path.rpartition("/")[0])
    for packed in _entries(handle):
        entry = judged.taken.get(packed.path)
        if entry is not None and entry.kind is EntryKind.FILE:
            tree.write_file(entry.path, packed.content, executable=entry.executable)
    tree.write_placeholders(judged.others)
    for link in links:
        tree.write_link(link.path, link.target)
