"""Regular expressions that are compiled when they are first asked for: most runs never need those of suspicion."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

Late = Callable[[], re.Pattern[str]]
"""Gives the compiled expression."""


def late(pattern: str, flags: int = 0) -> Late:
    """The expression, to be compiled at the first call."""
    return cache(lambda: re.compile(pattern, flags))
