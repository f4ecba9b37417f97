"""Where a change can't be made: nothing is written before that is known, and nothing is left behind."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from skillbag.kernel.transaction.recovery import recover
from tests.kernel.transaction.changing import FAILED, STUCK, ending
from tests.kernel.transaction.faults import at_point, kill
from tests.kernel.transaction.pending import journal, leave, state, step
from tests.kernel.transaction.runner import DONE, KILLED, in_child, trace_calls
from tests.kernel.transaction.snapshots import NEW_KEPT, OLD_KEPT, kept, outcome, snapshot, timeless, unchanged
from tests.kernel.transaction.workspaces import change, make_workspace, write
from tests.support import PROJECT
from tests.unprivileged import dropped, unprivileged

Done = subprocess.CompletedProcess[str]


def changed(root: Path, source: Path, *arguments: object, before: tuple[str, ...] = ()) -> Done:
    """The change made by another process."""
    command = [*before, sys.executable, "-m", "tests.kernel.transaction.changing", root, source, *arguments]
    return subprocess.run([*map(str, command)], cwd=PROJECT, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", [".skillbag", ".skillbag/backup"])
@pytest.mark.parametrize("target", ["../outside", "inside", "nowhere", None])
def test_something_else_in_place_of_the_store(root: Path, source: Path, name: str, target: str | None) -> None:
    write(root, {"inside/x": "x"})
    write(root.parent, {"outside/x": "x"})
    (root / name).parent.mkdir(exist_ok=True)
    if target is None:
        (root / name).write_text("Mine.\n")
    else:
        (root / name).symlink_to(target)
    with unchanged(root.parent):
        with pytest.raises(OSError, match="skillbag keeps a folder of its own here") as caught:
            change(root, source)
        assert caught.value.filename == str(root / name)


@pytest.mark.parametrize("target", ["../outside", ".", "..", ".git", "CONTEXT.md", "nowhere", ".skills"])
def test_a_skill_root_that_leads_elsewhere(root: Path, source: Path, target: str) -> None:
    write(root.parent, {"outside/removed/SKILL.md": "x"})
    (root / ".git").mkdir()
    (root / ".skills").rename(root.parent / "away")
    (root / ".skills").symlink_to(target)
    before = snapshot(root.parent)
    with pytest.raises(OSError, match=r"refused|No such file"):
        change(root, source)
    assert timeless(snapshot(root.parent)) == timeless(before)
    assert kept(root) == OLD_KEPT


def test_a_skill_root_that_is_a_link_within_the_workspace(root: Path, source: Path) -> None:
    (root / ".skills").rename(root / "skills")
    (root / ".skills").symlink_to("skills")
    assert change(root, source) == (".skillbag/backup/replaced-1",)
    assert (root / "skills/added/SKILL.md").is_file()


@contextlib.contextmanager
def mounted(place: Path, kind: str, options: str) -> Iterator[None]:
    """Within the block, a file system of this kind is at `place`, if we may mount one."""
    try:
        command = ["mount", "-t", kind, "-o", options, kind, str(place)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        pytest.skip(f"no file system can be mounted here: {error}")
    if done.returncode:
        pytest.skip(f"no file system can be mounted here: {done.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", str(place)], check=True)


@pytest.mark.parametrize("free", [0, 4096, 16384, 32768])
def test_a_full_disk(tmp_path: Path, source: Path, free: int) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    with mounted(disk, "tmpfs", "size=256k,mode=755"):
        root = make_workspace(disk / "workspace")
        before = snapshot(root)
        _fill(disk / "filler", free)
        with pytest.raises(OSError, match="No space left on device"):
            change(root, source)
        assert snapshot(root) == before
        assert kept(root) == OLD_KEPT
        (disk / "filler").unlink()
        assert change(root, source) == (".skillbag/backup/replaced-1",)


def _fill(path: Path, free: int) -> None:
    with path.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(b"x" * 4096)
    os.truncate(path, max(0, path.stat().st_size - free))


def test_a_limit_on_the_size_of_files(root: Path, source: Path) -> None:
    before = snapshot(root)
    write(source, {"added/large.txt": "x" * 50_000})
    done = changed(root, source, before=("sh", "-c", 'ulimit -f 20; exec "$@"', "sh"))
    assert done.returncode == FAILED
    assert "File too large" in done.stderr
    assert f"{root}/.skillbag/transaction/new/0000/large.txt" in done.stderr
    assert snapshot(root) == before
    assert kept(root) == OLD_KEPT


@pytest.mark.parametrize("name", [".skills", ".skillbag"])
def test_another_file_system_within_the_workspace(root: Path, source: Path, name: str) -> None:
    (root / name).mkdir(exist_ok=True)
    with mounted(root / name, "tmpfs", "size=1m,mode=755"):
        if name == ".skills":
            make_workspace(root)
        before = snapshot(root)
        with pytest.raises(OSError, match="it is on another file system than the workspace"):
            change(root, source)
        assert snapshot(root) == before


@pytest.fixture
def image(tmp_path: Path) -> Iterator[Path]:
    """A workspace that came with the image of a container: its folders can't be renamed, those made since can."""
    for name in ("image", "upper", "work", "seen"):
        (tmp_path / name).mkdir()
    make_workspace(tmp_path / "image/workspace")
    options = f"lowerdir={tmp_path}/image,upperdir={tmp_path}/upper,workdir={tmp_path}/work"
    with mounted(tmp_path / "seen", "overlay", options):
        root = tmp_path / "seen/workspace"
        with pytest.raises(OSError, match="cross-device"):
            os.rename(root / ".skills/renewed", root / "elsewhere")
        yield root


