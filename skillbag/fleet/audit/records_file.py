"""Files of records: JSON Lines, each line appended with one write and synced, read one at a time.

A folder may hold several files of records, one for each shard. A source may have several records, further down or in
another file: the latest one counts.
"""

from __future__ import annotations

import contextlib
import glob
import json
import os
import re
import sys
from collections.abc import Iterator
from datetime import datetime
from typing import IO, NamedTuple

from skillbag.fleet.audit.sources import Shard
from skillbag.fleet.audit.values import SourceRecord, read_record
from skillbag.kernel.base.errors import UserError
from skillbag.kernel.fs.changes import open_appending
from skillbag.kernel.fs.locking import acquire

_HEAD = re.compile(
    rb'\{"key": "([0-9a-f]{64})", "status": "(ok|failed|nothing)", "run": "([0-9a-f]*)", "at": "([0-9TZ:.+-]{19,40})"'
)
"""How the line of a record begins: all that is read of one that is skipped."""

_BEGIN = b'{"key": "'
_BACK = 1 << 16


class Head(NamedTuple):
    """The first values of a record. `key` is 60 bits of the whole one, since there may be millions."""

    key: int
    status: str
    run: str
    at: int


class BadRecordsError(UserError):
    """Records that can't be used; the message says where."""


def short(key: str) -> int:
    """The key of a task as `Head` has it."""
    return int(key[:15], 16)


def file_name(shard: Shard | None) -> str:
    """The name of the file that an audit writes to."""
    return f"records-{shard.number}-of-{shard.total}.jsonl" if shard else "records.jsonl"


class Ledger:
    """A file of records that is being written; made by `open_ledger`.

    `done` has the status of each source of this `run`.
    """

    def __init__(self, file: IO[bytes], path: str, run: str) -> None:
        self._file, self._run = file, run
        self.done: dict[int, str] = {}
        for head, _ in _heads(path):
            self._note(head)

    def append(self, line: str) -> None:
        """Add a record; when this returns, it is on the disk, and `done` knows it."""
        whole = line.encode("utf-8") + b"\n"
        # One write: a reader sees the complete line, or one without its line end.
        self._file.write(whole)
        self._file.flush()
        os.fsync(self._file.fileno())
        if head := _head(whole):
            self._note(head)

    def _note(self, head: Head) -> None:
        if head.run == self._run:
            self.done[head.key] = head.status


@contextlib.contextmanager
def open_ledger(folder: str, name: str, run: str) -> Iterator[Ledger]:
    """The file of records `name`, for one process at a time; an incomplete last line of a killed one is cut off.

    Raises:
        BadRecordsError: another process is writing to it, or it is not a file of records; it is left unchanged.
        OSError: it can't be written.
    """
    path = os.path.join(folder, name)
    os.makedirs(folder, exist_ok=True)
    try:
        lock = acquire(os.path.join(folder, f".{name}.lock"))
    except TimeoutError:
        raise BadRecordsError(
            f"{path}: another audit is writing to it; let it end, or name another folder with --out"
        ) from None
    with lock, open_appending(os.path.realpath(path)) as file:
        _cut_torn_line(file, path)
        yield Ledger(file, path, run)


def _cut_torn_line(file: IO[bytes], path: str) -> None:
    """Cut off a last line that was not completely written."""
    end = file.seek(0, os.SEEK_END)
    start = _line_start(file, end)
    file.seek(start)
    last = file.read()
    if end and not _is_ours(file, start, last):
        raise BadRecordsError(
            f"{path}: it holds no records of this version of the audit, so nothing is written to it;"
            " name another folder with --out, or move this file away"
        )
    if _is_torn(last):
        file.truncate(start)


def _is_ours(file: IO[bytes], start: int, last: bytes) -> bool:
    """Whether a file, with its `last` line from `start` on, holds a record, or the beginning of one."""
    file.seek(0)
    while file.tell() < start:
        if _read(file.readline()) is not None:
            return True
    if last.endswith(b"\n"):
        return _read(last) is not None
    # After a power failure a line may have its length but not its bytes.
    return start == 0 and (last.startswith(_BEGIN[: len(last)]) or not last.strip(b"\0"))


def _is_torn(line: bytes) -> bool:
    """Whether a line is incomplete: without its end, or with bytes that were never written."""
    if not line.endswith(b"\n"):
        return True
    try:
        json.loads(line)
    except ValueError:
        return True
    except RecursionError:
        pass  # Too deep to be one of our records, but it may be complete.
    return False


def _line_start(file: IO[bytes], end: int) -> int:
    """The offset of the last line before `end`; its own line end does not count."""
    at = end - 1
    while at > 0:
        start = max(0, at - _BACK)
        file.seek(start)
        found = file.read(at - start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        at = start
    return 0


def _read(line: bytes) -> SourceRecord | None:
    """The record of a line; None if the line is not a record."""
    try:
        return read_record(json.loads(line))
    except (ValueError, RecursionError):
        return None


def _heads(path: str) -> Iterator[tuple[Head, int]]:
    """The head of each complete record of a file, and its offset."""
    at = 0
    with contextlib.suppress(FileNotFoundError), open(path, "rb") as file:
        for line in file:
            if head := _head(line):
                yield head, at
            at += len(line)


def _head(line: bytes) -> Head | None:
    """The head of a complete line."""
    match = _HEAD.match(line)
    if match is None or not line.endswith(b"}\n"):
        return None
    key, status, run, at = (value.decode() for value in match.groups())
    try:
        micros = max(0, int(datetime.fromisoformat(at).timestamp() * 1e6))
    except (ValueError, OverflowError):
        micros = 0
    # Interned, since millions of heads have one of three statuses.
    return Head(short(key), sys.intern(status), run, micros)


class Records:
    """All records of a folder, the latest one of each source; memory grows with the number of sources only.

    `passed_over` counts the lines that are not records of this version.
    """

    def __init__(self, folder: str) -> None:
        self.paths = sorted(glob.glob(os.path.join(glob.escape(folder), "records*.jsonl")))
        self.passed_over = 0
        last: dict[int, int] = {}
        for number, path in enumerate(self.paths):
            for head, at in _heads(path):
                last[head.key] = max(last.get(head.key, 0), head.at << 64 | number << 48 | at)
        self._last = {key: value & ((1 << 64) - 1) for key, value in last.items()}

    def __len__(self) -> int:
        return len(self._last)

    def __iter__(self) -> Iterator[SourceRecord]:
        self.passed_over = 0
        for number, path in enumerate(self.paths):
            at = 0
            with open(path, "rb") as file:
                for line in file:
                    record = self._counting(line, number, at)
                    at += len(line)
                    if record is not None:
                        yield record

    def _counting(self, line: bytes, number: int, at: int) -> SourceRecord | None:
        match = _HEAD.match(line)
        if match and self._last.get(short(match[1].decode())) != number << 48 | at:
            # A line that is still being written is not a record yet.
            self.passed_over += not line.endswith(b"}\n")
            return None
        record = _read(line) if match else None
        self.passed_over += record is None
        return record
