"""Tools run in threads: quick ones and scripts side by side, one writer at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

import anyio
from anyio import CapacityLimiter
from anyio.to_thread import run_sync

from skillbag.kernel.base.cancellation import Stop
from skillbag.kernel.processes.groups import kill_running

_QUICK, _SCRIPTS = 32, 16
_POLL = 0.02
T = TypeVar("T")


class Threads:
    """Three kinds of work, each with its own threads. The result of cancelled work is dropped."""

    def __init__(self) -> None:
        self._quick = CapacityLimiter(_QUICK)
        self._scripts = CapacityLimiter(_SCRIPTS)
        self._writes = CapacityLimiter(1)
        # A cancelled write may still be running: the next one waits for it.
        self._writing = threading.Lock()

    async def read(self, work: Callable[[], T]) -> T:
        """Run quick work that changes no files."""
        return await run_sync(work, abandon_on_cancel=True, limiter=self._quick)

    async def write(self, work: Callable[[], T]) -> T:
        """Run work that changes files, after all earlier writes.

        If cancelled, it stops before it changes anything or after it has changed everything.
        """
        stop = Stop()

        def alone() -> T:
            with self._writing:
                stop.check()
                with stop.attached():
                    return work()

        try:
            return await run_sync(alone, abandon_on_cancel=True, limiter=self._writes)
        except anyio.get_cancelled_exc_class():
            stop.ask()
            raise

    async def script(self, work: Callable[[], T]) -> T:
        """Run a script, or a call of an active skill; if cancelled, it is not started, or the script is killed and the
        skill is notified, which has a moment to end the call."""
        threads: list[int] = []
        stop = Stop()
        killed, ended = threading.Event(), threading.Event()

        def run() -> T:
            threads.append(threading.get_ident())
            try:
                if killed.is_set():
                    raise InterruptedError
                with stop.attached():
                    return work()
            finally:
                ended.set()

        def kill() -> None:
            killed.set()
            stop.ask()
            while threads and not ended.wait(_POLL):
                kill_running(threads[0])

        try:
            return await run_sync(run, abandon_on_cancel=True, limiter=self._scripts)
        except anyio.get_cancelled_exc_class():
            threading.Thread(target=kill, daemon=True).start()
            raise

    def wait_for_writer(self, seconds: float) -> None:
        """Wait for a cancelled write to finish."""
        if self._writing.acquire(timeout=seconds):
            self._writing.release()
