"""A call of a child that is not answered yet, and its time (skill runtime, section 7.1)."""

from __future__ import annotations

import time
from collections import deque

from skillbag.kernel.base import time_limit
from skillbag.runtime.backends.jsonrpc import RpcRequest, RpcResponse
from skillbag.runtime.errors import TimeLimitError

_MAX_EXCUSED = 300.0
"""Seconds that host functions may add to the limit of a call: one completion may take so long."""


class PendingCall:
    """A call that is not answered yet. `excused`: seconds that do not count, since host functions waited for others."""

    def __init__(self, method: str, limit: float, grace: float) -> None:
        self.method, self.limit, self.grace = method, limit, grace
        self.number = 0
        self.answer: RpcResponse | None = None
        self.requests: deque[RpcRequest] = deque()
        self.is_in_host = False
        self.began, self.excused = time.monotonic(), 0.0

    def rest(self) -> float:
        """The seconds that are left; none where the time of the whole step is over."""
        return time_limit.rest(self.limit + self.excused - (time.monotonic() - self.began))

    def excuse(self, seconds: float) -> None:
        """Do not count these, within what may be excused."""
        if self.method != "initialize":
            self.excused = min(self.excused + seconds, _MAX_EXCUSED)

    def timeout(self, why: str = "") -> TimeLimitError:
        if time_limit.is_over():
            return TimeLimitError(f'call "{self.method}": timeout: the time of this step is over{why}')
        return TimeLimitError(f'call "{self.method}": timeout after {self.limit:g}s{why}')
