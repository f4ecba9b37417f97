"""`Read(src/**)` and the like: paths are held against patterns by what they really lead to."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tests.agents.permissions.path_worlds import ALLOWED, is_allowed, reads
from tests.agents.permissions.shells import lines_of, table


@pytest.mark.parametrize(
    "path",
    table("paths_below"),
)
def test_a_path_below_the_pattern_passes(path: str, root: Path) -> None:
    assert reads(root, path)
    assert reads(root, str(root / path))
    assert reads(root, f"{root}/{path}")


_ODD: list[object] = [
    *("", "src\0", "src/a.py\0", "\0src/a.py", "src/a\n.py", "src/\ud800", "src/\u202ea", " src/a.py"),
    *("src/" + "a/" * 3000, None, 7, True, 1.5, {}, [], [None], {"a": "lib/d.py"}),
    *(["src/a.py", 7], ["src/a.py", "lib/d.py"], ["src/a.py", ["lib/d.py"]]),
]


@pytest.mark.parametrize("path", [*lines_of("paths_blocked"), *_ODD])
def test_any_other_path_is_blocked(path: object, root: Path) -> None:
    for tool in ("Read", "Write"):
        for key in ("file_path", "path", "notebook_path", "paths", "files", "file_paths"):
            assert not reads(root, path, tool=tool, key=key), (tool, key)


@pytest.mark.skipif(not os.path.exists("/proc/self/cwd"), reason="no /proc here")
@pytest.mark.parametrize("path", lines_of("paths_of_processes"))
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
        up = "../" * len((root / "src").resolve().parts)
        given = path.format(root=root, up=up, pid=os.getpid(), folder=folder, file=file)
        assert os.path.exists(given)
        assert not reads(root, given, "Read(src/**) Write(src/**) Grep(src/**)", tool)
        assert not reads(root, given, "Read(**) Write(**) Grep(**) Read(//proc/**)", tool)
    finally:
        os.close(folder)
        os.close(file)


@pytest.mark.skipif(not os.path.exists("/proc/cpuinfo"), reason="no /proc here")
def test_a_plain_file_of_proc_may_be_allowed_by_name(root: Path) -> None:
    assert reads(root, "/proc/cpuinfo", "Read(//proc/cpuinfo)")
    assert not reads(root, "/proc/cpuinfo")
    assert not reads(root, "/proc/self/environ", "Read(//proc/**)")


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
