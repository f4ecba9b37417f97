"""JSON as the reports write it: ASCII only, and safe to print into the log of a job."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from json.encoder import JSONEncoder

_encode = JSONEncoder().encode


def encoded(value: object) -> str:
    """`value` as JSON on one line, free of `##[`, which opens a command in GitHub's log."""
    return _encode(value).replace("##[", "#\\u0023[")


def items(values: Iterable[object]) -> Iterator[str]:
    """The inside of an array, an item a line, in pieces."""
    separator = "\n"
    for value in values:
        yield separator + encoded(value)
        separator = ",\n"
