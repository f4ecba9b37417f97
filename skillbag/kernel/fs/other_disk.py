"""Another disk that is looked at instead of this one: an earlier state of it, or the one with open documents saved."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from skillbag.kernel.fs.buffers import Buffers
    from skillbag.kernel.fs.past import Past

LOOKED_AT: ContextVar[Past | Buffers | None] = ContextVar("looked_at", default=None)
"""The other disk; None for the disk as it is."""


@contextlib.contextmanager
def looking_at(other: Past | Buffers) -> Iterator[None]:
    """Within the block, all questions are answered for another disk; what is recorded of the past has no use."""
    token = LOOKED_AT.set(other)
    try:
        yield
    finally:
        LOOKED_AT.reset(token)


def looked_back() -> Past | None:
    """The past whose disk is looked at; None for the present."""
    other = LOOKED_AT.get()
    return None if other is None or other.is_stamped else other
