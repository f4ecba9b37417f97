"""A skill as an archive: the same bytes for the same files, wherever and whenever it is packed."""

from __future__ import annotations

import gzip
import os
import stat
import tarfile
from collections.abc import Iterable, Iterator, Sequence
from hashlib import file_digest
from typing import BinaryIO

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.fs.read import FLAGS, NO_FOLLOW
from skillbag.kernel.workspace.git import ignored
from skillbag.kernel.workspace.tree import FILE, FOLDER, LINK, TreeEntry, left_out, list_tree
from skillbag.supply.sources.entry import collisions, portable_faults, quoted, shape_faults
from skillbag.supply.sources.limits import MAX_REGISTRY_ARCHIVE as MAX_ARCHIVE
from skillbag.supply.sources.limits import MAX_REGISTRY_ENTRIES as MAX_ENTRIES
from skillbag.supply.sources.limits import MAX_REGISTRY_FILE as MAX_FILE
from skillbag.supply.sources.limits import MAX_REGISTRY_TOTAL as MAX_TOTAL


def packed_files(folder: str) -> tuple[TreeEntry, ...]:
    """The files of the skill in the absolute `folder` that are published, by path.

    What is never installed (`tree.left_out`) and what git ignores is left out.

    Raises:
        UserError: a link, a device, a name that is not portable, or too many files.
        OSError: a folder can't be opened.
    """
    listing = list_tree(folder, MAX_ENTRIES)
    for closed in listing.closed:
        raise PermissionError(13, "the folder cannot be opened", closed)
    found = [entry for entry in listing.entries if entry.kind is not FOLDER and not left_out(entry.relative)]
    if len(listing.entries) > MAX_ENTRIES:
        raise UserError(f"{folder}: the skill has more than {MAX_ENTRIES:,} files and folders, the most that is taken")
    hidden = ignored(entry.path for entry in found)
    kept = tuple(sorted(entry for entry in found if entry.path not in hidden))
    if faults := list(_faults(kept)):
        raise UserError(f"{folder} can't be published: {'; '.join(faults)}")
    return kept


def _faults(entries: Sequence[TreeEntry]) -> Iterator[str]:
    for entry in entries:
        if entry.kind is LINK:
            yield f"{quoted(entry.relative)} is a link; put a copy there"
        elif entry.kind is not FILE:
            yield f"{quoted(entry.relative)} is neither a file nor a folder"
        for reason in (*shape_faults(entry.relative), *portable_faults(entry.relative)):
            yield f"{quoted(entry.relative)}: {reason}"
    for path, reason in collisions(entry.relative for entry in entries):
        yield f"{quoted(path)}: {reason}"


def pack(entries: Iterable[TreeEntry], file: BinaryIO) -> str:
    """Write the files as tar.gz to `file`, which can be read as well; the SHA-256, in hexadecimal, of the archive
    before its compression, which another release of zlib may do differently.

    Names are sorted; times and owners are zero; modes are 0644, or 0755 for what its owner may execute.

    Raises:
        UserError: a file or all of them are larger than a client takes. OSError: one can't be read.
    """
    total = 0
    with (
        gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=file, mtime=0) as zipped,
        tarfile.open(mode="w", fileobj=zipped, format=tarfile.PAX_FORMAT) as archive,
    ):
        for entry in entries:
            total += _add(archive, entry)
            if total > MAX_TOTAL:
                raise UserError(f"the skill is larger than {MAX_TOTAL >> 20} MiB, the most that is taken")
    if file.tell() > MAX_ARCHIVE:
        raise UserError(f"the archive has {file.tell():,} bytes; at most {MAX_ARCHIVE >> 20} MiB are taken")
    file.seek(0)
    with gzip.GzipFile(mode="rb", fileobj=file) as unzipped:
        return file_digest(unzipped, "sha256").hexdigest()


def _add(archive: tarfile.TarFile, entry: TreeEntry) -> int:
    """Add a file; its size in bytes."""
    with open(os.open(entry.path, FLAGS | NO_FOLLOW), "rb") as content:
        status = os.fstat(content.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise UserError(f"{entry.path}: it is no regular file any more; run the command again")
        if status.st_size > MAX_FILE:
            message = f"a file of {status.st_size:,} bytes; at most {MAX_FILE >> 20} MiB are taken"
            raise UserError(f"{entry.path}: {message}")
        member = tarfile.TarInfo(entry.relative)
        member.size = status.st_size
        member.mode = 0o755 if status.st_mode & 0o100 else 0o644
        archive.addfile(member, content)
    return status.st_size
