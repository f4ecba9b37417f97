"""The engine of one machine: as many processes as asked for, each with one source at a time."""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Iterable, Iterator

from skillbag.audit.settings import Settings
from skillbag.audit.sources import Task
from skillbag.audit.worker import Child, within_limits


def cores() -> int:
    """How many processes can work at once here."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def audit_locally(tasks: Iterable[Task], settings: Settings, jobs: int) -> Iterator[str]:
    """The line of each task, as they come; whoever stops before the end ends what is still being done.

    Raises:
        TooManyJobsError: the system does not start so many threads and processes.
        OSError: a process can't be started.
    """
    waiting = iter(tasks)
    guard = threading.Lock()
    # Bounded: whoever writes the lines down sets the pace.
    done: queue.Queue[str | Exception | None] = queue.Queue(2 * jobs)
    stopped = threading.Event()
    children = [Child() for _ in range(jobs)]

    def next_task() -> Task | None:
        with guard:
            return None if stopped.is_set() else next(waiting, None)

    def tell(what: str | Exception | None) -> None:
        while not stopped.is_set():
            try:
                return done.put(what, timeout=0.2)
            except queue.Full:
                continue
        return None

    def work(child: Child) -> None:
        try:
            while task := next_task():
                tell(child.audit(task, settings))
            tell(None)
        except Exception as error:  # unheard, it would leave us waiting for ever
            tell(error)

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
        found = done.get()
        if isinstance(found, Exception):
            raise found
        if found is None:
            working -= 1
        else:
            yield found
