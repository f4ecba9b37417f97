"""The file in which the units of one request outlive the run: columns with a checksum each, replaced as a whole.

A file that is replaced atomically has no lock to wait for, and whoever reads it sees the old one or the new one. One
that is damaged in any way, or that somebody else could have written, is as good as none.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
import time
import zlib
from array import array
from collections.abc import Sequence
from itertools import accumulate, pairwise

from skillbag import files
from skillbag.asked import WIDTH
from skillbag.named import NamedTuple
from skillbag.units import Unit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_MAGIC = b"skillbag checks 2\n"
_LIMIT = 1 << 29
_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_STAMP = WIDTH * 8
_HOUR = 3600
_PRIVATE = 0o600


class Snapshot(NamedTuple):
    """What a file holds: `facts` (plain JSON values) and units in order."""

    facts: dict[str, Any]
    columns: dict[str, bytes]

    @property
    def stamps(self) -> bytes:
        """The stamps of all units, one after the other."""
        return self.columns["stamps"]

    def counts(self) -> array[int]:
        """How many questions each unit has."""
        return array("I", self.columns["counts"])

    def questions(self) -> list[str]:
        """The questions of all units, one after the other."""
        return self.columns["questions"].decode("utf-8", "surrogatepass").split("\0")

    def units(self) -> list[Unit]:
        """All units."""
        questions, stamps = self.questions(), self.stamps
        spans = pairwise(accumulate(self.counts(), initial=0))
        digests = self.columns["digests"].split(b"\n")
        files_ = array("I", self.columns["files"])
        verdicts, cards = self.columns["verdicts"].split(b"\n"), self.columns["cards"].split(b"\n")
        rows = zip(spans, digests, files_, verdicts, cards, strict=True)
        return [
            Unit(
                "\0".join(questions[start:end]),
                stamps[start * _STAMP : end * _STAMP],
                bytes.fromhex(digest.decode()),
                count,
                verdict,
                card,
            )
            for (start, end), digest, count, verdict, card in rows
        ]

    def is_whole(self) -> bool:
        """Whether the columns fit together."""
        counts = self.counts()
        lines = [self.columns[name].count(b"\n") + 1 for name in ("digests", "verdicts", "cards")]
        lines.append(len(self.columns["files"]) // counts.itemsize)
        questions = self.columns["questions"].count(b"\0") + 1
        whole = min(counts, default=0) > 0 and {len(counts)} == set(lines)
        return whole and sum(counts) == questions and len(self.stamps) == questions * _STAMP


def write_snapshot(path: str, facts: dict[str, Any], units: Sequence[Unit]) -> None:
    """Write them to `path`, for the user alone; each unit has a question.

    What is too large to be read again is not written.

    Raises:
        OSError: what the system says; the old file is untouched.
    """
    columns = {
        "counts": array("I", [unit.questions.count("\0") + 1 for unit in units]).tobytes(),
        "questions": "\0".join([unit.questions for unit in units]).encode("utf-8", "surrogatepass"),
        "stamps": b"".join([unit.stamps for unit in units]),
        "digests": b"\n".join([unit.digest.hex().encode() for unit in units]),
        "files": array("I", [unit.files for unit in units]).tobytes(),
        "verdicts": b"\n".join([unit.verdict if unit.digest else b"" for unit in units]),
        "cards": b"\n".join([unit.card if unit.digest else b"" for unit in units]),
    }
    index = [[name, len(data), zlib.crc32(data)] for name, data in columns.items()]
    told = {"name": os.path.basename(path), "facts": facts, "columns": index}
    head = json.dumps(told, separators=(",", ":")).encode()
    data = b"%s%d %d\n%s" % (_MAGIC, len(head), zlib.crc32(head), head) + b"".join(columns.values())
    if len(data) > _LIMIT:
        return
    folder = os.path.dirname(path)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    _make_room(path)
    files.write_atomic(path, data, root=folder, mode=_PRIVATE, durable=False)


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
    """What stands behind the first line."""
    line = data.index(b"\n")
    size, check = map(int, data[:line].split())
    head = data[line + 1 : line + 1 + size]
    if size < 0 or zlib.crc32(head) != check:
        return None
    told = json.loads(head)
    columns, at = {}, line + 1 + size
    view = memoryview(data)
    for column, length, expected in told["columns"]:
        part = bytes(view[at : at + length])
        if len(part) != length or zlib.crc32(part) != expected:
            return None
        columns[column], at = part, at + length
    snapshot = Snapshot(told["facts"], columns)
    # Somebody may have given one file of ours the name of another.
    return snapshot if at == len(data) and told["name"] == name and snapshot.is_whole() else None
