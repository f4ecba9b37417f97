"""The engine of a Dask cluster: its scheduler gives the sources to workers, and again if a worker dies."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from skillbag import __version__
from skillbag.fleet.audit.record import failure
from skillbag.fleet.audit.settings import AuditSettings
from skillbag.fleet.audit.sources import AuditTask
from skillbag.fleet.audit.worker import Child
from skillbag.kernel.base.extras import extra

_PATIENCE = 30.0
"""Seconds in which the scheduler has to answer."""

_AHEAD = 3
"""Sources submitted for each thread of the cluster: enough that none is idle, few enough for the memory."""

_LEAST = 8
"""Sources submitted to a cluster of few threads."""

_INTERVAL = 50
"""Number of sources after which the workers are counted again."""

_TRIES = 3
"""How often a source is submitted again whose result the cluster lost."""


class NoClusterError(OSError):
    """The scheduler does not answer (any more); the message says what to do."""


_own = threading.local()


def audit_remotely(task: AuditTask, settings: AuditSettings) -> str:
    """Run on a worker of the cluster: the line of one task, made by a child process of the worker's thread.

    A source that ends or blocks its process is recorded as failed, and does not harm the worker.
    """
    if settings.program != __version__:
        ours = settings.program
        why = f"a worker of the cluster has skillbag {__version__}, not {ours}; install {ours} there"
        return failure(task, settings, why)
    child: Child = _own.__dict__.setdefault("child", Child())
    return child.audit(task, settings)


def audit_on_cluster(
    tasks: Iterable[AuditTask], settings: AuditSettings, address: str, patience: float = _PATIENCE
) -> Iterator[str]:
    """The line of each task, as they come, from the cluster whose scheduler is at `address` (`tcp://host:8786`).

    Raises:
        MissingExtraError: the extra `audit` is not installed.
        NoClusterError: the scheduler can't be reached, or it went away.
    """
    distributed = extra("distributed", "--engine dask", "audit")
    for name in ("distributed", "distributed.client"):
        # It logs tracebacks of errors that we report in a sentence.
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    try:
        client = distributed.Client(address, timeout=patience, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise NoClusterError(
            f"--engine dask {address}: no scheduler answers there ({error}); write its address, such as tcp://host:8786"
        ) from error
    try:
        # The scratch folder, beside the records, exists on this machine only.
        yield from _lines(iter(tasks), settings._replace(scratch=None), client)
    finally:
        client.close(timeout=5)


def _lines(waiting: Iterator[AuditTask], settings: AuditSettings, client: Any) -> Iterator[str]:
    submitted = _Submitted(settings, client)
    submitted.fill(waiting)
    for future in submitted.completed:
        line = submitted.result(future)
        if line is not None:
            yield line
        submitted.fill(waiting)
    # Submitted alone, a source that a worker dies of is known to be the cause.
    for task in submitted.suspects:
        yield _alone(task, settings, client)


class _Submitted:
    """The sources that the cluster works on; `completed` yields their futures as they complete.

    `suspects` were submitted to workers that died, maybe because of them.
    """

    def __init__(self, settings: AuditSettings, client: Any) -> None:
        self._settings, self._client = settings, client
        self._under_way: dict[str, tuple[AuditTask, int]] = {}
        self._filled = 0
        self._room = 0
        self.completed = extra("distributed", "--engine dask", "audit").as_completed(loop=client.loop)
        self.suspects: list[AuditTask] = []

    def fill(self, waiting: Iterator[AuditTask]) -> None:
        """Submit as many as the cluster has room for."""
        if self._filled % _INTERVAL == 0:
            self._room = max(_LEAST, _AHEAD * sum(self._client.nthreads().values()))
        self._filled += 1
        for task in islice(waiting, max(0, self._room - len(self._under_way))):
            self._submit(task, 0)

    def _submit(self, task: AuditTask, tries: int) -> None:
        name = f"skillbag-audit-{task.key}-{tries}"
        self._under_way[name] = (task, tries)
        # Not pure: the contents at an address may change.
        self.completed.add(self._client.submit(audit_remotely, task, self._settings, key=name, pure=False))

    def result(self, future: Any) -> str | None:
        """The line of a completed future; None if its source has become a suspect or was submitted again."""
        task, tries = self._under_way.pop(future.key)
        line = None
        if future.status == "error" and type(future.exception()).__name__ == "KilledWorker":
            self.suspects.append(task)
        elif (line := _line(future, task, self._settings, tries)) is None:
            self._submit(task, tries + 1)
        future.release()
        return line


def _alone(task: AuditTask, settings: AuditSettings, client: Any) -> str:
    """The line of a suspect, submitted when the cluster works on nothing else."""
    for tries in range(_TRIES + 1):
        name = f"skillbag-audit-{task.key}-alone-{tries}"
        future = client.submit(audit_remotely, task, settings, key=name, pure=False)
        (done,) = extra("distributed", "--engine dask", "audit").as_completed([future], loop=client.loop)
        if line := _line(done, task, settings, tries):
            return line
    raise AssertionError("unreachable")


def _line(future: Any, task: AuditTask, settings: AuditSettings, tries: int) -> str | None:
    """The line of a completed future; None if its source has to be submitted again."""
    if future.status == "finished":
        return str(future.result())
    if future.status == "error":
        error = future.exception()
        return failure(task, settings, f"the cluster could not audit it: {type(error).__name__}: {error}")
    if future.client.status != "running":
        raise NoClusterError("the scheduler went away; when it is back, run the same command to continue")
    if tries >= _TRIES:
        return failure(task, settings, f"the cluster lost its result {tries + 1} times")
    return None
