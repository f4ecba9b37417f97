"""Whether the machine was ours: how much other processes ran while something was measured."""

from __future__ import annotations

import os
import time
from typing import NamedTuple

LIMIT = 0.1
"""Cores that others may keep busy before a measurement is in doubt."""

_TICK = 0.03
"""Seconds by which the system's count of CPU time may be off in a short span."""


class Moment(NamedTuple):
    """Seconds so far: on the clock, of CPU on the whole machine, of CPU by this process and its finished children."""

    clock: float
    machine: float
    own: float


def now() -> Moment:
    """The counters as they are; the machine's is 0 where the system does not tell it."""
    return Moment(time.perf_counter(), _machine(), sum(os.times()[:4]))


def others(before: Moment, after: Moment) -> float:
    """The cores that other processes (or the host of a virtual machine) kept busy between the two, on average."""
    foreign = (after.machine - before.machine) - (after.own - before.own)
    return max(0.0, foreign - _TICK) / (after.clock - before.clock)


def _machine() -> float:
    try:
        with open("/proc/stat") as handle:
            user, nice, system, _idle, _waiting, *interrupts_and_stolen = map(int, handle.readline().split()[1:9])
    except OSError:
        return 0.0
    return (user + nice + system + sum(interrupts_and_stolen)) / os.sysconf("SC_CLK_TCK")
