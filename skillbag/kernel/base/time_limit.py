"""A time limit of all that a piece of work does and waits for, however deep (wall clock).

What waits asks for the rest of the time. The limit holds in the thread that set it, and where its context is copied to.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_until: ContextVar[float] = ContextVar("until", default=math.inf)


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Within the block, no more than `seconds` are left; a limit that ends earlier stays."""
    token = _until.set(min(_until.get(), time.monotonic() + seconds))
    try:
        yield
    finally:
        _until.reset(token)


def rest(most: float = math.inf) -> float:
    """The seconds that are left, at most `most`; 0 if none are."""
    return max(0.0, min(most, _until.get() - time.monotonic()))


def is_over() -> bool:
    """Whether no time is left."""
    return rest() <= 0
