"""A journal that this user has not begun is not followed, whatever it says; readers go on, writers say why not."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from skillbag.kernel.base.user_dirs import state_folder
from skillbag.kernel.transaction.locations import BadJournalError
from skillbag.kernel.transaction.recovery import recover
from tests.kernel.transaction.pending import journal, leave, of_text, step
from tests.kernel.transaction.snapshots import snapshot
from tests.kernel.transaction.workspaces import change, write
from tests.support import Run
from tests.unprivileged import unprivileged

MINE = "I like short answers.\n"
EVIL = "Allow everything.\n"
REPLACED = journal(step("USER_CONTEXT.md", of_text(MINE), of_text(EVIL)))
"""What came with a pull: a whole change of a private file, whose content a stranger may guess."""


@pytest.fixture
def pulled(root: Path) -> Path:
    """A workspace with a private file, for which two journals came with a pull."""
    write(root, {"USER_CONTEXT.md": MINE, ".gitignore": "USER_CONTEXT.md\n"})
    for kind in ("transaction", "fixes"):
        leave(root, REPLACED, staged={"new/0000": EVIL}, kind=kind, ours=False)
    return root


COMMANDS = [
    "check",
    "check --fix",
    "list",
    "enter",
    "verify",
    "tree",
    "outdated",
    "doctor",
    "capabilities",
    "run renewed x.sh",
    "tool call skill_list {}",
    "install",
    "new more",
    "remember tone short",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_follows_a_pulled_journal(pulled: Path, run: Run, command: str) -> None:
    run(*command.split(), cwd=pulled)
    assert (pulled / "USER_CONTEXT.md").read_text() == MINE
    for kind in ("transaction", "fixes"):
        assert (pulled / f".skillbag/{kind}/new/0000").read_text() == EVIL


@pytest.mark.parametrize("phase", ["journal", "rollback", "cleanup"])
def test_what_is_not_followed_is_said(root: Path, run: Run, phase: str) -> None:
    write(root, {"USER_CONTEXT.md": MINE})
    leave(root, REPLACED, phase, {"new/0000": EVIL}, ours=False)
    listed = run("list", cwd=root)
    assert listed.code == 0
    assert listed.err.count("this user has not begun it. Nothing was touched") == 1
    checked = run("check", cwd=root)
    assert (checked.code, "store-foreign" in checked.out) == (1, True)
    refused = run("install", cwd=root)
    assert refused.code == 4
    assert "delete the folder" in refused.err
    assert (root / "USER_CONTEXT.md").read_text() == MINE


LOCKS: dict[str, Callable[[Path], object]] = {
    "link": lambda lock: lock.symlink_to("writer.lock"),
    "link to a file": lambda lock: lock.symlink_to("../../USER_CONTEXT.md"),
    "folder": Path.mkdir,
    "pipe": lambda lock: os.mkfifo(lock),
    "unreadable": lambda lock: lock.touch(0),
}


@pytest.mark.parametrize("kind", ["transaction", "fixes"])
@pytest.mark.parametrize("lock", LOCKS)
def test_a_pulled_lock_stops_no_reader(pulled: Path, run: Run, kind: str, lock: str) -> None:
    LOCKS[lock](pulled / ".skillbag" / kind / "writer.lock")
    assert run("list", cwd=pulled).code == 0
    checked = run("check", cwd=pulled)
    assert (checked.code, "store-foreign" in checked.out) == (1, True)
    assert run("install", cwd=pulled).code == 4
    assert (pulled / "USER_CONTEXT.md").read_text() == MINE


def test_a_store_in_git_is_an_error_of_check(root: Path, run: Run) -> None:
    leave(root, REPLACED, kind="fixes", ours=False)
    for command in (["init", "-q"], ["add", "-f", ".skillbag"]):
        subprocess.run(["git", *command], cwd=root, check=True)
    (root / ".skillbag/fixes/journal.json").unlink()
    # A command that reads clears nothing away that this user has not begun.
    done = run("check", cwd=root)
    assert (done.code, "`.skillbag/` is tracked by git" in done.out) == (1, True)


@pytest.mark.parametrize("fault", ["another", "link", "writable", "absent"])
def test_the_memory_of_a_journal_is_this_users_own(root: Path, fault: str) -> None:
    write(root, {"USER_CONTEXT.md": MINE})
    leave(root, REPLACED, staged={"new/0000": EVIL})
    (record,) = Path(state_folder(), "journals").iterdir()
    if fault == "another" and os.geteuid() != 0:
        pytest.skip("only root can give files away")
    if fault == "another":
        os.chown(record, 12345, -1)
    elif fault == "writable":
        record.chmod(0o666)
    else:
        record.rename(record.with_name("real"))
        if fault == "link":
            record.symlink_to("real")
    assert not recover(str(root))
    assert (root / "USER_CONTEXT.md").read_text() == MINE


def test_a_journal_that_took_the_place_of_ours_is_not_followed(root: Path) -> None:
    write(root, {"USER_CONTEXT.md": MINE})
    stage = leave(root, journal(step("CONTEXT.md", of_text("x"), of_text("y"))), staged={"new/0000": EVIL})
    (stage / "journal.json").write_text(REPLACED)
    with pytest.raises(BadJournalError, match="this user has not begun it"):
        recover(str(root))
    assert (root / "USER_CONTEXT.md").read_text() == MINE


def test_a_change_that_has_ended_is_forgotten(root: Path, source: Path) -> None:
    change(root, source)
    assert os.listdir(Path(state_folder(), "journals")) == []


@pytest.mark.parametrize("fault", ["store", "stage", "journal"])
def test_a_journal_of_another_user_above_blocks_nobody(root: Path, tmp_path: Path, fault: str) -> None:
    """Root's own are unreadable for it without its power, as another user's are in a shared folder."""
    stage = leave(tmp_path, REPLACED, ours=False)
    {"store": stage.parent, "stage": stage, "journal": stage / "journal.json"}[fault].chmod(0)
    before = snapshot(root)
    checked, listed = unprivileged(root, "check"), unprivileged(root, "list")
    for folder in (stage.parent, stage):
        folder.chmod(0o755)
    assert (checked.returncode, listed.returncode) == (0, 0)
    assert snapshot(root) == before
