"""The reader of bytes and the atomic writer: what they refuse, and what a crash leaves behind."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from skillbag.kernel.fs.atomic import RefusedWriteError, rename, write_atomic
from skillbag.kernel.fs.read import LIMIT, Unread, Unreadable, overlay, read
from tests.rows import each_row


def reason(path: Path, root: Path) -> Unread:
    result = read(str(path), str(root))
    assert isinstance(result, Unreadable)
    return result.reason


def test_what_is_not_read(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "secret").write_text("x")
    (root / "out").symlink_to(tmp_path / "secret")
    (root / "dangling").symlink_to("nowhere")
    (root / "loop").symlink_to("loop")
    (root / "big").write_bytes(b"x" * (LIMIT + 1))
    (root / "most").write_bytes(b"x" * LIMIT)
    os.mkfifo(root / "pipe")
    assert reason(root / "missing", root) is Unread.MISSING
    assert reason(root / "dangling", root) is Unread.MISSING
    assert reason(root, root) is Unread.FOLDER
    assert reason(root / "out", root) is Unread.OUTSIDE
    assert reason(root / "big", root) is Unread.TOO_LARGE
    assert reason(root / "pipe", root) is Unread.SPECIAL
    assert reason(root / "loop", root) is Unread.LOOP
    assert read(str(root / "most"), str(root)) == b"x" * LIMIT


def test_a_link_within_the_root_is_followed(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    (tmp_path / "b").symlink_to("a")
    assert read(str(tmp_path / "b"), str(tmp_path)) == b"x"


def test_a_root_with_a_longer_namesake_is_not_within(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "root-other").mkdir()
    (tmp_path / "root-other/x").write_text("x")
    (tmp_path / "root/x").symlink_to("../root-other/x")
    assert reason(tmp_path / "root/x", tmp_path / "root") is Unread.OUTSIDE


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_no_permission(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("x")
    (tmp_path / "x").chmod(0)
    assert reason(tmp_path / "x", tmp_path) is Unread.PERMISSION


def test_writing_keeps_the_mode_and_makes_folders(tmp_path: Path) -> None:
    target = tmp_path / "a/b/c.sh"
    write_atomic(str(target), b"1", root=str(tmp_path))
    target.chmod(0o751)
    write_atomic(str(target), b"2", root=str(tmp_path))
    assert target.read_bytes() == b"2"
    assert stat.S_IMODE(target.stat().st_mode) == 0o751
    assert [path.name for path in target.parent.iterdir()] == ["c.sh"]


def test_writing_through_a_link_out_of_the_root_is_refused(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "other").mkdir()
    (tmp_path / "root/link").symlink_to(tmp_path / "other")
    with pytest.raises(RefusedWriteError):
        write_atomic(str(tmp_path / "root/link/x"), b"1", root=str(tmp_path / "root"))
    with pytest.raises(RefusedWriteError):
        write_atomic(str(tmp_path / "root/../other/x"), b"1", root=str(tmp_path / "root"))
    assert list((tmp_path / "other").iterdir()) == []


def test_without_overwrite_the_old_file_stays(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"old")
    with pytest.raises(FileExistsError):
        write_atomic(str(tmp_path / "x"), b"new", root=str(tmp_path), overwrite=False)
    write_atomic(str(tmp_path / "y"), b"new", root=str(tmp_path), overwrite=False)
    assert (tmp_path / "x").read_bytes() == b"old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x", "y"]


CRASH = """
import os, signal, sys
from skillbag.kernel.fs.atomic import write_atomic
step = sys.argv[2]
def die(*a, **k): os.kill(os.getpid(), signal.SIGKILL)
if step == "replace": os.replace = die
elif step == "fsync": os.fsync = die
else: os.chmod = die
write_atomic(sys.argv[1], b"new", root=os.path.dirname(sys.argv[1]), mode=0o600)
"""


@each_row("step", ["fsync", "chmod", "replace"])
def test_a_kill_at_any_step_leaves_the_old_file(tmp_path: Path, step: str) -> None:
    (tmp_path / "x").write_bytes(b"old")
    done = subprocess.run([sys.executable, "-c", CRASH, tmp_path / "x", step], check=False)
    assert done.returncode == -9
    assert (tmp_path / "x").read_bytes() == b"old"


def test_a_full_disk_leaves_the_old_file_and_no_litter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x").write_bytes(b"old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_atomic(str(tmp_path / "x"), b"new", root=str(tmp_path))
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("x", b"old")]


def test_an_overlay_stands_in_for_the_disk_and_ends(tmp_path: Path) -> None:
    path = str(tmp_path / "x")
    with overlay({path: b"1"}):
        with overlay({path: b"2"}):
            assert read(path, str(tmp_path)) == b"2"
        assert read(path, str(tmp_path)) == b"1"
    assert isinstance(read(path, str(tmp_path)), Unreadable)


def test_renaming_never_replaces(tmp_path: Path) -> None:
    (tmp_path / "skill.md").write_text("x")
    (tmp_path / "other").write_text("y")
    with pytest.raises(FileExistsError):
        rename(str(tmp_path / "skill.md"), str(tmp_path / "other"), root=str(tmp_path))
    with pytest.raises(RefusedWriteError):
        rename(str(tmp_path / "skill.md"), str(tmp_path.parent / "z"), root=str(tmp_path))
    rename(str(tmp_path / "skill.md"), str(tmp_path / "SKILL.md"), root=str(tmp_path))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["SKILL.md", "other"]
