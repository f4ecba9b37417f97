"""`Read(src/**)` and the like: paths are held against patterns by what they really lead to."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from skillbag.permissions.allowed_tools import is_allowed

ALLOWED = "Read(src/**) Write(src/**) Glob(src/**) Grep(src/**)"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace beside something secret, with links in every direction."""
    root = tmp_path / "work"
    for name in ("src/a.py", "src/deep/b.py", "srcx/c.py", "lib/d.py", "SRC2/e.py", "../secret/key", "src/n ü.py"):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    links = {
        "src/out": "../../secret",
        "src/key": "../../secret/key",
        "src/lib": "../lib",
        "src/inner": "deep",
        "lib/back": "../src/deep",
        "src/loop": "loop",
        "src/absolute": str(tmp_path / "secret"),
        "in": "src",
        "in-file": "src/a.py",
    }
    for name, target in links.items():
        (root / name).symlink_to(target)
    return root


def _reads(root: Path | None, path: object, allowed: str = ALLOWED, tool: str = "Read", key: str = "file_path") -> bool:
    return is_allowed(allowed, tool, {key: path}, None if root is None else str(root))


@pytest.mark.parametrize(
    "path",
    [
        "src/a.py",
        "./src/a.py",
        "src//a.py",
        "src/./a.py",
        "src/deep/b.py",
        "src/deep/../a.py",
        "lib/../src/a.py",
        "src/new.py",
        "src/new/deep/x",
        "src/inner/b.py",
        "src/n ü.py",
        "src/..x",
        "src/~",
        "src/out/../work/src/a.py",
        "in/a.py",
        "in-file",
    ],
)
def test_a_path_below_the_pattern_passes(path: str, root: Path) -> None:
    assert _reads(root, path)
    assert _reads(root, str(root / path))
    assert _reads(root, f"{root}/{path}")


@pytest.mark.parametrize(
    "path",
    [
        "",
        ".",
        "..",
        "/",
        "src\0",
        "src/a.py\0",
        "\0src/a.py",
        "src/a\n.py",
        "src/\ud800",
        "src/\u202ea",
        "lib/d.py",
        "srcx/c.py",
        "SRC/a.py",
        "Src/a.py",
        "src /a.py",
        " src/a.py",
        "ѕrc/a.py",
        "s/rc/a.py",
        "x/src/a.py",
        "src/../lib/d.py",
        "src/../../secret/key",
        "src/deep/../../lib/d.py",
        "src/out/key",
        "src/out",
        "src/key",
        "src/absolute/key",
        "src/lib/d.py",
        "src/lib",
        "src/lib/../a.py",
        "src/inner/../../lib/d.py",
        "lib/back/../a.py",
        "in/../lib/d.py",
        "in/key",
        "../work/lib/d.py",
        "../secret/key",
        "/etc/passwd",
        "//etc/passwd",
        "/src/a.py",
        "~/src/a.py",
        "~",
        "~root/src/a.py",
        "file:///etc/passwd",
        "src/" + "a/" * 3000,
        None,
        7,
        True,
        1.5,
        {},
        [],
        [None],
        ["src/a.py", 7],
        ["src/a.py", "lib/d.py"],
        ["src/a.py", ["lib/d.py"]],
        {"a": "lib/d.py"},
    ],
)
def test_any_other_path_is_blocked(path: object, root: Path) -> None:
    for tool in ("Read", "Write"):
        for key in ("file_path", "path", "notebook_path", "paths", "files", "file_paths"):
            assert not _reads(root, path, tool=tool, key=key), (tool, key)


