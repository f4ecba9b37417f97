"""The cache file of one request: columns with a checksum each, replaced atomically and so without a lock.

A damaged file, or one that somebody else could have written, is ignored.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import stat
import time
import zlib
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence

from skillbag.base.records import NamedTuple
from skillbag.cache.entry import SEPARATOR
from skillbag.cache.table import STAMP, EntryTable
from skillbag.fs.atomic import write_atomic
from skillbag.fs.read import FLAGS, NO_FOLLOW

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeVar

    Text = TypeVar("Text", str, bytes)

_MAGIC = b"skillbag checks 3\n"
_LIMIT = 1 << 29
_NEXT = SEPARATOR * 2
"""Between the questions of two entries."""
_FIGURES = 11
"""Width of a number in the last line: thirty-two bits have ten digits."""
_LINES = ("digests", "verdicts", "summaries")
"""Columns with a line for each entry."""
_BATCH = 5000
"""Entries of which a column is written at once."""
_HOUR = 3600
_PRIVATE = 0o600


class Snapshot(NamedTuple):
    """What a file holds: `facts` (plain JSON values) and entries in order."""

    facts: dict[str, Any]
    entries: EntryTable


def write_snapshot(path: str, facts: Mapping[str, Any], entries: EntryTable) -> None:
    """Write them to `path`, readable by the user alone.

    Raises:
        OSError: the system's error, or that it is too large to be read again; the old file is untouched.
    """
    folder = os.path.dirname(path)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    with contextlib.suppress(OSError):
        status = os.lstat(path)
        # The new file would be written through a link, or get the mode of a file that is not private.
        if not _is_own(status) or (os.name != "nt" and stat.S_IMODE(status.st_mode) != _PRIVATE):
            os.unlink(path)
    data = _pieces(os.path.basename(path), facts, entries)
    write_atomic(path, data, root=folder, mode=_PRIVATE, durable=False)


def _pieces(name: str, facts: Mapping[str, Any], entries: EntryTable) -> Iterator[bytes]:
    """The content of the file in pieces: the whole would need the memory twice."""
    yield _MAGIC
    index, total = [], 0
    for column, pieces in _columns(entries):
        length = check = 0
        for piece in pieces:
            length, check = length + len(piece), zlib.crc32(piece, check)
            yield piece
        index.append((column, length, check))
        total += length
        if total > _LIMIT:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    head = {"name": name, "facts": facts, "columns": index}
    tail = json.dumps(head, separators=(",", ":")).encode()
    yield tail
    yield b"%*d%*d\n" % (_FIGURES, len(tail), _FIGURES, zlib.crc32(tail))


def _columns(entries: EntryTable) -> Iterator[tuple[str, Iterable[bytes]]]:
    texts = _joined(_NEXT, entries.questions)
    yield "questions", (text.encode("utf-8", "surrogatepass") for text in texts)
    yield "stamps", [entries.stamps]
    yield "files", [array("I", entries.files).tobytes()]
    for name in _LINES:
        yield name, _joined(b"\n", getattr(entries, name))


def _joined(separator: Text, values: Sequence[Text]) -> Iterator[Text]:
    for at in range(0, len(values), _BATCH):
        if at:
            yield separator
        yield separator.join(values[at : at + _BATCH])


def read_snapshot(path: str) -> Snapshot | None:
    """What `write_snapshot` wrote to `path`; None if it is damaged, or might not be ours."""
    try:
        data = _own_bytes(path)
        return _parsed(data, os.path.basename(path)) if data is not None else None
    except (OSError, ValueError, LookupError, TypeError, AttributeError, OverflowError, MemoryError, RecursionError):
        return None


def _own_bytes(path: str) -> bytes | None:
    descriptor = os.open(path, FLAGS | NO_FOLLOW)
    with open(descriptor, "rb", buffering=0) as file:
        status = os.fstat(descriptor)
        if not _is_own(status) or status.st_size > _LIMIT or os.read(descriptor, len(_MAGIC)) != _MAGIC:
            return None
        if status.st_mtime < time.time() - _HOUR:
            # The least recently used file is evicted first.
            with contextlib.suppress(OSError):
                os.utime(path)
        return file.read()


def _is_own(status: os.stat_result) -> bool:
    """Whether a file is ours, and nobody else could have written it."""
    if not stat.S_ISREG(status.st_mode):
        return False
    return os.name == "nt" or (status.st_uid == os.geteuid() and not status.st_mode & 0o022)


def _parsed(data: bytes, name: str) -> Snapshot | None:
    """The content after the first line: the columns, their description, then the length and checksum of that."""
    view = memoryview(data)
    end = len(data) - len(b"%*d%*d\n" % (_FIGURES, 0, _FIGURES, 0))
    size, check = int(view[end : end + _FIGURES]), int(view[end + _FIGURES :])
    tail = view[end - size : end]
    if not 0 < size <= end or zlib.crc32(tail) != check:
        return None
    head = json.loads(bytes(tail))
    columns, at = {}, 0
    for column, length, expected in head["columns"]:
        part = view[at : at + length]
        if len(part) != length or zlib.crc32(part) != expected:
            return None
        columns[column], at = part, at + length
    # Somebody may have renamed another of our files.
    if at != end - size or head["name"] != name:
        return None
    entries = _entries(columns)
    return Snapshot(head["facts"], entries) if entries else None


def _entries(columns: Mapping[str, memoryview]) -> EntryTable | None:
    """The entries of these columns; None if the columns do not fit together."""
    questions = str(columns["questions"], "utf-8", "surrogatepass").split(_NEXT)
    digests, verdicts, summaries = (bytes(columns[name]).split(b"\n") for name in _LINES)
    files_read = array("I", bytes(columns["files"]))
    entries = EntryTable(questions, bytes(columns["stamps"]), digests, files_read, verdicts, summaries)
    has_equal_columns = {len(column) for column in entries.columns} == {len(entries)}
    return entries if has_equal_columns and len(entries.stamps) == entries.ends[-1] * STAMP else None
