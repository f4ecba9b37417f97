"""Expectations of cases compared with outcomes: what holds, and one line for each part that does not."""

from __future__ import annotations

import json
from pathlib import Path

from skillbag.fleet.conformance.kit import mismatches
from tests.rows import each_row

TABLE = json.loads(Path(__file__).with_name("texts").joinpath("matching.json").read_text("utf-8"))
"""By name what is expected and an outcome, and of those that `fail` a line for each part that differs."""


@each_row("name", TABLE["hold"])
def test_a_match_gives_no_line(name: str) -> None:
    expected, got = TABLE["hold"][name]
    assert list(mismatches(expected, got)) == []


@each_row("name", TABLE["fail"])
def test_each_part_that_differs_gives_a_line(name: str) -> None:
    expected, got, *lines = TABLE["fail"][name]
    assert list(mismatches(expected, got)) == lines


def test_a_long_value_is_cut() -> None:
    (line,) = mismatches("a", "b" * 100_000)
    assert len(line) < 300
    assert line.endswith("…")
