"""Opening beneath a folder: what is opened, what never is, and what a swap in between can't bring about."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from skillbag.kernel.fs import confined
from skillbag.kernel.fs.confined import NoRegularFileError, OutsideError, TooLargeError, open_beneath, read_beneath
from tests.kernel.fs.races import raced
from tests.processes import descriptors
from tests.rows import each_row
from tests.sampling import EXAMPLES
from tests.supply.install.worlds import write

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links, pipes and sockets of POSIX")


@pytest.fixture(params=["by descriptor", "plainly"])
def top(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder, its longer namesake and a secret beside it; opened by descriptor and plainly."""
    if request.param == "plainly":
        monkeypatch.setattr(confined, "_BY_DESCRIPTOR", False)
    write(tmp_path, {"secret": "secret", "top-b/secret": "secret", "top/a/b/file": "text", "top/file": "text"})
    return tmp_path / "top"


def test_a_file_at_any_depth_is_read(top: Path) -> None:
    assert read_beneath(str(top), "file", 10) == read_beneath(str(top), "a/b/file", 10) == b"text"


@pytest.mark.parametrize("target", ["../file", "b/file", "b/../b/file", "../../top/file", "{top}/file"])
def test_a_link_that_stays_within_is_followed(top: Path, target: str) -> None:
    (top / "a/link").symlink_to(target.format(top=top))
    assert read_beneath(str(top), "a/link", 10) == b"text"


def test_a_linked_folder_within_is_passed_through(top: Path) -> None:
    (top / "link").symlink_to("a")
    assert read_beneath(str(top), "link/b/file", 10) == b"text"
    opened = open_beneath(str(top), "link/b/file")
    os.close(opened.descriptor)
    assert opened.path == os.path.realpath(top / "a/b/file")


@pytest.mark.parametrize("link", ["name", "up/top"])
def test_a_folder_that_is_named_by_a_link_may_have_been_replaced_by_it(top: Path, link: str) -> None:
    (top.parent / "name").symlink_to("top")
    (top.parent / "up").symlink_to(".")
    with pytest.raises(OutsideError):
        read_beneath(str(top.parent / link), "file", 10)


@pytest.mark.skipif(not hasattr(os, "O_PATH"), reason="folders that can't be passed through without being listed")
@pytest.mark.parametrize("replaced", ["top", "above"])
def test_a_folder_that_is_replaced_by_a_link_just_before_it_is_opened_is_refused(
    replaced: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"above/top/file": "text", "evil/file": "evil", "evil/top/file": "evil"})
    spelt = confined._check_spelling

    def swapped(folder: str, path: str) -> None:
        spelt(folder, path)
        place = tmp_path / "above" if replaced == "above" else tmp_path / "above/top"
        place.rename(tmp_path / "away")
        place.symlink_to(tmp_path / "evil")

    monkeypatch.setattr(confined, "_check_spelling", swapped)
    with pytest.raises(OSError):  # noqa: PT011 - systems differ in which
        read_beneath(str(tmp_path / "above/top"), "file", 10)


@pytest.mark.parametrize(
    "path", ["../secret", "a/../../secret", "../top-b/secret", "/etc/passwd", "a/b/../../../secret"]
)
def test_a_path_that_leads_out_is_refused(top: Path, path: str) -> None:
    with pytest.raises(OutsideError):
        read_beneath(str(top), path, 10)


@pytest.mark.parametrize("link", ["link", "a/link", "a/b/link"])
@pytest.mark.parametrize("target", ["secret", "top-b/secret", "gone"])
def test_a_link_out_is_refused_wherever_it_is(top: Path, link: str, target: str) -> None:
    (top / link).symlink_to(top.parent / target)
    with pytest.raises(OutsideError):
        read_beneath(str(top), link, 10)


@pytest.mark.parametrize("folder", ["out", "a/out"])
def test_a_linked_folder_outside_is_refused(top: Path, folder: str) -> None:
    (top / folder).symlink_to(top.parent / "top-b")
    with pytest.raises(OutsideError):
        read_beneath(str(top), f"{folder}/secret", 10)


@pytest.mark.parametrize(
    "path", ["gone", "gone/file", "file/x", "a/./b/file", "a//b/file", "file\0", "\ud800", "a/../file"]
)
def test_what_is_not_listed_under_that_very_name_is_not_there(top: Path, path: str) -> None:
    with pytest.raises((FileNotFoundError, NotADirectoryError)):
        read_beneath(str(top), path, 10)


