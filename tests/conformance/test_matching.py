"""Expectations of cases compared with outcomes: what holds, and one line for each part that does not."""

from __future__ import annotations

from typing import Any

import pytest

from skillbag.conformance.matching import mismatches

HOLD: dict[str, tuple[Any, Any]] = {
    "equal text": ("pdf", "pdf"),
    "equal numbers, whole or not": (1, 1.0),
    "null and what is left out": ({"winner": None}, {}),
    "a mapping is a subset": ({"a": 1}, {"a": 1, "b": 2}),
    "an empty mapping is a subset of any": ({}, {"a": 1}),
    "a list of subsets": ([{"kind": "missing"}], [{"kind": "missing", "about": "x"}]),
    "part of a text": ({"contains": "b"}, "abc"),
    "several parts of a text": ({"contains": ["a", "c"]}, "abc"),
    "an item of a list": ({"contains": "b"}, ["a", "b"]),
    "an item that is a subset": ({"contains": {"kind": "missing"}}, [{"kind": "missing", "about": "x"}]),
    "several items": ({"contains": ["b", "a"]}, ["a", "b", "c"]),
    "a key of a mapping": ({"contains": "a"}, {"a": 1}),
    "nothing asked of a list": ({"contains": []}, []),
    "no part of a text": ({"excludes": ["x", "y"]}, "abc"),
    "no item of a list": ({"excludes": "x"}, ["a"]),
    "no key of a mapping": ({"excludes": "x"}, {"a": 1}),
    "any order": ({"unordered": ["b", "a"]}, ["a", "b"]),
    "any order of subsets that overlap": ({"unordered": [{"k": 1}, {"k": 1, "n": 2}]}, [{"k": 1, "n": 2}, {"k": 1}]),
    "absent": ({"values": {"format": {"absent": True}}}, {"values": {}}),
    "absent, since null": ({"absent": True}, None),
    "anything": ({"any": True}, False),
    "two matchers at once": ({"contains": "a", "excludes": "x"}, "abc"),
    "matchers within a list": ([{"contains": "a"}, {"any": True}], ["abc", 0]),
}

FAIL: dict[str, tuple[Any, Any, str]] = {
    "other text": ("pdf", "html", 'outcome: expected "pdf", got "html"'),
    "text for a number": (1, "1", 'outcome: expected 1, got "1"'),
    "true for one": (1, True, "outcome: expected 1, got true"),
    "one for true": (True, 1, "outcome: expected true, got 1"),
    "nothing for text": ({"values": {"format": "pdf"}}, {}, 'values: expected {"format": "pdf"}, got nothing'),
    "a key deep down": ({"a": {"b": {"c": 1}}}, {"a": {"b": {"c": 2}}}, "a.b.c: expected 1, got 2"),
    "text for a mapping": ({"a": {"b": 1}}, {"a": "b"}, 'a: expected {"b": 1}, got "b"'),
    "a list in another order": (["a", "b"], ["b", "a"], 'outcome: expected ["a", "b"], got ["b", "a"]'),
    "a longer list": (["a"], ["a", "b"], 'outcome: expected ["a"], got ["a", "b"]'),
    "text for a list": (["a"], "a", 'outcome: expected ["a"], got "a"'),
    "an empty list for null": (None, [], "outcome: expected null, got []"),
    "a part that is not there": ({"contains": ["a", "x"]}, "abc", 'outcome: expected contains ["a", "x"], got "abc"'),
    "an item of another type": ({"contains": 1}, ["1"], 'outcome: expected contains 1, got ["1"]'),
    "a number in a text": ({"contains": 1}, "1", 'outcome: expected contains 1, got "1"'),
    "parts of nothing": ({"contains": "a"}, None, 'outcome: expected contains "a", got nothing'),
    "parts of a number": ({"contains": 1}, 1, "outcome: expected contains 1, got 1"),
    "an item that is barred": ({"excludes": ["x", "a"]}, ["a"], 'outcome: expected excludes ["x", "a"], got ["a"]'),
    "nothing, of which nothing can be told": ({"excludes": "x"}, None, 'outcome: expected excludes "x", got nothing'),
    "one too many": ({"unordered": ["a"]}, ["a", "a"], 'outcome: expected unordered ["a"], got ["a", "a"]'),
    "one twice": ({"unordered": ["a", "b"]}, ["a", "a"], 'outcome: expected unordered ["a", "b"], got ["a", "a"]'),
    "one item for two": (
        {"unordered": [{"k": 1}, {"n": 2}]},
        [{"k": 1, "n": 2}, {}],
        'outcome: expected unordered [{"k": 1}, {"n": 2}], got [{"k": 1, "n": 2}, {}]',
    ),
    "no list": ({"unordered": []}, {}, "outcome: expected unordered [], got {}"),
    "present": ({"winner": {"absent": True}}, {"winner": "a"}, 'winner: expected nothing, got "a"'),
    "missing": ({"winner": {"any": True}}, {}, "winner: expected something, got nothing"),
    "a matcher within a list": ([{"contains": "x"}], ["abc"], 'outcome: expected [{"contains": "x"}], got ["abc"]'),
}


@pytest.mark.parametrize("name", HOLD)
def test_what_holds_gives_no_line(name: str) -> None:
    expected, got = HOLD[name]
    assert list(mismatches(expected, got)) == []


@pytest.mark.parametrize("name", FAIL)
def test_what_fails_gives_one_line_with_path_expected_and_got(name: str) -> None:
    expected, got, line = FAIL[name]
    assert list(mismatches(expected, got)) == [line]


def test_each_part_that_differs_has_a_line() -> None:
    expected = {"status": "done", "values": {"a": 1, "b": 2}, "order": ["x"]}
    assert list(mismatches(expected, {"status": "question", "values": {"a": 1, "b": 3}, "order": ["x"]})) == [
        'status: expected "done", got "question"',
        "values.b: expected 2, got 3",
    ]


def test_of_two_matchers_the_one_that_fails_is_told() -> None:
    assert list(mismatches({"contains": "a", "excludes": "b"}, "abc")) == ['outcome: expected excludes "b", got "abc"']


def test_a_long_value_is_cut() -> None:
    (line,) = mismatches("a", "b" * 100_000)
    assert len(line) < 300
    assert line.endswith("…")
