"""The engine of a Dask cluster that the user has: its scheduler gives the sources to workers, and again if one dies."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from skillbag import __version__
from skillbag.audit.optional_imports import extra
from skillbag.audit.record import failure
from skillbag.audit.settings import Settings
from skillbag.audit.sources import Task
from skillbag.audit.worker import Child

_PATIENCE = 30.0
"""Seconds in which the scheduler has to answer."""

_AHEAD = 3
"""Sources that are on their way for each thread of the cluster: enough that none waits, few enough for any memory."""

_LEAST = 8
_GLANCE = 50
"""After so many sources it is looked anew how many workers there are."""

_TRIES = 3
"""How often a source is given out anew of which the cluster lost the result."""


class NoClusterError(OSError):
    """The scheduler of a cluster does not answer, or no longer; the message says what to do."""


_own = threading.local()


def audit_remotely(task: Task, settings: Settings) -> str:
    """What a worker of the cluster does: the line of one task, made by a child of its thread.

    A source that ends or blocks its process is recorded as failed, and takes the worker not along.
    """
    if settings.program != __version__:
        ours, theirs = settings.program, __version__
        return failure(
            task, settings, f"a worker of the cluster has skillbag {theirs}, not {ours}; install {ours} there"
        )
    child: Child = _own.__dict__.setdefault("child", Child())
    return child.audit(task, settings)


def audit_on_cluster(
    tasks: Iterable[Task], settings: Settings, address: str, patience: float = _PATIENCE
) -> Iterator[str]:
    """The line of each task, as they come, from the cluster whose scheduler is at `address` (`tcp://host:8786`).

    Raises:
        MissingExtraError: the extra `audit` is not installed.
        NoClusterError: the scheduler can't be reached, or it went away.
    """
    client = _connected(address, patience)
    try:
        # Where the records lie is a folder of this machine.
        yield from _lines(iter(tasks), settings._replace(scratch=None), client)
    finally:
        client.close(timeout=5)


def _connected(address: str, patience: float) -> Any:
    distributed = extra("distributed", "--engine dask")
    for name in ("distributed", "distributed.client"):
        # It logs tracebacks of what we tell in a sentence.
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    try:
        return distributed.Client(address, timeout=patience, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise NoClusterError(
            f"--engine dask {address}: no scheduler answers there ({error}); write its address, such as tcp://host:8786"
        ) from error


def _lines(waiting: Iterator[Task], settings: Settings, client: Any) -> Iterator[str]:
    given = _Given(settings, client)
    given.fill(waiting)
    for future in given.completed:
        line = given.taken_back(future)
        if line is not None:
            yield line
        given.fill(waiting)
    # When nothing else is under way, a source is to blame for its own faults alone.
    for task in given.suspects:
        yield _alone(task, settings, client)


class _Given:
    """The sources that the cluster has in hand; `completed` gives their futures as they are done.

    `suspects` are those that workers died with, and maybe of.
    """

    def __init__(self, settings: Settings, client: Any) -> None:
        self._settings, self._client = settings, client
        self._under_way: dict[str, tuple[Task, int]] = {}
        self._filled = 0
        self._room = 0
        self.completed = extra("distributed", "--engine dask").as_completed(loop=client.loop)
        self.suspects: list[Task] = []

    def fill(self, waiting: Iterator[Task]) -> None:
        """Give out as many as the cluster has room for."""
        if self._filled % _GLANCE == 0:
            self._room = _room(self._client)
        self._filled += 1
        for task in islice(waiting, max(0, self._room - len(self._under_way))):
            self._give(task, 0)

    def _give(self, task: Task, tries: int) -> None:
        name = f"skillbag-audit-{task.key}-{tries}"
        self._under_way[name] = (task, tries)
        # Not pure: what stands at an address may be another thing the next time.
        self.completed.add(self._client.submit(audit_remotely, task, self._settings, key=name, pure=False))

    def taken_back(self, future: Any) -> str | None:
        """The line of a future that is done; None where its source is a suspect now, or was given out anew."""
        task, tries = self._under_way.pop(future.key)
        line = None
        if _is_suspect(future):
            self.suspects.append(task)
        elif (line := _line(future, task, self._settings, tries)) is None:
            self._give(task, tries + 1)
        future.release()
        return line


def _is_suspect(future: Any) -> bool:
    """Whether workers died that had this source, and maybe others, in hand."""
    return future.status == "error" and type(future.exception()).__name__ == "KilledWorker"


def _alone(task: Task, settings: Settings, client: Any) -> str:
    """The line of a suspect, given out when nothing else is under way."""
    for tries in range(_TRIES + 1):
        name = f"skillbag-audit-{task.key}-alone-{tries}"
        future = client.submit(audit_remotely, task, settings, key=name, pure=False)
        (done,) = extra("distributed", "--engine dask").as_completed([future], loop=client.loop)
        if line := _line(done, task, settings, tries):
            return line
    raise AssertionError("unreachable")


def _room(client: Any) -> int:
    """How many sources may be on their way, with the workers that there are now."""
    threads: dict[str, int] = client.nthreads()
    return max(_LEAST, _AHEAD * sum(threads.values()))


def _line(future: Any, task: Task, settings: Settings, tries: int) -> str | None:
    """The line of a future that is done; None where it has to be given out anew."""
    if future.status == "finished":
        line: str = future.result()
        return line
    if future.status == "error":
        error = future.exception()
        return failure(task, settings, f"the cluster could not do it: {type(error).__name__}: {error}")
    if future.client.status != "running":
        raise NoClusterError("the scheduler went away; when it is back, the same command goes on where this one ended")
    if tries >= _TRIES:
        return failure(task, settings, f"the cluster lost its result {tries + 1} times")
    return None
