"""Unpacking the archive of a source, whatever its format: it is judged as a whole before anything is written, a file's
content while it is. Only what is installed is unpacked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import BinaryIO, Protocol

from skillbag.supply.sources.archive_layout import judge
from skillbag.supply.sources.entry import PackedEntry, SourceEntry
from skillbag.supply.sources.tar_entries import TarReader
from skillbag.supply.sources.tree_writer import write_tree
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
