"""JSON as records: what `to_json` writes comes back, and nothing else is let in."""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, Literal, NamedTuple

import pytest

from skillbag.kernel.base.json_reading import JsonShapeError, from_json
from skillbag.kernel.base.json_records import ABSENT, FILE_NAME, Absent, fits, to_json
from tests.rows import each_row


class _Colour(StrEnum):
    RED = "red"


class _Part(NamedTuple):
    from_: Annotated[str, fits(pattern="^[a-z]+$"), "A word."]
    line: Annotated[int | None, fits(minimum=1)]
    trace: str | Absent = ABSENT


class _Whole(NamedTuple):
    parts: tuple[_Part, ...]
    numbers: Mapping[str, float]
    colour: _Colour
    way: Literal["up", "down"]
    sure: bool
    path: Annotated[str, FILE_NAME]
    seen: frozenset[_Colour]
    value: Any = None


WHOLE = _Whole(
    *((_Part("a", 1), _Part("b", None, "t")), {"x": 0.5, "y": 1}, _Colour.RED, "up"),
    *(True, "\udcff", frozenset(_Colour), [{}]),
)
GOOD = to_json(WHOLE)


def test_what_is_written_is_read_again() -> None:
    assert from_json(_Whole, json.loads(json.dumps({**GOOD, "unknown": 1}))) == WHOLE
    assert from_json(_Whole, {name: GOOD[name] for name in GOOD if name != "value"}).value is None


@each_row(
    ("change", "expected"),
    [
        ('{"parts": {}}', "an array"),
        ('{"parts": [{"line": 1}]}', "the key from"),
        ('{"parts": [{"from": "A", "line": 1}]}', "pattern"),
        ('{"parts": [{"from": "a", "line": 0}]}', "minimum 1"),
        ('{"parts": [{"from": "a", "line": true}]}', "null"),
        ('{"parts": [{"from": "a", "line": 1, "trace": "\\ud800"}]}', "a text"),
        ('{"numbers": {"x": NaN}}', "a number"),
        ('{"numbers": {"x": 1e999}}', "a number"),
        ('{"numbers": {"x": 9223372036854775808}}', "a number"),
        ('{"numbers": {"\\udc00": 1}}', "an object"),
        ('{"path": 1}', "a text"),
        ('{"seen": ["red", "blue"]}', "one of red"),
        ('{"colour": "green"}', "one of red"),
        ('{"colour": []}', "one of red"),
        ('{"way": "left"}', "one of up, down"),
        ('{"way": {}}', "one of up, down"),
        ('{"sure": 1}', "true or false"),
    ],
)
def test_what_does_not_fit_is_refused(change: str, expected: str) -> None:
    with pytest.raises(JsonShapeError, match=f"expected {expected}"):
        from_json(_Whole, GOOD | json.loads(change))


@each_row("value", [None, [], "text", 1])
def test_only_an_object_is_a_record(value: object) -> None:
    with pytest.raises(JsonShapeError, match="an object"):
        from_json(_Whole, value)