@pytest.mark.parametrize("path", ["FILE", "a/B/file", "A/b/file"])
def test_another_spelling_is_not_taken_where_the_file_system_would(
    top: Path, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As a file system that ignores case: it lists the names as they are, and opens them under any case.
    real, opened = os.path.realpath, os.open
    monkeypatch.setattr(os.path, "realpath", lambda one, **_: real(str(one).replace(path, path.lower())))
    monkeypatch.setattr(os, "open", lambda one, *more, **keys: opened(str(one), *more, **keys))
    with pytest.raises(FileNotFoundError):
        read_beneath(str(top), path, 10)
    assert read_beneath(str(top), path.lower(), 10) == b"text"


@pytest.mark.parametrize("path", ["", "a", "a/b", "."])
def test_a_folder_is_no_file(top: Path, path: str) -> None:
    with pytest.raises(IsADirectoryError):
        open_beneath(str(top), path)


@pytest.mark.parametrize("via", ["special", "link"])
def test_a_pipe_is_not_waited_for(top: Path, via: str) -> None:
    os.mkfifo(top / "special")
    (top / "link").symlink_to("special")
    with pytest.raises(NoRegularFileError):
        open_beneath(str(top), via)


def test_a_socket_is_not_opened(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(top)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket")
        with pytest.raises(OSError, match="No such device"):
            open_beneath(str(top), "socket")


@pytest.mark.skipif(not hasattr(os, "mknod") or os.geteuid() != 0, reason="only root makes devices")
def test_a_device_is_not_read(top: Path) -> None:
    import stat

    try:
        os.mknod(top / "zero", 0o666 | stat.S_IFCHR, os.makedev(1, 5))
    except OSError:
        pytest.skip("no devices can be made here")
    with pytest.raises((NoRegularFileError, PermissionError)):
        open_beneath(str(top), "zero")


def test_links_in_a_circle_end(top: Path) -> None:
    (top / "one").symlink_to("two")
    (top / "two").symlink_to("one")
    with pytest.raises(OSError, match=r"[Ll]ink|replaced"):
        open_beneath(str(top), "one")


def test_no_more_than_the_limit_is_read(top: Path) -> None:
    with (top / "huge").open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(TooLargeError):
        read_beneath(str(top), "huge", 1 << 20)
    with pytest.raises(TooLargeError):
        read_beneath(str(top), "file", 3)
    assert read_beneath(str(top), "file", 4) == b"text"


def test_no_descriptor_is_left_open(top: Path) -> None:
    (top / "out").symlink_to(top.parent / "secret")
    os.mkfifo(top / "pipe")
    before = descriptors()
    for path in ["file", "a/b/file", "a", "gone", "a/gone", "out", "pipe", "file/x"]:
        try:
            read_beneath(str(top), path, 10)
        except OSError:
            continue
    assert not descriptors() - before


def test_a_link_that_is_put_there_at_the_last_moment_is_not_followed(
    top: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = os.open

    def too_late(path: str, *more: int, **keys: int) -> int:
        if path.endswith("file"):
            (top / "file").unlink()
            (top / "file").symlink_to(top.parent / "secret")
        return opened(path, *more, **keys)

    monkeypatch.setattr(os, "open", too_late)
    with pytest.raises(OSError, match=r"[Ll]inks|replaced"):
        read_beneath(str(top), "file", 10)


def swap_file(top: Path, made: Path) -> None:
    """Put a link to the secret in the place of the file, and a file again."""
    made.symlink_to(top.parent / "secret")
    made.replace(top / "a/b/file")
    made.write_text("text")
    made.replace(top / "a/b/file")


def swap_folder(name: str, secret: str, top: Path, made: Path) -> None:
    """Put a link to a folder with a secret in the place of the folder `name`, and the folder again."""
    made.symlink_to(top.parent / secret)
    (top / name).rename(top / "aside")
    made.rename(top / name)
    (top / name).unlink()
    (top / "aside").rename(top / name)


@each_row("swap", [swap_file, partial(swap_folder, "a/b", "top-b"), partial(swap_folder, "a", "top-a")])
def test_a_swap_while_it_is_opened_never_lets_out(tmp_path: Path, swap: Callable[[Path, Path], None]) -> None:
    write(tmp_path, {"secret": "secret", "top-b/file": "secret", "top-a/b/file": "secret", "top/a/b/file": "text"})
    top = tmp_path / "top"

    def ask() -> bytes | str:
        try:
            return read_beneath(str(top), "a/b/file", 10)
        except OSError:
            return "refused"

    seen = raced(ask, lambda: swap(top, top / "made"), {b"text", "refused"}, 20 * EXAMPLES)
    assert set(seen) == {b"text", "refused"}, "some were read, and some were not: the swap was in time"