@pytest.mark.parametrize("point", [None, "rename .skills/renewed", "rename .skills/SKILLS.md"])
def test_a_workspace_in_a_container(image: Path, root: Path, source: Path, point: str | None) -> None:
    before = snapshot(image)
    change(root, source)

    def work() -> int:
        if point:
            at_point(point, kill)
        return ending(image, source)

    assert in_child(work) == (KILLED if point else DONE)
    recover(str(image))
    assert outcome(image, before, snapshot(root)) == "new"


def test_an_edit_in_a_container_of_what_is_just_being_deleted(image: Path, tmp_path: Path) -> None:
    before = snapshot(image)
    write(tmp_path, {"one/SKILL.md": "x"})
    text = journal(step(".skills/replaced", state(image / ".skills/replaced"), state(tmp_path / "one")))
    stage = leave(image, text, "rollback", {"new/0000/SKILL.md": "x"})
    shutil.copytree(image / ".skills/replaced", stage / "old/0000")
    write(image, {".skills/replaced/SKILL.md": "Mine.\n"})
    assert recover(str(image))
    assert timeless(snapshot(image)) == timeless(before)
    assert (image / ".skillbag/backup/replaced-1/SKILL.md").read_text() == "Mine.\n"


@pytest.mark.parametrize("name", [".", ".skills", ".skills/renewed"])
def test_a_folder_that_may_not_be_written(root: Path, source: Path, name: str) -> None:
    (root / name).chmod(0o555)
    before = snapshot(root)
    done = changed(root, source, before=dropped(root.parent))
    now = snapshot(root)
    (root / name).chmod(0o755)
    assert done.returncode == FAILED
    assert "Permission denied" in done.stderr
    assert now == before
    assert kept(root) == OLD_KEPT


def test_what_is_displaced_may_be_read_only(root: Path, source: Path) -> None:
    write(root, {".skills/removed/sub/deep/x": "x"})
    for name in ("sub/deep/x", "sub/deep", "sub"):
        (root / ".skills/removed" / name).chmod(0o555)
    done = changed(root, source, before=dropped(root.parent))
    assert (done.returncode, done.stderr) == (0, "")
    assert kept(root) == NEW_KEPT


def test_a_skill_that_may_not_be_read(root: Path, source: Path) -> None:
    (root / ".skills/removed").chmod(0)
    before = snapshot(root)
    done = changed(root, source, before=dropped(root.parent))
    assert done.returncode == FAILED
    assert f"{root}/.skills/removed" in done.stderr
    assert snapshot(root) == before


def test_permission_that_is_lost_midway(root: Path, source: Path, tmp_path: Path) -> None:
    """Neither forward nor back: every command says so until it is given again, and then takes the change back."""
    before, trial = snapshot(root), make_workspace(tmp_path / "trial")
    calls = trace_calls(lambda: change(trial, source))
    after = snapshot(trial)
    (number,) = (at for at, call in enumerate(calls, 1) if call == f"rename {trial}/.skills/replaced")
    shutil.rmtree(os.environ["SKILLBAG_STATE_DIR"])
    done = changed(root, source, number, before=dropped(tmp_path))
    assert done.returncode == STUCK
    assert "can't be rolled back" in done.stderr
    assert "Nothing is lost" in done.stderr
    assert outcome(root, before, after).startswith("mixed")
    refused = unprivileged(root, "check")
    assert (refused.returncode, refused.stdout) == (4, "")
    assert "a change was interrupted (" in refused.stderr
    assert "[Errno" not in refused.stderr
    assert "run any skillbag command here" in refused.stderr
    assert outcome(root, before, after).startswith("mixed")
    (root / ".skills").chmod(0o755)
    assert unprivileged(root, "check").stderr == f"note: {root}: an interrupted change was rolled back\n"
    assert outcome(root, before, after) == "old"


def test_staged_files_that_cannot_be_deleted_stop_no_reader(root: Path, source: Path) -> None:
    write(root, {".skillbag/transaction/old/0000/SKILL.md": "x", ".skillbag/.gitignore": "*\n"})
    (root / ".skillbag").chmod(0o555)
    assert unprivileged(root, "check").returncode in (0, 1)
    done = changed(root, source, before=dropped(root.parent))
    assert done.returncode == FAILED
    assert f"an earlier one has left this; delete it if there is none: '{root}/.skillbag" in done.stderr
    (root / ".skillbag").chmod(0o755)
    change(root, source)
    assert kept(root) == NEW_KEPT


def test_backups_that_can_not_be_made(root: Path, source: Path) -> None:
    """The change is made; what is to be kept waits until it can be."""
    write(root, {".skillbag/backup/x/SKILL.md": "x"})
    (root / ".skillbag/backup").chmod(0o555)
    done = changed(root, source, before=dropped(root.parent))
    assert "the workspace is whole, but displaced files can't be moved to .skillbag/backup" in done.stderr
    assert (root / ".skills/added").is_dir()
    refused = unprivileged(root, "check")
    assert refused.returncode == 4
    (root / ".skillbag/backup").chmod(0o755)
    assert recover(str(root))
    assert (root / ".skillbag/backup/replaced-1/SKILL.md").is_file()
    assert not (root / ".skillbag/transaction").exists()
