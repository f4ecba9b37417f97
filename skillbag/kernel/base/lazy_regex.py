"""Regular expressions that are compiled at their first use: most runs need few of them."""

from __future__ import annotations

import re
from collections.abc import Callable

Late = Callable[[], re.Pattern[str]]
"""Gives the compiled expression."""


def late(pattern: str, flags: int = 0) -> Late:
    """A function that gives the expression, compiled at the first call."""
    compiled: re.Pattern[str] | None = None

    # `functools.cache` takes nine times as long to make, and most are never called.
    def expression() -> re.Pattern[str]:
        nonlocal compiled
        if compiled is None:
            compiled = re.compile(pattern, flags)
        return compiled

    return expression
