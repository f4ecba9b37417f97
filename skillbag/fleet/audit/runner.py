"""One audit from tasks to records, and its engine for one machine: several processes, each with one source at a time.

Sources that have a record are skipped; each record of the others is appended when it is complete.
"""

from __future__ import annotations

import os
import queue
import shutil
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence

from skillbag.fleet.audit.records_file import file_name, open_ledger, short
from skillbag.fleet.audit.settings import AuditSettings
from skillbag.fleet.audit.sources import AuditTask, Shard
from skillbag.fleet.audit.values import FAILED
from skillbag.fleet.audit.worker import Child, within_limits

Engine = Callable[[Iterable[AuditTask], AuditSettings], Iterator[str]]
"""Gives the line of each task, as they come."""


class Watcher:
    """Is called with the progress of an audit; this one prints nothing."""

    def begin(self, total: int, before: int) -> None:
        """The audit of `total` sources starts; `before` others have a record already."""

    def done(self, line: str) -> None:
        """A source was audited; `line` is its record."""


def run_audit(
    tasks: Sequence[AuditTask],
    settings: AuditSettings,
    folder: str,
    engine: Engine,
    *,
    shard: Shard | None = None,
    retry_failed: bool = False,
    watcher: Watcher,
) -> None:
    """Audit the tasks that have no record in `folder` yet, of this program and configuration.

    Raises:
        BadRecordsError: another audit is writing there, or the file there is none of records.
        OSError: a record can't be written, or a process not started.
    """
    name = file_name(shard)
    scratch = os.path.join(os.path.abspath(folder), f".fetched-{name.removesuffix('.jsonl')}")
    with open_ledger(folder, name, settings.run) as ledger:
        # A killed run may have left it; no other audit uses it, since the ledger is locked.
        shutil.rmtree(scratch, ignore_errors=True)
        open_ = (None, FAILED) if retry_failed else (None,)
        left = [task for task in tasks if ledger.done.get(short(task.key)) in open_]
        watcher.begin(len(left), len(tasks) - len(left))
        try:
            for line in engine(left, settings._replace(scratch=scratch)):
                ledger.append(line)
                watcher.done(line)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)


def audit_locally(tasks: Iterable[AuditTask], settings: AuditSettings, jobs: int) -> Iterator[str]:
    """The line of each task, as they come; closing the iterator early ends the processes.

    Raises:
        TooManyJobsError: the system does not start so many threads and processes.
        OSError: a process can't be started.
    """
    waiting = iter(tasks)
    guard = threading.Lock()
    # Bounded, so that sources are audited no faster than records are written.
    done: queue.Queue[str | Exception | None] = queue.Queue(2 * jobs)
    stopped = threading.Event()
    children = [Child() for _ in range(jobs)]

    def next_task() -> AuditTask | None:
        with guard:
            return None if stopped.is_set() else next(waiting, None)

    def put(result: str | Exception | None) -> None:
        while not stopped.is_set():
            try:
                return done.put(result, timeout=0.2)
            except queue.Full:
                continue
        return None

    def work(child: Child) -> None:
        try:
            while task := next_task():
                put(child.audit(task, settings))
            put(None)
        except Exception as error:  # raised in the main thread, which would wait for ever otherwise
            put(error)

    try:
        for child in children:
            with within_limits():
                threading.Thread(target=work, args=(child,), daemon=True).start()
        yield from _lines(done, jobs)
    finally:
        stopped.set()
        for child in children:
            child.close()


def _lines(done: queue.Queue[str | Exception | None], working: int) -> Iterator[str]:
    while working:
        result = done.get()
        if isinstance(result, Exception):
            raise result
        if result is None:
            working -= 1
        else:
            yield result
