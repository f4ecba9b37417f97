"""Listing and writing below a folder without following a link."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest

from skillbag.kernel.fs.confined import NoRegularFileError
from skillbag.kernel.fs.without_links import Item, LinkError, list_folder, write_beneath
from tests.supply.install.worlds import write

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links and descriptors of POSIX")


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """A folder with a file, and a secret beside it."""
    write(tmp_path, {"secret": "secret", "out/file": "secret", "top/a/b/file": "text"})
    return tmp_path.resolve() / "top"


def test_a_folder_is_listed_by_name_and_a_link_is_no_folder(top: Path) -> None:
    (top / "a/link").symlink_to("b")
    (top / "a/äö").write_text("12")
    size = (top / "a/b").stat().st_size
    assert list_folder(str(top), ("a",)) == [Item("b", True, size), Item("link", False, 1), Item("äö", False, 2)]
    assert [item.name for item in list_folder(str(top), ())] == ["a"]


@pytest.mark.parametrize("names", [("link",), ("link", "b"), ("a", "in", "x")])
def test_a_link_is_not_listed_through(top: Path, names: tuple[str, ...]) -> None:
    (top / "link").symlink_to("a")
    (top / "a/in").symlink_to(top.parent / "out")
    with pytest.raises(LinkError):
        list_folder(str(top), names)


def test_a_folder_above_that_became_a_link_is_refused(top: Path) -> None:
    top.rename(top.parent / "moved")
    top.symlink_to("moved")
    for call in (lambda: list_folder(str(top), ("a",)), lambda: write_beneath(str(top), ("x",), b"")):
        with pytest.raises(OSError, match=r"link|Not a directory"):
            call()
    assert not (top.parent / "moved/x").exists()


def test_what_is_no_folder_is_told(top: Path) -> None:
    with pytest.raises(FileNotFoundError):
        list_folder(str(top), ("gone",))
    with pytest.raises(NotADirectoryError):
        list_folder(str(top), ("a", "b", "file"))


def test_a_new_file_has_the_usual_permissions_and_an_old_one_keeps_its_own(top: Path) -> None:
    before = os.umask(0o027)
    try:
        write_beneath(str(top), ("new", "file"), b"1")
    finally:
        os.umask(before)
    assert stat.S_IMODE((top / "new/file").stat().st_mode) == 0o640
    (top / "new/file").chmod(0o4755)
    write_beneath(str(top), ("new", "file"), b"2")
    assert stat.S_IMODE((top / "new/file").stat().st_mode) == 0o755


@pytest.mark.parametrize("names", [("link",), ("gone",), ("out", "file"), ("out", "new"), ("a", "out", "x", "y")])
def test_no_link_is_written_through_or_replaced(top: Path, names: tuple[str, ...]) -> None:
    (top / "link").symlink_to(top.parent / "secret")
    (top / "gone").symlink_to(top.parent / "gone")
    (top / "out").symlink_to(top.parent / "out")
    (top / "a/out").symlink_to(top.parent / "out")
    with pytest.raises(LinkError):
        write_beneath(str(top), names, b"changed")
    assert (top / "link").is_symlink()
    assert sorted(path.name for path in top.parent.rglob("*") if "new" in path.name or "gone" in path.name) == ["gone"]
    assert (top.parent / "secret").read_text() == (top.parent / "out/file").read_text() == "secret"


def test_a_pipe_or_a_folder_is_not_replaced(top: Path) -> None:
    os.mkfifo(top / "pipe")
    with pytest.raises(NoRegularFileError):
        write_beneath(str(top), ("pipe",), b"x")
    with pytest.raises(IsADirectoryError):
        write_beneath(str(top), ("a",), b"x")
    with pytest.raises(NotADirectoryError):
        write_beneath(str(top), ("a", "b", "file", "x"), b"x")
    assert sorted(os.listdir(top)) == ["a", "pipe"]


def test_a_link_put_in_its_place_at_the_last_moment_is_replaced_and_not_followed(
    top: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace = os.replace

    def too_late(source: str, target: str, **keys: int) -> None:
        (top / "a/b/file").unlink()
        (top / "a/b/file").symlink_to(top.parent / "secret")
        replace(source, target, **keys)

    monkeypatch.setattr(os, "replace", too_late)
    write_beneath(str(top), ("a", "b", "file"), b"new")
    assert (top / "a/b/file").read_text() == "new"
    assert (top.parent / "secret").read_text() == "secret"


def test_a_folder_moved_away_while_it_is_written_takes_the_file_along(
    top: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace = os.replace

    def too_late(source: str, target: str, **keys: int) -> None:
        (top / "a/b").rename(top / "moved")
        (top / "a/b").symlink_to(top.parent / "out")
        replace(source, target, **keys)

    monkeypatch.setattr(os, "replace", too_late)
    write_beneath(str(top), ("a", "b", "file"), b"new")
    assert (top / "moved/file").read_text() == "new"
    assert (top.parent / "out/file").read_text() == "secret"
