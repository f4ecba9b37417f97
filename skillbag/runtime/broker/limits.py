"""Limits of operations: how many in a turn, how deep, how long (skill runtime, section 5)."""

from __future__ import annotations

import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from skillbag.kernel.manifest.names import Permission
from skillbag.runtime.errors import RateLimitedError
from skillbag.runtime.skill import Grantee

PerTurn: TypeAlias = Mapping[Permission, int | None]
"""The most operations of a skill in one turn, by permission: 0 allows none, None any number."""

DEFAULTS: PerTurn = {Permission.SHELL_EXEC: 20, Permission.NET_FETCH: 10, Permission.LLM_CALL: 10}
"""The limits that settings can change; permissions that are not in it have none."""

MAX_NESTED = 8
"""How deep skills may invoke each other."""


def stricter(one: PerTurn, other: PerTurn) -> PerTurn:
    """The lower limit of each permission. Settings of a workspace may only make those of the user stricter."""
    limits = dict(one)
    for permission, limit in other.items():
        mine = limits.get(permission)
        limits[permission] = mine if limit is None else limit if mine is None else min(mine, limit)
    return limits


class OperationCounter:
    """Counts the operations of each skill in this turn, for each permission. Thread safe.

    With a `window` (seconds), an operation counts for that long instead. `clock` gives seconds that never go back.
    """

    def __init__(
        self,
        per_turn: PerTurn = DEFAULTS,
        *,
        window: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`per_turn` holds all limits: what it lacks is unlimited."""
        self._per_turn = dict(per_turn)
        self._window = window
        self._clock = clock
        self._lock = threading.Lock()
        # A skill that was edited is charged as before, so its tree hash is no part of the key.
        self._times: defaultdict[tuple[str, str, Permission], deque[float]] = defaultdict(deque)

    def begin_turn(self) -> None:
        """Reset all counters."""
        with self._lock:
            self._times.clear()

    def used(self) -> Mapping[tuple[str, str, Permission], int]:
        """The operations of this turn by skill, origin and permission."""
        with self._lock:
            return {key: len(times) for key, times in self._times.items() if times}

    def restore(self, used: Mapping[tuple[str, str, Permission], int]) -> None:
        """Count operations of this turn that another process has done."""
        with self._lock:
            for key, number in used.items():
                self._times[key].extend([self._clock()] * number)

    def charge(self, grantees: Iterable[Grantee], permission: Permission) -> None:
        """Count one operation for each of these skills, or for none of them.

        Raises:
            RateLimitedError: one of them has reached its limit.
        """
        limit = self._per_turn.get(permission)
        if limit is None:
            return
        with self._lock:
            counted = {(each.skill, each.origin, permission): None for each in grantees}
            now = self._clock()
            for key in counted:
                if (number := self._number(key, now) + 1) > limit:
                    raise RateLimitedError(f'rate limit exceeded for "{permission}": {number}/{limit} per turn')
            for key in counted:
                self._times[key].append(now)

    def _number(self, key: tuple[str, str, Permission], now: float) -> int:
        """How many operations count at this time."""
        times = self._times[key]
        while self._window is not None and times and times[0] <= now - self._window:
            times.popleft()
        return len(times)


def check_depth(callers: int) -> None:
    """Check that a skill with so many callers, one within the other, may invoke another.

    Raises:
        RateLimitedError: it may not.
    """
    if callers >= MAX_NESTED:
        raise RateLimitedError(
            f'rate limit exceeded for "{Permission.SKILL_INVOKE}": {callers + 1}/{MAX_NESTED} nested calls'
        )
