"""One audit from tasks to records: what is done already is passed over, the rest is written down as it comes."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from skillbag.audit.record import FAILED
from skillbag.audit.records_file import Ledger, file_name, short
from skillbag.audit.settings import Settings
from skillbag.audit.sources import Shard, Task

Engine = Callable[[Iterable[Task], Settings], Iterator[str]]
"""Gives the line of each task, as they come."""


class Ran(NamedTuple):
    """How many sources were audited now, how many had been before, and how many of all failed."""

    now: int
    before: int
    failed: int


class Watcher:
    """Told how far an audit is; this one says nothing."""

    def begin(self, total: int, before: int) -> None:
        """So many sources are to be audited, beside those that were before."""

    def done(self, line: str) -> None:
        """A source was audited; `line` is its record."""


def run_audit(
    tasks: Sequence[Task],
    settings: Settings,
    folder: str,
    engine: Engine,
    *,
    shard: Shard | None = None,
    retry_failed: bool = False,
    watcher: Watcher | None = None,
) -> Ran:
    """Audit the tasks that have no record in `folder` yet, of this program and configuration.

    Raises:
        BadRecordsError: another audit is writing there, or the file there is none of records.
        OSError: a record can't be written, or a process not started.
    """
    watcher = watcher or Watcher()
    name = file_name(shard)
    scratch = os.path.join(os.path.abspath(folder), f".fetched-{name.removesuffix('.jsonl')}")
    with Ledger(folder, name, settings.run) as ledger:
        # What a killed run left behind; nobody else is at it, since the ledger is ours.
        shutil.rmtree(scratch, ignore_errors=True)
        left = [task for task in tasks if _is_left(ledger.done.get(short(task.key)), retry_failed)]
        watcher.begin(len(left), len(tasks) - len(left))
        try:
            for line in engine(left, settings._replace(scratch=scratch)):
                ledger.append(line)
                watcher.done(line)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
        failed = sum(ledger.done.get(short(task.key)) == FAILED for task in tasks)
    return Ran(len(left), len(tasks) - len(left), failed)


def _is_left(status: str | None, retry_failed: bool) -> bool:
    return status is None or (retry_failed and status == FAILED)
