"""The pairs of npm's published tests of ranges, but for those that section 9 of the skill runtime leaves out."""

from __future__ import annotations

import tomllib
from pathlib import Path

from skillbag.kernel.manifest.versions import parse_range, satisfies
from tests.rows import each_row

_TABLE = tomllib.loads((Path(__file__).parent / "npm_ranges.toml").read_text("utf-8"))["range"]
NO_RANGES = {
    "": "an empty range is a mistake in a manifest; `*` means any version",
    "||": "an empty alternative, likewise",
    "<\t2.0.0": "only spaces and commas separate",
    "~x": "a comparison with any version; `*` means it",
    "^x": "a comparison with any version; `*` means it",
    "~>3.2.1": "`~>` is RubyGems' spelling of `~`, which section 9 does not have",
    "~>1": "likewise",
    "~> 1": "likewise",
}
_PAIRS = [
    (row["text"], version, holds)
    for row in _TABLE
    for holds, key in ((True, "holds"), (False, "lacks"))
    for version in row[key]
    if row["text"] not in NO_RANGES
]


@each_row(("text", "version", "holds"), _PAIRS)
def test_a_range_of_npm(text: str, version: str, holds: bool) -> None:
    wanted = parse_range(text)
    assert wanted is not None
    assert satisfies(version, wanted) is holds


@each_row("text", NO_RANGES)
def test_what_npm_takes_for_a_range_and_section_9_does_not(text: str) -> None:
    assert parse_range(text) is None


def test_the_table_is_whole() -> None:
    assert len(_PAIRS) > 140
    assert {row["text"] for row in _TABLE} >= set(NO_RANGES)
