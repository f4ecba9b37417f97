"""What scalars stand for, here and to other readers, and the comments beside them; `‸` marks the place of a comment."""

from __future__ import annotations

import math

import yaml
from hypothesis import given
from hypothesis import strategies as st

from skillbag.kernel.documents.nodes import (
    Mapping,
    Scalar,
    YamlError,
    core_value,
    foreign_type,
    parse_yaml,
    trailing_comment,
)
from tests.rows import each_row


@each_row(
    ("text", "value"),
    [
        ("~", None),
        ("Null", None),
        ("True", True),
        ("FALSE", False),
        ("yes", "yes"),
        ("010", 10),
        ("-0x1F", "-0x1F"),
        ("0x1F", 31),
        ("0o17", 15),
        ("1_000", "1_000"),
        ("1.10", 1.1),
        ("+.5e3", 500.0),
        ("-.INF", -math.inf),
        ("1.2.3", "1.2.3"),
        ("2024-01-01", "2024-01-01"),
        ("9" * 5000, "9" * 5000),
        ("'1'", "1"),
        ("[1, {a: true}, 'true', \"~\"]", [1, {"a": True}, "true", "~"]),
        ("|\n 1", "1"),
    ],
)
def test_core_values(text: str, value: object) -> None:
    found = parse_yaml(text)
    assert found is not None
    assert not isinstance(found, YamlError)
    core = core_value(found)
    assert core == value
    assert type(core) is type(value)


def test_not_a_number() -> None:
    found = core_value(Scalar(".nan", 0, 4, True))
    assert isinstance(found, float)
    assert math.isnan(found)


@each_row(
    ("kind", "values"),
    [
        ("null", ["", "~", "null", "Null", "NULL"]),
        ("boolean", ["yes", "No", "ON", "off", "true", "FALSE"]),
        ("number", ["1", "-1", "010", "0o17", "0x1f", "0b11", "1_000", "08"]),
        ("number", ["1.10", ".5", "1.", "1e3", "1.5E+3", "1:30", "1:30:00.5", ".inf", "-.INF", ".nan"]),
        ("date", ["2024-01-01", "2024-1-1", "2024-01-01T10:00:00Z", "2024-01-01 10:00:00.5 +02:00"]),
        (None, ["y", "n", "tRUE", "1.2.3", "v1", "0x", "09:30", "1:99", "2024-01", "-", ".", "1e", "nan", "a 1", "<<"]),
    ],
)
def test_foreign_types(kind: str | None, values: list[str]) -> None:
    assert {value: foreign_type(Scalar(value, 0, 0, True)) for value in values} == dict.fromkeys(values, kind)
    assert {foreign_type(Scalar(value, 0, 0, False)) for value in values} == {None}


KINDS = {"int": "number", "float": "number", "bool": "boolean", "null": "null", "timestamp": "date"}


@given(
    st.text("0123456789-+.:_eExobTZ ynaflstrui~NO", max_size=12) | st.from_regex(r"\A\d{1,4}-\d\d?-\d\d?[T ]?[\d:.]*\Z")
)
def test_whatever_pyyaml_takes_for_another_type(value: str) -> None:
    tag = yaml.resolver.Resolver().resolve(  # type: ignore[no-untyped-call]
        yaml.ScalarNode, value, (True, False)
    )
    expected = KINDS.get(tag.rpartition(":")[2])
    assert expected is None or foreign_type(Scalar(value, 0, 0, True)) == expected


@each_row(
    "text",
    [
        "a: b ‸# c d ‸\ne: f # g",
        "a: 'b'\t‸#c‸\r\n",
        "a: ‸# b‸",
        "a: |- ‸# b‸\n  c\n  # d\n",
        "a: b\n  c ‸# d‸\u2028",
        "a: b\n# c\n",
        "a: b#c\n",
        "a: |\n  b\n# c\n",
        "a: '# b'\n",
        "a: >\n  # b\n",
    ],
)
def test_trailing_comments(text: str) -> None:
    # The value is a part of a longer document, whose offsets count.
    pieces = ("--\n" + text).split("‸")
    clean, places = "".join(pieces), [sum(map(len, pieces[:n])) for n in range(1, len(pieces))]
    mapping = parse_yaml(clean[3:], 3)
    assert isinstance(mapping, Mapping)
    scalar = mapping.get("a")
    assert isinstance(scalar, Scalar)
    assert list(trailing_comment(clean, scalar) or ()) == places
