"""Versions and ranges: the forms of SemVer and npm, and what is in a range."""

from __future__ import annotations

import subprocess
import sys

from hypothesis import given
from hypothesis import strategies as st

from skillbag.kernel.manifest.versions import highest, is_version, parse_range, satisfies
from tests.rows import each_row
from tests.support import PROJECT

IN = [
    ("^0.2.3", "0.2.9"),
    ("^1.2.3", "1.9.0"),
    ("^0.0.3", "0.0.3"),
    ("~1.2", "1.2.9"),
    ("~1.2.3", "1.2.3"),
    (">=1.0.0, <2", "1.9.0"),
    (">=1.0.0,<2", "1.9.0"),
    (">= 1.0  <2", "1.0.0"),
    ("1.2 - 2.3", "2.3.9"),
    ("1.2.3  -  2.3.4, !=2.0.0", "2.3.4"),
    ("!=1.5.0", "1.5.1"),
    (">=1.0 !=1.x", "2.4.0"),
    ("1.x || >=3", "3.0.0"),
    ("1", "1.9.9"),
    ("*", "0.0.1"),
    (">=x", "1.2.3"),
    ("=v1.2.3", "1.2.3"),
    ("1.2.3+build", "1.2.3"),
    (">=1.0.0-a", "1.0.0-b"),
    ("^1.0.0-a", "1.0.0-b"),
    ("<2.0.0-rc.1", "2.0.0-alpha"),
    ("<=1", "1.5.0"),
]
OUT = [
    ("^0.2.3", "0.3.0"),
    ("^0.0.3", "0.0.4"),
    ("~1.2", "1.3.0"),
    (">=1.0.0, <2", "2.0.0"),
    ("1.2 - 2.3", "2.4.0"),
    ("1.2.3 - 2.3.4, !=2.0.0", "2.0.0"),
    ("!=1.5.0", "1.5.0"),
    (">=1.0 !=1.x", "1.4.0"),
    ("1.x || >=3", "2.0.0"),
    (">1", "1.5.0"),
    ("*", "1.0.0-a"),
    ("<2.0.0", "2.0.0-alpha"),
    (">=1.0.0-a", "1.0.1-b"),
    ("1.0.0", "one"),
]
NO_RANGES = ["", " ", "latest", "1.2.3.4", "1.2 -", "<*", "^x", "1.x.3", ">=", "01.2", "|| 1", "1-beta", "1 - 2 - 3"]


@each_row(("text", "version", "expected"), [(*p, True) for p in IN] + [(*p, False) for p in OUT])
def test_what_is_in_a_range(text: str, version: str, expected: bool) -> None:
    wanted = parse_range(text)
    assert wanted is not None
    assert satisfies(version, wanted) is expected


@each_row("text", [*NO_RANGES, "1" * 300, "1.0.0 " * 60])
def test_a_text_that_is_no_range(text: str) -> None:
    assert parse_range(text) is None


def test_the_highest_in_a_range() -> None:
    wanted = parse_range(">=1.0.0")
    assert wanted is not None
    assert highest(["0.9.0", "1.2.0", "1.10.0", "2.0.0-rc.1", "junk", "1.9.0"], wanted) == "1.10.0"
    assert highest(["0.9.0", "junk"], wanted) is None


GOOD = ["0.0.0", "1.2.3", "1.0.0-alpha.1", "1.0.0--", "1.0.0-0a.b+001", "1.0.0+20130313144700"]
BAD = ["", "1", "1.2", "01.2.3", "1.2.3-", "1.2.3-01", "1.2.3+", "v1.2.3", "1.2.3 ", "1.2.3\n", "1.2.3-ä", "1.0.0-a..b"]


@each_row("text", GOOD)
def test_a_version(text: str) -> None:
    assert is_version(text)


@each_row("text", [*BAD, "1.0.0-" + "a" * 300])
def test_no_version(text: str) -> None:
    assert not is_version(text)


PART = st.integers(0, 12).map(str)
MARKED = st.builds("{}.{}.{}{}".format, PART, PART, PART, st.sampled_from(["", "-a", "-rc.1", "-0", "+b"]))
PARTIAL = st.one_of(MARKED, PART, st.builds("{}.{}".format, PART, PART), st.builds("{}.x".format, PART))
COMPARATOR = st.builds(
    "{}{}".format, st.sampled_from(["", "=", ">", ">=", "<", "<=", "^", "~", "!=", ">= ", "^ "]), PARTIAL
)
HYPHENS = st.builds("{} - {}".format, PARTIAL, PARTIAL)
BOTH = st.builds("{}{}{}".format, COMPARATOR, st.sampled_from([" ", ", ", "  ", ","]), COMPARATOR)
RANGE = st.lists(st.one_of(COMPARATOR, HYPHENS, BOTH), min_size=1, max_size=3).map(" || ".join)


@given(RANGE, MARKED)
def test_every_range_of_the_grammar_can_be_compared(text: str, version: str) -> None:
    wanted = parse_range(text)
    assert wanted is not None, text
    assert satisfies(version, wanted) in (True, False)


@given(st.text(max_size=20))
def test_no_text_makes_it_raise(text: str) -> None:
    wanted = parse_range(text)
    if wanted is not None:
        satisfies("1.0.0", wanted)
    is_version(text)


WITHOUT = """
import sys
sys.modules["semantic_version"] = None
from skillbag.kernel.manifest.versions import is_version, parse_range, satisfies
assert is_version("1.0.0") and parse_range("^1.0")
try:
    satisfies("1.0.0", parse_range("^1.0"))
except Exception as error:
    print(type(error).__name__, error)
"""


def test_without_the_package_only_comparing_is_refused() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT], cwd=PROJECT, capture_output=True, text=True, check=True)
    message = "comparing versions of skills needs the package semantic-version: pip install 'skillbag[runtime]'"
    assert done.stdout == f"UserError {message}\n"
