"""Very many mistakes in one message."""

from __future__ import annotations

from collections.abc import Sequence

_MOST = 20


def told(faults: Sequence[str]) -> str:
    """A line for each fault, or for the first of them."""
    more = len(faults) - _MOST
    rest = [f"and {more} more; skillbag check tells all of it"] if more > 0 else []
    return "\n".join([*faults[:_MOST], *rest])
