"""The texts and numbers that a value consists of, each with its name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.session.settings.value import Value

Leaf = str | int | float


def leaves(name: str, value: Value) -> Iterator[tuple[str, Leaf]]:
    """The texts and numbers of a value, each with its name: that of the parameter, or its key in a mapping."""
    if value.items:
        for item in value.items:
            yield from leaves(name, item)
    elif isinstance(value.value, int | float) and not _is_count(value.written):
        yield name, value.written
    else:
        yield from _leaves(name, value.value)


def _leaves(name: str, value: object) -> Iterator[tuple[str, Leaf]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield name, key
            yield from _leaves(key, item)
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(name, item)
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        yield name, value


_DECIMAL = late(r"true|false|[-+]?[\d.]+(?:e[-+]?\d+)?", re.IGNORECASE)
_LONGEST_COUNT = 20
"""Digits of the largest number that programs count with, 2**64."""


def _is_count(written: str) -> bool:
    """Whether a number is only a number: `0x…` and very long digits may encode text."""
    return _DECIMAL().fullmatch(written) is not None and not (written.isdigit() and len(written) > _LONGEST_COUNT)
