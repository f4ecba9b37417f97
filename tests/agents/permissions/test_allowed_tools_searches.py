"""Patterns of paths as git reads them, where a search may begin, and `WebFetch(domain:example.com)`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tests.agents.permissions.path_worlds import ALLOWED, is_allowed, reads
from tests.agents.permissions.shells import table
from tests.rows import each_row


@pytest.mark.parametrize(
    ("pattern", "passing", "blocked"),
    table("paths"),
)
def test_patterns_are_read_as_git_reads_them(pattern: str, passing: list[str], blocked: list[str], root: Path) -> None:
    for path in passing:
        assert reads(root, path, f"Read({pattern})"), path
    for path in blocked:
        assert not reads(root, path, f"Read({pattern})"), path


def test_patterns_from_home_and_from_the_root_of_the_file_system(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))

    assert reads(root, "../secret/key", "Read(~/secret/**)")
    assert reads(None, str(tmp_path / "secret/key"), "Read(~/secret/**)")
    assert reads(root, str(tmp_path / "secret/key"), f"Read(/{tmp_path}/secret/**)")
    assert reads(None, "/etc/hostname-of-nobody", "Read(//etc/**)")
    assert not reads(root, "src/a.py", "Read(~/secret/**)")
    assert not reads(root, "/etc/passwd", "Read(~/secret/**)")
    assert not reads(root, "/var/x", "Read(//etc/**)")
    assert not reads(root, "~/secret/key", "Read(~/secret/**)")


def test_without_a_workspace_nothing_is_relative(root: Path) -> None:
    for path in ("src/a.py", str(root / "src/a.py")):
        assert not reads(None, path)


def test_the_workspace_may_be_reached_through_a_link(root: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(root)

    assert reads(tmp_path / "link", "src/a.py")
    assert reads(tmp_path / "link", str(root / "src/a.py"))
    assert reads(root, str(tmp_path / "link/src/a.py"))


@pytest.mark.parametrize(
    ("arguments", "passes"),
    [
        ({"path": "src"}, True),
        ({"path": "src/"}, True),
        ({"path": "src/deep"}, True),
        ({"path": "in"}, True),
        ({"path": "src/a.py"}, True),
        ({"path": "."}, False),
        ({"path": ""}, False),
        ({"path": "src/.."}, False),
        ({"path": "src/out"}, False),
        ({"path": "lib"}, False),
        ({}, False),
    ],
)
def test_a_search_must_begin_in_a_folder_that_is_allowed_whole(
    arguments: dict[str, Any], passes: bool, root: Path
) -> None:
    assert is_allowed(ALLOWED, "Grep", {"pattern": "../x|/etc", **arguments}, str(root)) is passes
    assert is_allowed(ALLOWED, "Glob", {"pattern": "**/*.py", **arguments}, str(root)) is passes
    assert not is_allowed("Grep(src/*.py)", "Grep", {"pattern": "x", "path": "src"}, str(root))


def test_the_whole_workspace_may_be_searched_where_all_of_it_is_allowed(root: Path) -> None:
    for pattern in ("**", "./**", "/**"):
        assert is_allowed(f"Grep({pattern})", "Grep", {"pattern": "x", "path": "."}, str(root))
        assert not is_allowed(f"Grep({pattern})", "Grep", {"pattern": "x", "path": ".."}, str(root))


@pytest.mark.parametrize(
    ("allowed", "tool", "arguments", "passes"),
    [
        ("Glob(src/**)", "Glob", {"pattern": "src/**/*.py"}, True),
        ("Read(src/**)", "Glob", {"pattern": "src/deep/*"}, True),
        ("Glob(src/**)", "Glob", {"pattern": "deep/b.py", "path": "src"}, True),
        ("Glob(src/deep/**)", "Glob", {"pattern": "src/deep/*.py", "path": "."}, True),
        ("Glob(**)", "Glob", {"pattern": "**/*.py"}, True),
        ("Grep(**)", "Grep", {"pattern": "x"}, True),
        ("LS(**)", "LS", {}, True),
        ("Glob(src/**)", "Glob", {"pattern": "**/*.py"}, False),
        ("Glob(src/**)", "Glob", {"pattern": "{src,lib}/*"}, False),
        ("Glob(src/**)", "Glob", {"pattern": "src*/*"}, False),
        ("Glob(src/**)", "Glob", {"pattern": "lib/*.py"}, False),
        ("Glob(src/**)", "Glob", {"pattern": "src/out/*"}, False),
        ("Glob(src/**)", "Glob", {"pattern": "out/*", "path": "src"}, False),
        ("Glob(src/**)", "Glob", {"pattern": "src/../lib/*"}, False),
        ("Glob(src/**)", "Glob", {"pattern": "/etc/*"}, False),
        ("Glob(src/**)", "Glob", {"pattern": "src/*", "path": ""}, False),
        ("Glob(src/**)", "Glob", {"pattern": "src/*", "path": None}, False),
        ("Glob(src/**)", "Glob", {"pattern": "src/*", "path": ["."]}, True),
        ("Glob(src/**)", "Glob", {"pattern": "src/*", "path": [".", "lib"]}, False),
        ("Glob(**)", "Glob", {}, False),
        ("Grep(src/**)", "Grep", {"pattern": "x"}, False),
        ("Read(**)", "Read", {}, False),
        ("Write(**)", "Write", {"content": "x"}, False),
    ],
)
def test_a_search_without_a_path_begins_at_the_root_and_a_glob_at_its_first_folders(
    allowed: str, tool: str, arguments: dict[str, Any], passes: bool, root: Path
) -> None:
    assert is_allowed(allowed, tool, arguments, str(root)) is passes


def test_a_glob_may_name_its_folder_from_the_root_of_the_file_system(root: Path) -> None:
    for pattern, passes in ((f"{root}/src/*.py", True), (f"{root}/lib/*", False), ("/*", False), ("//*", False)):
        for path in ({}, {"path": "src"}):
            assert is_allowed("Glob(src/**)", "Glob", {"pattern": pattern, **path}, str(root)) is passes


@pytest.mark.parametrize("pattern", ["*.py", "**/*", "*.{ts,tsx}", "[ab]*.py", "deep/*", "a?c"])
def test_a_glob_within_its_folder_passes(pattern: str, root: Path) -> None:
    assert is_allowed(ALLOWED, "Glob", {"pattern": pattern, "path": "src"}, str(root))


@each_row("path", ["~/key", "~", "~root/key"])
def test_a_tilde_that_a_tool_may_take_for_a_home_is_no_folder_of_the_workspace(path: str, tmp_path: Path) -> None:
    assert reads(tmp_path, "key", "Read(**)")
    assert not reads(tmp_path, path, "Read(**)")


@pytest.mark.parametrize(
    "pattern",
    [*table("globs"), None, 7, ["a"]],
)
def test_a_glob_that_may_leave_its_folder_is_blocked(pattern: object, root: Path) -> None:
    assert not is_allowed(ALLOWED, "Glob", {"pattern": pattern, "path": "src"}, str(root))


def test_tools_that_are_not_about_files_have_no_patterns_of_paths(root: Path) -> None:
    for tool in ("Task", "Anything", "mcp__a__b"):
        assert not is_allowed(f"{tool}(src/**)", tool, {"path": "src/a.py"}, str(root))
    assert not is_allowed("Read(src/**)", "Write", {"file_path": "src/a.py"}, str(root))


def test_where_case_counts_in_the_pattern_it_counts_in_the_path(root: Path) -> None:
    assert reads(root, "SRC2/e.py", "Read(SRC2/**)")
    assert not reads(root, "SRC2/e.py", "Read(src2/**)")
    assert not reads(root, os.path.join("src2", "e.py"), "Read(SRC2/**)")


@each_row(
    ("url", "passes"),
    [*table("domains"), (None, False)],
)
def test_domains(url: object, passes: bool) -> None:
    assert is_allowed("WebFetch(domain:example.com)", "WebFetch", {"url": url, "prompt": "x"}, None) is passes


@each_row("body", ["example.com", "domain:", "domain:*", "domain:*.com", "domain:exämple.com", "domain:a/b"])
def test_other_words_about_addresses_allow_nothing(body: str) -> None:
    assert not is_allowed(f"WebFetch({body})", "WebFetch", {"url": "https://example.com"}, None)
    assert not is_allowed(f"WebFetch({body})", "WebFetch", {}, None)


def test_an_address_is_looked_for_under_any_name() -> None:
    allowed = "WebFetch(domain:example.com)"
    good = "https://example.com"

    assert not is_allowed(allowed, "WebFetch", {"url": good, "base_url": "https://evil.org"}, None)
    assert not is_allowed(allowed, "WebFetch", {"url": good, "more": [{"URI": "https://evil.org"}]}, None)
    assert not is_allowed(allowed, "WebSearch", {"url": good}, None)
