"""One writer at a time, under every path of the workspace."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path

import pytest

from skillbag.kernel.base.user_dirs import state_folder
from skillbag.kernel.transaction.journal import Transaction
from skillbag.kernel.transaction.locations import BusyError
from skillbag.kernel.transaction.recovery import recover
from skillbag.kernel.transaction.writer import locked, writing
from skillbag.kernel.workspace.tree_hash import tree_hash
from tests.kernel.transaction import changing, runner
from tests.kernel.transaction.pending import journal, leave, state, step
from tests.kernel.transaction.runner import fork, wait
from tests.kernel.transaction.snapshots import kept, snapshot, timeless
from tests.kernel.transaction.workspaces import make_source, make_workspace, put, write
from tests.support import PROJECT, skill
from tests.unprivileged import dropped

HOLD = """
import sys
from skillbag.kernel.transaction.writer import writing
with writing(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.read()
"""


def start(script: str, *arguments: object, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", script, *map(str, arguments)],
        cwd=PROJECT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
    )


def hold(root: Path) -> subprocess.Popen[str]:
    """A process that holds the lock of the workspace until its input ends."""
    process = start(HOLD, root)
    assert process.stdout
    assert process.stdout.readline() == "held\n"
    return process


def end(process: subprocess.Popen[str]) -> None:
    _, err = process.communicate()
    assert (process.returncode, err) == (0, "")


def test_a_second_writer_waits_and_says_so(root: Path) -> None:
    process, waited = hold(root), []

    def let_go() -> None:
        waited.append(process.poll())
        threading.Timer(0.1, lambda: process.stdin and process.stdin.close()).start()

    with writing(str(root), on_wait=let_go, wait=300):
        assert process.stdin
        assert process.stdin.closed
    assert waited == [None]
    process.wait()
    for stream in (process.stdout, process.stderr):
        assert stream
        stream.close()


def test_a_second_writer_gives_up_in_the_end(root: Path, tmp_path: Path) -> None:
    process = hold(root)
    (tmp_path / "link").symlink_to(root)
    before = snapshot(root)
    for name in (root, tmp_path / "link", root / ".skills/.."):
        with pytest.raises(BusyError, match="has been changing this workspace for 0 s"), writing(str(name), wait=0.1):
            pytest.fail("the lock is held by another process")
    assert snapshot(root) == before
    # A reader waits only where there is something to wait for.
    assert recover(str(root), wait=0) is False
    leave(root, journal(step(".skills/removed", state(root / ".skills/removed"))))
    reported: list[str] = []
    with pytest.raises(BusyError):
        recover(str(root), wait=0, notice=reported.append)
    assert reported == [f"{root}: waiting for another process that is changing this workspace…"]
    assert timeless(snapshot(root)) == timeless(before)
    end(process)
    assert recover(str(root), wait=0) is True


def test_two_workspaces_have_two_locks(root: Path, tmp_path: Path) -> None:
    process = hold(root)
    with writing(str(make_workspace(tmp_path / "other")), wait=0):
        pass
    end(process)


def test_the_lock_of_a_killed_process_is_free(root: Path) -> None:
    process = hold(root)
    process.kill()
    process.communicate()
    with writing(str(root), wait=300):
        pass


def test_our_own_change_is_not_recovered(root: Path, source: Path) -> None:
    with writing(str(root)), Transaction(str(root)) as transaction:
        put(transaction, root, source, "added")
        assert recover(str(root), wait=0) is False
        transaction.commit()
    assert (root / ".skills/added").is_dir()


def test_a_writer_recovers_first(root: Path) -> None:
    leave(root, journal(step(".skills/removed", state(root / ".skills/removed"))))
    reported: list[str] = []
    with writing(str(root), notice=reported.append):
        assert not (root / ".skills/removed").exists()
    assert reported == [f"{root}: an interrupted change was completed"]


def test_eight_processes_at_once(root: Path, tmp_path: Path) -> None:
    source = tmp_path / "source"
    write(source, {"SKILL.md": skill("a"), "references/guide.md": "# Guide\n"})
    tree = tree_hash(str(source))

    def add(name: str) -> None:
        """Add one line to a file in each of several changes, and a skill with this name."""
        path, context = root / ".skills" / name, root / "CONTEXT.md"
        for number in range(5):
            recover(str(root))
            with writing(str(root)), Transaction(str(root)) as transaction:
                before = context.read_bytes()
                transaction.put_folder(f".skills/{name}", str(source), tree=tree, expected=state(path))
                transaction.put_file("CONTEXT.md", before + f"{name} {number}\n".encode(), expected=before)
                transaction.commit()

    children = [fork(partial(add, f"skill-{number}")) for number in range(8)]
    assert [wait(child) for child in children] == [runner.DONE] * 8
    lines = (root / "CONTEXT.md").read_text().splitlines()
    added = [f"skill-{number} {count}" for number in range(8) for count in range(5)]
    assert sorted(lines) == sorted([*added, "# Ours"])
    assert {state(root / f".skills/skill-{number}") for number in range(8)} == {tree}
    assert kept(root) == []


def test_eight_processes_recover_at_once(root: Path) -> None:
    steps = []
    for number in range(40):
        write(root, {f".skills/old-{number}/SKILL.md": "x"})
        steps.append(step(f".skills/old-{number}", state(root / f".skills/old-{number}")))
    leave(root, journal(*steps))
    children = [fork(lambda: 0 if recover(str(root)) else changing.FAILED) for _ in range(8)]
    endings = [wait(child) for child in children]
    assert set(endings) <= {runner.DONE, runner.FAILED}
    assert runner.DONE in endings
    assert not list((root / ".skills").glob("old-*"))
    assert kept(root) == []


def test_writers_with_other_folders_of_states_keep_apart_too(root: Path, tmp_path: Path) -> None:
    """Another user, or a container: they share no lock but the one with what is staged."""
    source = make_source(tmp_path / "source")
    before = snapshot(root)
    script = (
        "import sys\n"
        "from skillbag.kernel.transaction.recovery import recover\n"
        "from skillbag.kernel.transaction.journal import Transaction\n"
        "from skillbag.kernel.transaction.writer import writing\n"
        "recover(sys.argv[1])\n"
        "with writing(sys.argv[1]), Transaction(sys.argv[1]): pass\n"
    )
    with writing(str(root)), Transaction(str(root)) as transaction:
        put(transaction, root, source, "added")
        stranger = start(script, root, SKILLBAG_STATE_DIR=str(tmp_path / "elsewhere"))
        _, err = stranger.communicate()
        assert "another change is in progress" in err.splitlines()[-1]
        assert snapshot(root) == before
        # While it is being swapped, no other process may do it.
        stage = root / ".skillbag/transaction"
        (stage / "journal.json").write_text(journal(step(".skills/added", None, state(stage / "new/0000"))))
        stranger = start(script, root, SKILLBAG_STATE_DIR=str(tmp_path / "elsewhere"))
        _, err = stranger.communicate()
        assert "another process is changing this workspace" in err.splitlines()[-1]
        (stage / "journal.json").unlink()
        transaction.commit()
    assert (root / ".skills/added").is_dir()
    assert kept(root) == []


def test_a_folder_of_states_that_can_not_be_made(root: Path, tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(mode=0o555)
    script = "import sys; from skillbag.kernel.transaction.writer import writing\nwith writing(sys.argv[1]): pass"
    done = subprocess.run(
        [*dropped(tmp_path), sys.executable, "-c", script, str(root)],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "SKILLBAG_STATE_DIR": str(tmp_path / "closed/state")},
    )
    last = done.stderr.splitlines()[-1]
    assert "can't make a lock here (Permission denied); set SKILLBAG_STATE_DIR to a writable folder" in last


def test_a_lock_that_can_not_be_opened_says_what_to_do(tmp_path: Path) -> None:
    with locked(str(tmp_path), wait=0):
        (lock,) = (Path(state_folder()) / "locks").iterdir()
    lock.unlink(missing_ok=True)
    lock.mkdir()
    with (
        pytest.raises(OSError, match=r"can't make a lock here .*; set SKILLBAG_STATE_DIR to a writable folder"),
        locked(str(tmp_path), wait=0),
    ):
        pass
