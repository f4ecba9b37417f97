"""`search_files`: the globs of git, compared with pathspec, and bounded however hostile they are."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pathspec import GitIgnoreSpec

from skillbag.runtime.errors import BadParametersError, RuntimeFaultError
from skillbag.runtime.host import search
from skillbag.runtime.host.search import matches, parse_glob
from tests.rows import each_row
from tests.runtime.hosts import make_world
from tests.sampling import EXAMPLES
from tests.supply.install.worlds import write

TREE = {
    **{f"work/{path}": "" for path in ("src/deep/b.py", "src/c.txt", "top.py", ".hidden/d.py", "data/own.txt")},
    **{f"work/{path}": "" for path in (".git/e.py", "node_modules/f.py", "sp ace/g.py", "brackets/[x].py")},
}


@each_row(
    ("pattern", "found"),
    [
        ("*.py", [".hidden/d.py", "brackets/[x].py", "sp ace/g.py", "src/a.py", "src/deep/b.py", "top.py"]),
        ("/*.py", ["top.py"]),
        ("src/*.py", ["src/a.py"]),
        ("src/**/*.py", ["src/a.py", "src/deep/b.py"]),
        ("**/deep/*", ["src/deep/b.py"]),
        ("src/", ["src/a.py", "src/c.txt", "src/deep/b.py"]),
        ("src", ["src/a.py", "src/c.txt", "src/deep/b.py"]),
        ("src/**", ["src/a.py", "src/c.txt", "src/deep/b.py"]),
        ("src/**/", ["src/deep/b.py"]),
        ("[ab].py", ["src/a.py", "src/deep/b.py"]),
        ("[^ab].*", ["sp ace/g.py", "src/c.txt", ".hidden/d.py"]),
        (r"\[x\].py", ["brackets/[x].py"]),
        ("top.py/", []),
        ("../*", []),
        ("*.none", []),
    ],
)
def test_a_glob_finds_what_git_would(tmp_path: Path, pattern: str, found: list[str]) -> None:
    write(tmp_path, TREE)
    assert make_world(tmp_path).call("search_files", pattern) == sorted(found)


def test_each_path_is_what_reads_the_file_that_was_found(tmp_path: Path) -> None:
    world = make_world(write(tmp_path, {**TREE, "work/data/own.txt": "the workspace's"}))
    assert world.call("search_files", "own.txt") == [f"{world.work}/data/own.txt"]
    assert world.call("read_file", f"{world.work}/data/own.txt") == "the workspace's"


def test_without_a_workspace_the_skill_is_searched(tmp_path: Path) -> None:
    assert make_world(tmp_path, workspace=None).call("search_files", "*.txt") == ["both.txt", "data/own.txt"]


def test_links_and_what_is_no_file_are_not_found(tmp_path: Path) -> None:
    world = make_world(tmp_path)
    (world.work / "link.py").symlink_to(world.top / "secret")
    (world.work / "out").symlink_to(world.top / "work-b")
    (world.work / "circle").symlink_to(".")
    (world.work / "pipe.py").symlink_to("/dev/null")
    assert world.call("search_files", "*.py") == ["src/a.py"]
    assert world.call("search_files", "secret") == []


@each_row("pattern", ["", "/", "//", "!x", "#x", "x" * 2000])
def test_what_is_no_glob_is_refused(tmp_path: Path, pattern: str) -> None:
    with pytest.raises(BadParametersError, match="search_files: give one glob"):
        make_world(tmp_path).call("search_files", pattern)


@pytest.mark.parametrize("limit", ["MAX_FILES", "MAX_FOUND"])
def test_there_is_an_end_to_what_is_searched_and_found(
    tmp_path: Path, limit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = make_world(write(tmp_path, TREE))
    monkeypatch.setattr(search, limit, 3)
    with pytest.raises(RuntimeFaultError, match="more than 3 files"):
        world.call("search_files", "*")


@each_row("pattern", ["*a" * 100 + "b", "**/" * 100 + "b", "**/a/" * 50 + "b", "[a-" * 200, "*" * 900])
def test_a_hostile_glob_takes_no_time(pattern: str) -> None:
    glob, began = parse_glob(pattern), time.perf_counter()
    matches(glob, "a" * 250)
    matches(glob, "a/" * 30 + "a")
    assert time.perf_counter() - began < 10


PART = st.text("ab*?", min_size=1, max_size=3).filter(lambda part: "**" not in part)
GLOBS = st.builds(
    lambda before, parts, after: before + "/".join(parts) + after,
    st.sampled_from(["", "/"]),
    st.lists(st.one_of(PART, st.just("**")), min_size=1, max_size=4),
    st.sampled_from(["", "/"]),
).filter(lambda pattern: not pattern.endswith("**/"))  # pathspec matches more than git then
PATHS = st.lists(st.text("ab", min_size=1, max_size=2), min_size=1, max_size=4).map("/".join)


@settings(max_examples=4 * EXAMPLES, deadline=None)
@given(GLOBS, PATHS)
@example("a/**", "a")
@example("**/a", "b/a/b")
@example("a/**/b", "a/b")
def test_a_glob_matches_what_pathspec_says(pattern: str, path: str) -> None:
    assert matches(parse_glob(pattern), path) == GitIgnoreSpec.from_lines([pattern]).match_file(path)