_FOR_EACH_PROCESS = [
    "/proc/self/cwd/src/a.py",
    "/proc/self/root{root}/src/a.py",
    "/proc/{pid}/cwd/src/a.py",
    "/proc/{pid}/root{root}/src/a.py",
    "/proc/thread-self/cwd/src/a.py",
    "/proc/self/task/{pid}/cwd/src/a.py",
    "/proc/self/../self/cwd/src/a.py",
    "//proc/self/cwd/src/a.py",
    "/proc//self/./cwd/src/a.py",
    "/dev/../proc/self/cwd/src/a.py",
    "{root}/src/../../../../../../../../../../proc/self/cwd/src/a.py",
    "/dev/fd/{folder}/a.py",
    "/proc/self/fd/{folder}/a.py",
    "/dev/fd/{file}",
    "/proc/self/fd/{file}",
    "/proc/{pid}/fd/{file}",
    "/dev/stdin",
    "src/here/src/a.py",
    "src/chain/src/a.py",
    "src/open/a.py",
]


@pytest.mark.skipif(not os.path.exists("/proc/self/cwd"), reason="no /proc here")
@pytest.mark.parametrize("path", _FOR_EACH_PROCESS)
@pytest.mark.parametrize("tool", ["Read", "Write", "Grep"])
def test_a_path_that_leads_each_process_elsewhere_is_blocked(
    path: str, tool: str, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(root)
    folder, file = os.open(root / "src", os.O_RDONLY), os.open(root / "src/a.py", os.O_RDONLY)
    (root / "src/here").symlink_to("/proc/self/cwd")
    (root / "lib/self").symlink_to("/proc/self")
    (root / "src/chain").symlink_to("../lib/self/cwd")
    (root / "src/open").symlink_to(f"/dev/fd/{folder}")
    try:
        given = path.format(root=root, pid=os.getpid(), folder=folder, file=file)
        assert os.path.exists(given)
        assert not _reads(root, given, "Read(src/**) Write(src/**) Grep(src/**)", tool)
        assert not _reads(root, given, "Read(**) Write(**) Grep(**) Read(//proc/**)", tool)
    finally:
        os.close(folder)
        os.close(file)


@pytest.mark.skipif(not os.path.exists("/proc/cpuinfo"), reason="no /proc here")
def test_a_plain_file_of_proc_may_be_allowed_by_name(root: Path) -> None:
    assert _reads(root, "/proc/cpuinfo", "Read(//proc/cpuinfo)")
    assert not _reads(root, "/proc/cpuinfo")
    assert not _reads(root, "/proc/self/environ", "Read(//proc/**)")


def test_all_of_several_paths_must_match(root: Path) -> None:
    def passes(**arguments: Any) -> bool:
        return is_allowed(ALLOWED, "Read", arguments, str(root))

    assert passes(file_path="src/a.py", paths=["src/deep/b.py", "in/a.py"], offset=3, limit=10)
    assert not passes(file_path="src/a.py", path="lib/d.py")
    assert not passes(file_path="src/a.py", output_file="lib/d.py")
    assert not passes(file_path="src/a.py", options={"cwd": "/tmp"})
    assert not passes(file_path="src/a.py", paths={"a": ["lib/d.py"]})
    assert not passes(file_path="src/a.py", edits=[{"file_path": "lib/d.py"}])
    assert not passes(offset=3)
    assert not passes(paths=[])
    assert not is_allowed(ALLOWED, "Read", None, str(root))
    assert not is_allowed(ALLOWED, "Read", {}, str(root))


@pytest.mark.parametrize(
    ("pattern", "passing", "blocked"),
    [
        ("src", ["src/a.py", "src/deep/b.py"], ["lib/d.py", "srcx/c.py"]),
        ("/src/**", ["src/a.py"], ["lib/src/a.py", "/src/a.py"]),
        ("./src/**", ["src/a.py"], ["lib/d.py"]),
        ("src/*", ["src/a.py"], ["lib/d.py"]),
        ("src/*.py", ["src/a.py"], ["src/deep/b.py", "src/a.txt"]),
        ("*.py", ["src/a.py", "src/deep/b.py"], ["src/a.txt", "../secret/x.py"]),
        ("**", ["src/a.py", "x"], ["../secret/key", "src/out/key"]),
        ("src/[ab].py", ["src/a.py"], ["src/c.py"]),
        ("src/a.py", ["src/a.py", "in-file"], ["src/b.py"]),
        ("!src/**", [], ["src/a.py", "lib/d.py"]),
        ("#src", [], ["src/a.py", "#src"]),
        ("../secret/**", [], ["../secret/key"]),
        ("/etc/**", [], ["/etc/passwd"]),
        ("src/**\n*", [], ["lib/d.py"]),
        ("a\\", [], ["a", "a\\"]),
    ],
)
def test_patterns_are_read_as_git_reads_them(pattern: str, passing: list[str], blocked: list[str], root: Path) -> None:
    for path in passing:
        assert _reads(root, path, f"Read({pattern})"), path
    for path in blocked:
        assert not _reads(root, path, f"Read({pattern})"), path


def test_patterns_from_home_and_from_the_root_of_the_file_system(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))

    assert _reads(root, "../secret/key", "Read(~/secret/**)")
    assert _reads(None, str(tmp_path / "secret/key"), "Read(~/secret/**)")
    assert _reads(root, str(tmp_path / "secret/key"), f"Read(/{tmp_path}/secret/**)")
    assert _reads(None, "/etc/hostname-of-nobody", "Read(//etc/**)")
    assert not _reads(root, "src/a.py", "Read(~/secret/**)")
    assert not _reads(root, "/etc/passwd", "Read(~/secret/**)")
    assert not _reads(root, "/var/x", "Read(//etc/**)")
    assert not _reads(root, "~/secret/key", "Read(~/secret/**)")


