"""The file in which the units of one request outlive the run: columns with a checksum each, replaced as a whole.

A file that is replaced atomically has no lock to wait for, and whoever reads it sees the old one or the new one. One
that is damaged in any way, or that somebody else could have written, is as good as none.
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
from skillbag.cache.table import Units
from skillbag.fs.atomic import write_atomic
from skillbag.fs.tracked import WIDTH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeVar

    Text = TypeVar("Text", str, bytes)

_MAGIC = b"skillbag checks 3\n"
_LIMIT = 1 << 29
_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_NEXT = SEPARATOR * 2
"""Between the questions of two units."""
_FIGURES = 11
"""Places that a number takes in the last line: thirty-two bits have ten."""
_LINES = ("digests", "verdicts", "cards")
"""Columns of a line for each unit."""
_BATCH = 5000
"""Units of which a column is written at once."""
_HOUR = 3600
_PRIVATE = 0o600


class Snapshot(NamedTuple):
    """What a file holds: `facts` (plain JSON values) and units in order."""

    facts: dict[str, Any]
    units: Units


def write_snapshot(path: str, facts: Mapping[str, Any], units: Units) -> None:
    """Write them to `path`, for the user alone.

    What is too large to be read again is not written.

    Raises:
        OSError: what the system says, or that it is too large; the old file is untouched.
    """
    folder = os.path.dirname(path)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    _make_room(path)
    data = _pieces(os.path.basename(path), facts, units)
    write_atomic(path, data, root=folder, mode=_PRIVATE, durable=False)


def _pieces(name: str, facts: Mapping[str, Any], units: Units) -> Iterator[bytes]:
    """What is written, little by little: all of it at once would take as much memory again."""
    yield _MAGIC
    index, total = [], 0
    for column, pieces in _columns(units):
        length = check = 0
        for piece in pieces:
            length, check = length + len(piece), zlib.crc32(piece, check)
            yield piece
        index.append((column, length, check))
        total += length
        if total > _LIMIT:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    told = {"name": name, "facts": facts, "columns": index}
    tail = json.dumps(told, separators=(",", ":")).encode()
    yield tail
    yield b"%*d%*d\n" % (_FIGURES, len(tail), _FIGURES, zlib.crc32(tail))


def _columns(units: Units) -> Iterator[tuple[str, Iterable[bytes]]]:
    texts = _joined(_NEXT, units.questions)
    yield "questions", (text.encode("utf-8", "surrogatepass") for text in texts)
    yield "stamps", [units.stamps]
    yield "files", [array("I", units.files).tobytes()]
    for name in _LINES:
        yield name, _joined(b"\n", getattr(units, name))


def _joined(separator: Text, values: Sequence[Text]) -> Iterator[Text]:
    for at in range(0, len(values), _BATCH):
        if at:
            yield separator
        yield separator.join(values[at : at + _BATCH])


def _make_room(path: str) -> None:
    """Take away what is no private file of ours: the new one would take over its mode, or be written where it leads."""
    with contextlib.suppress(OSError):
        status = os.lstat(path)
        if not _is_own(status) or (os.name != "nt" and stat.S_IMODE(status.st_mode) != _PRIVATE):
            os.unlink(path)


def read_snapshot(path: str) -> Snapshot | None:
    """What `write_snapshot` wrote to `path`; None where it can't be had whole, or might not be ours."""
    try:
        data = _own_bytes(path)
        return _parsed(data, os.path.basename(path)) if data is not None else None
    except (OSError, ValueError, LookupError, TypeError, AttributeError, OverflowError, MemoryError, RecursionError):
        return None


def _own_bytes(path: str) -> bytes | None:
    descriptor = os.open(path, _FLAGS)
    with open(descriptor, "rb", buffering=0) as file:
        status = os.fstat(descriptor)
        if not _is_own(status) or status.st_size > _LIMIT or os.read(descriptor, len(_MAGIC)) != _MAGIC:
            return None
        if status.st_mtime < time.time() - _HOUR:
            # What was not used for longest goes first.
            with contextlib.suppress(OSError):
                os.utime(path)
        return file.read()


def _is_own(status: os.stat_result) -> bool:
    """Whether a file is ours, and nobody else may have written it."""
    if not stat.S_ISREG(status.st_mode):
        return False
    return os.name == "nt" or (status.st_uid == os.geteuid() and not status.st_mode & 0o022)


def _parsed(data: bytes, name: str) -> Snapshot | None:
    """What stands behind the first line: the columns, then what they are, then how long that is, and its checksum."""
    view = memoryview(data)
    end = len(data) - len(b"%*d%*d\n" % (_FIGURES, 0, _FIGURES, 0))
    size, check = int(view[end : end + _FIGURES]), int(view[end + _FIGURES :])
    tail = view[end - size : end]
    if not 0 < size <= end or zlib.crc32(tail) != check:
        return None
    told = json.loads(bytes(tail))
    columns, at = {}, 0
    for column, length, expected in told["columns"]:
        part = view[at : at + length]
        if len(part) != length or zlib.crc32(part) != expected:
            return None
        columns[column], at = part, at + length
    # Somebody may have given one file of ours the name of another.
    if at != end - size or told["name"] != name:
        return None
    units = _units(columns)
    return Snapshot(told["facts"], units) if units else None


def _units(columns: Mapping[str, memoryview]) -> Units | None:
    """The units of these columns, if the columns fit together."""
    questions = str(columns["questions"], "utf-8", "surrogatepass").split(_NEXT)
    digests, verdicts, cards = (bytes(columns[name]).split(b"\n") for name in _LINES)
    files_read = array("I", bytes(columns["files"]))
    units = Units(questions, bytes(columns["stamps"]), digests, files_read, verdicts, cards)
    lengths = {len(column) for column in (units.digests, units.files, units.verdicts, units.cards)}
    is_whole = lengths == {len(units)} and len(units.stamps) == units.ends[-1] * WIDTH * 8
    return units if is_whole else None
