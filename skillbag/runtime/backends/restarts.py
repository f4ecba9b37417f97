"""When a backend whose process ended may start it again (skill runtime, section 7.1)."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

from skillbag.kernel.base.time_limit import rest

FIRST_DELAY, LONGEST_DELAY = 0.05, 5.0
"""Seconds before a restart: the first, doubled each time up to the longest."""

ATTEMPTS = 5
HEALTH = 60.0
"""A process that lived so many seconds gives all attempts back."""


class Clock(NamedTuple):
    """A clock: seconds, and waiting for some."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep


SYSTEM_CLOCK = Clock()


class Restarts:
    """Counts the attempts to restart one process."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._used = 0
        self._started = self._ended = clock.now()

    def started(self) -> None:
        """The process runs."""
        self._started = self._ended = self._clock.now()

    def ended(self) -> None:
        """The process has ended unexpectedly, or could not be started."""
        self._ended = self._clock.now()
        if self._ended - self._started >= HEALTH:
            self._used = 0

    @property
    def is_used_up(self) -> bool:
        """Whether it may not be started any more."""
        return self._used >= ATTEMPTS

    def wait(self) -> None:
        """Use an attempt: wait until it may be started."""
        delay = min(FIRST_DELAY * 2**self._used, LONGEST_DELAY)
        self._used += 1
        self._clock.sleep(rest(self._ended + delay - self._clock.now()))
