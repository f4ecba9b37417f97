"""Records as JSON: each field a key, enumerations as values, and what is absent left out."""

from __future__ import annotations

from enum import IntEnum, StrEnum
from typing import NamedTuple

from skillbag.kernel.base.json_records import ABSENT, Absent, to_json


class _Colour(StrEnum):
    RED = "red"


class _Number(IntEnum):
    ONE = 1


class _Inner(NamedTuple):
    from_: str
    trace: str | Absent = ABSENT


class _Outer(NamedTuple):
    colour: _Colour
    number: _Number
    inner: tuple[_Inner, ...]
    texts: dict[str, list[str]]
    nothing: None = None


def test_a_record_is_an_object_of_its_fields() -> None:
    value = _Outer(_Colour.RED, _Number.ONE, (_Inner("a"), _Inner("b", "c")), {"k": ["v"]})
    assert to_json(value, str.upper) == {
        "colour": "red",
        "number": 1,
        "inner": [{"from": "A"}, {"from": "B", "trace": "C"}],
        "texts": {"K": ["V"]},
        "nothing": None,
    }