def test_without_a_workspace_nothing_is_relative(root: Path) -> None:
    for path in ("src/a.py", str(root / "src/a.py")):
        assert not _reads(None, path)


def test_the_workspace_may_be_reached_through_a_link(root: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(root)

    assert _reads(tmp_path / "link", "src/a.py")
    assert _reads(tmp_path / "link", str(root / "src/a.py"))
    assert _reads(root, str(tmp_path / "link/src/a.py"))


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


@pytest.mark.parametrize("pattern", ["*.py", "**/*", "*.{ts,tsx}", "[ab]*.py", "deep/*", "a?c"])
def test_a_glob_within_its_folder_passes(pattern: str, root: Path) -> None:
    assert is_allowed(ALLOWED, "Glob", {"pattern": pattern, "path": "src"}, str(root))


@pytest.mark.parametrize("path", ["~/key", "~", "~root/key"])
def test_a_tilde_that_a_tool_may_take_for_a_home_is_no_folder_of_the_workspace(path: str, tmp_path: Path) -> None:
    assert _reads(tmp_path, "key", "Read(**)")
    assert not _reads(tmp_path, path, "Read(**)")


@pytest.mark.parametrize(
    "pattern",
    [
        "../**",
        "/etc/*",
        "~/x",
        "a/../../b",
        "{../..,x}/*",
        ".{.,x}/y",
        "{/etc/passwd,x}",
        "{x,/etc}",
        "[.]./x",
        "x/.[.]/y",
        ".\\./x",
        "\\etc",
        "c:/x",
        "@(/etc)/x",
        None,
        7,
        ["a"],
    ],
)
def test_a_glob_that_may_leave_its_folder_is_blocked(pattern: object, root: Path) -> None:
    assert not is_allowed(ALLOWED, "Glob", {"pattern": pattern, "path": "src"}, str(root))


def test_tools_that_are_not_about_files_have_no_patterns_of_paths(root: Path) -> None:
    for tool in ("Task", "Anything", "mcp__a__b"):
        assert not is_allowed(f"{tool}(src/**)", tool, {"path": "src/a.py"}, str(root))
    assert not is_allowed("Read(src/**)", "Write", {"file_path": "src/a.py"}, str(root))


def test_where_case_counts_in_the_pattern_it_counts_in_the_path(root: Path) -> None:
    assert _reads(root, "SRC2/e.py", "Read(SRC2/**)")
    assert not _reads(root, "SRC2/e.py", "Read(src2/**)")
    assert not _reads(root, os.path.join("src2", "e.py"), "Read(SRC2/**)")
