"""Patterns of files: names, paths, folders, globs; compared with other matchers, and held to linear time."""

from __future__ import annotations

import time
from fnmatch import fnmatchcase
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillbag.runtime.triggers.file_globs import compile_glob
from skillbag.runtime.triggers.file_index import FileIndex
from tests.rows import each_row

FILES = ("Dockerfile", "a.py", "deploy/k8s/web.k8s.yaml", "deploy/notes.md", "src/app/main.go", "src/main.go")


@each_row(
    ("pattern", "path"),
    [
        ("Dockerfile", "Dockerfile"),
        ("main.go", "src/app/main.go"),
        ("*.k8s.yaml", "deploy/k8s/web.k8s.yaml"),
        ("D*e", "Dockerfile"),
        ("?.py", "a.py"),
        ("[a-c].py", "a.py"),
        ("[!b].py", "a.py"),
        ("[]a].py", "a.py"),
        ("k8s/", "deploy/k8s/"),
        ("k?s/", "deploy/k8s/"),
        ("src/", "src/"),
        ("deploy/k8s/", "deploy/k8s/"),
        ("/src/", "src/"),
        ("src/main.go", "src/main.go"),
        ("/a.py", "a.py"),
        ("src/*.go", "src/main.go"),
        ("src/*/main.go", "src/app/main.go"),
        ("src/**/main.go", "src/app/main.go"),
        ("**/*.yaml", "deploy/k8s/web.k8s.yaml"),
        ("deploy/**", "deploy/k8s/web.k8s.yaml"),
        ("**/app/*.go", "src/app/main.go"),
        ("dockerfile", None),
        ("src", None),
        ("/main.go", None),
        ("app/main.go", None),
        ("*/k8s.yaml", None),
        ("src/*.yaml", None),
        ("k8s/*", None),
        ("[z-a].py", None),
        ("[", None),
        ("[a.py", None),
        ("a.py/", None),
        ("", None),
        ("/", None),
    ],
)
def test_what_a_pattern_finds(pattern: str, path: str | None) -> None:
    assert FileIndex(FILES).find(pattern) == path


def test_names_with_line_ends_and_undecodable_bytes_are_names() -> None:
    index = FileIndex(["a\nb.txt", "c\udcff.bin"])
    assert (index.find("a*b.txt"), index.find("b.txt"), index.find("*.bin")) == ("a\nb.txt", None, "c\udcff.bin")


@each_row("pattern", ["*.f", "*.e.f", "*.c.d.e.f", "*.b.c.d.e.f", "*.a.b.c.d.e.f", "*.", "*.*"])
def test_an_extension_may_have_many_dots(pattern: str) -> None:
    assert (FileIndex([".a.b.c.d.e.f"]).find(pattern) is None) == (pattern == "*.")


def test_a_name_without_a_dot_has_no_extension() -> None:
    assert FileIndex(["Makefile", "src/Makefile"]).find("*.Makefile") is None


def test_the_index_knows_the_languages_of_its_files() -> None:
    assert FileIndex(FILES).languages == {"dockerfile", "go", "markdown", "python", "yaml"}


SHORT = ("a", "b", "c", "-", "]", "!", "*", "a]", "*]")
NAMES = st.text("ab.[-]!", min_size=1, max_size=6)


@given(st.text("ab.*?[-]!", min_size=1, max_size=8), st.lists(NAMES, max_size=5))
def test_a_name_is_matched_as_fnmatch_does(pattern: str, names: list[str]) -> None:
    found = FileIndex(names).find(pattern)
    expected = [name for name in names if fnmatchcase(name, pattern)]
    if any(character in pattern for character in "*?["):
        assert (found in expected) if expected else found is None
    else:
        assert found == (pattern if pattern in names else None)


@pytest.mark.parametrize("begin", ["", "!"])
def test_every_short_bracket_is_matched_as_fnmatch_does(begin: str) -> None:
    for inside in map("".join, product(" ac-]!*", repeat=3)):
        pattern = f"[{begin}{inside.replace(' ', '')}]"
        expression = compile_glob(pattern).expression
        found = [name for name in SHORT if expression.match(name)]
        assert found == [name for name in SHORT if fnmatchcase(name, pattern)], pattern


def matches(pattern: list[str], path: list[str]) -> bool:
    """Whether the names of a path match, tried in every way."""
    if not pattern:
        return not path
    head, *rest = pattern
    if head != "**":
        return bool(path) and fnmatchcase(path[0], head) and matches(rest, path[1:])
    if not rest:
        return bool(path)
    return any(matches(rest, path[number:]) for number in range(len(path) + 1))


PARTS = st.sampled_from(["**", "*", "a", "b", "a*", "?"])


@given(
    st.lists(PARTS, min_size=2, max_size=5), st.lists(st.sampled_from(["a", "b", "ab", "c"]), min_size=1, max_size=6)
)
def test_a_path_is_matched_as_if_everything_was_tried(pattern: list[str], path: list[str]) -> None:
    found = FileIndex(["/".join(path)]).find("/".join(pattern))
    assert (found is not None) == matches(pattern, path)


@each_row("pattern", ["*a" * 60 + "b", "**/a*/" * 40 + "b", "?*" * 60 + "b", "x/" + "**/*a*a/" * 30 + "b"])
def test_a_hostile_pattern_takes_no_time(pattern: str) -> None:
    index = FileIndex(["a" * 250, "x/" + "aa/" * 80 + "a", "bb"])
    began = time.perf_counter()
    assert index.find(pattern) is None
    assert time.perf_counter() - began < 10
