"""Values: typed as they are written, compared by what they mean."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillbag.kernel.documents.nodes import Mapping, parse_yaml
from skillbag.session.settings.value import Value, holder, is_among, parse_value, same, typed, value_of
from tests.rows import each_row
from tests.session.tables import VALUES


def _read(text: str) -> Value:
    """The value of `key: TEXT` in a file."""
    node = parse_yaml(f"key: {text}")
    assert isinstance(node, Mapping)
    return value_of(node.entries[0].value)


@each_row(("text", "value", "written"), VALUES["written in a file: text, value, spelling"])
def test_values_are_typed_as_they_are_written(text: str, value: object, written: str) -> None:
    read = _read(text)
    assert (read.value, read.written) == (value, written)
    assert type(read.value) is type(value)


@each_row("text", [".inf", "-.INF", ".nan", "1e999", "9" * 5_000, "0x" + "f" * 4_000])
def test_numbers_that_json_does_not_have_stay_text(text: str) -> None:
    assert _read(text) == Value(text, text)
    assert _read(f"[{text}, 1]").value == [text, 1]
    assert parse_value(text) == Value(text, text)
    json.dumps(_read(f"{{a: [{text}]}}").value, allow_nan=False)


def test_numbers_of_python_that_json_does_not_have_are_text_as_well() -> None:
    assert typed(math.inf).value == "Infinity"
    assert typed([math.nan]).value == ["NaN"]


def test_what_is_no_plain_value_is_refused() -> None:
    with pytest.raises(TypeError):
        typed({"a": [object()]})
    deep: object = "x"
    for _ in range(200):
        deep = [deep]
    with pytest.raises(ValueError, match="more than 100 levels"):
        typed(deep)


_PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("ab-_ é", max_size=5), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@given(_PLAIN)
def test_plain_values_stay_what_they_are(value: object) -> None:
    assert typed(value).value == value
    assert same(typed(value), typed(value))


@given(st.lists(_PLAIN, max_size=4))
def test_the_spelling_of_a_list_can_be_typed_again(items: list[object]) -> None:
    value = typed(items)
    again = parse_value(value.written)
    assert again.value == items
    assert again.written == value.written
    assert same(again, value)


@each_row(("text", "value"), [*VALUES["typed on a command line: text, value"], ("[" * 200 + "]" * 200,) * 2])
def test_what_is_typed_needs_no_quotes_unless_it_has_some(text: str, value: object) -> None:
    parsed = parse_value(text)
    assert parsed.value == value
    assert type(parsed.value) is type(value)


@given(st.text())
def test_whatever_is_typed_is_a_value(text: str) -> None:
    value = parse_value(text)
    json.dumps(value.value, allow_nan=False)
    assert same(value, value)


@each_row(("one", "other"), VALUES["the same"])
def test_values_are_the_same_by_meaning_or_by_spelling(one: str, other: str) -> None:
    assert same(_read(one), _read(other))
    assert same(_read(other), _read(one))


@each_row(("one", "other"), VALUES["not the same"])
def test_other_values_are_not_the_same(one: str, other: str) -> None:
    assert not same(_read(one), _read(other))
    assert not same(_read(other), _read(one))


def test_a_list_holds_its_items_and_itself() -> None:
    value = _read("[pdf, 1.10, true]")
    for item in ("pdf", "1.1", '"1.10"', "true", "[pdf, 1.10, true]"):
        assert holder(value)(_read(item)), item
    for item in ("html", "1", '"1.1"', "[pdf]"):
        assert not holder(value)(_read(item)), item
    assert holder(_read("pdf"))(_read("pdf"))
    assert not holder(_read("pdf"))(_read("[pdf]"))
    assert holder(Value(["pdf"], "pdf, made by hand"))(_read("pdf"))


def test_a_list_is_among_values_with_each_of_its_items_or_as_a_whole() -> None:
    allowed = [_read(text) for text in ("pdf", "html", "[a, b]")]
    for text in ("pdf", "[pdf, html]", "[]", "[a, b]"):
        assert is_among(_read(text), allowed), text
    for text in ("docx", "[pdf, docx]", "[a]", "[[a, b], c]"):
        assert not is_among(_read(text), allowed), text


def test_only_text_of_white_space_is_blank() -> None:
    assert [_read(text).is_blank for text in ('""', '"  "', "pdf", "0", "false", "[]", "null")] == [
        True, True, False, False, False, False, False,
    ]  # fmt: skip


def test_the_short_form_is_one_line_that_can_be_seen() -> None:
    assert _read('"a\\n  b"').short == "a b"
    assert _read('""').short == '""'
    assert _read("x" * 100).short == "x" * 80 + "…"
