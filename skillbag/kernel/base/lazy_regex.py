"""Regular expressions that are compiled at their first use: most runs need few of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

Late = Callable[[], re.Pattern[str]]
"""Gives the compiled expression."""


def late(pattern: str, flags: int = 0) -> Late:
    """A function that gives the expression, compiled at the first call."""
    return cache(lambda: re.compile(pattern, flags))
