"""Very many of something in one message: mistakes, names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

_MOST = 20


def summarize(faults: Sequence[str]) -> str:
    """A line for each fault, or for the first of them."""
    more = len(faults) - _MOST
    rest = [f"and {more} more; skillbag check tells all of it"] if more > 0 else []
    return "\n".join([*faults[:_MOST], *rest])


def some(names: Iterable[str]) -> str:
    """The names in a row, or the first of them."""
    several = list(names)
    more = len(several) - _MOST
    return ", ".join(several[:_MOST]) + (f" and {more} more" if more > 0 else "")
