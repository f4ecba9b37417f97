"""The children's JSON is that of the standard library."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillbag.kernel.processes.plain_json import decode, encode
from tests.rows import each_row
from tests.support import PROJECT

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(VALUES)
def test_values_come_back_and_texts_are_those_of_json(value: Any) -> None:
    text = encode(value)
    assert text == json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    assert decode(text) == value
    assert decode(json.dumps(value, indent=1)) == value


@each_row("text", ["", "{", "[1,]", "NaN", "Infinity", "nul", '"\n"', "{'a': 1}"])
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - the messages are the library's
        decode(text)


@each_row("value", [math.nan, math.inf, {1, 2}, b"x", object()])
def test_values_that_are_no_json_are_refused(value: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        encode(value)


def test_circles_are_refused() -> None:
    circle: list[Any] = []
    circle.append(circle)
    with pytest.raises(ValueError, match="Circular"):
        encode(circle)


def test_it_saves_the_package_where_the_codec_is_there() -> None:
    assert _printed("print('json' in sys.modules)") == "False\n"


def test_its_stand_in_for_json_gives_way_to_the_package() -> None:
    use = "plain_json.stand_in(); import json; print(json.dumps([1, 'é']), json.loads('[2]'), 're' in sys.modules); "
    assert _printed(use) == '[1,"é"] [2] False\n'
    assert _printed(f"{use} print(json.JSONDecoder().decode('3'), 're' in sys.modules)").endswith("3 True\n")


def _printed(code: str) -> str:
    """What a child prints that has imported it."""
    words = [sys.executable, "-I", "-S", "-X", "utf8", "-c"]
    folder = str(PROJECT / "skillbag" / "kernel" / "processes")
    code = f"import sys; sys.path.insert(0, sys.argv[1]); import plain_json; {code}"
    return subprocess.run([*words, code, folder], capture_output=True, encoding="utf-8", check=True).stdout
