"""The input of a call as a text of JSON that all read in one way: what is judged is what runs."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, TypeAlias

Json: TypeAlias = Any

CallInput: TypeAlias = Mapping[str, Json]
"""The arguments of a call of any tool: an object whose shape that tool alone knows."""

_LARGEST = 1 << 53
_HALF = re.compile("[\ud800-\udfff]")


def json_text(value: Json) -> str:
    """The value as JSON that every program reads.

    Raises:
        ValueError: JSON has no such value.
    """
    try:
        text = _ENCODER.encode(value)
    except (TypeError, RecursionError) as error:
        raise ValueError(str(error)) from error
    # Half a character would be another one elsewhere; its escape is not.
    return text if text.isascii() else _HALF.sub(lambda half: f"\\u{ord(half[0]):04x}", text)


def json_value(text: str) -> Json:
    """The value of a text of JSON.

    Raises:
        ValueError: it is none, or names a key twice, of which programs take the first or the last.
    """
    try:
        return _DECODER.decode(text)
    except RecursionError as error:
        raise ValueError(str(error)) from error


def is_taken_as_it_is(value: Json) -> bool:
    """Whether a host takes this as the input of a call: an object, with no whole number that a program whose numbers
    are doubles would round."""
    pending = [value]
    while pending:
        each = pending.pop()
        if isinstance(each, int) and abs(each) > _LARGEST:
            return False
        pending += each.values() if isinstance(each, dict) else each if isinstance(each, list) else ()
    return isinstance(value, dict)


def object_of(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    """An object of JSON. Raises ValueError for one that names a key twice."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice")
    return found


# Calls are many: `json.loads` would make a decoder for each.
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False)
_DECODER = json.JSONDecoder(object_pairs_hook=object_of)
