"""`skillbag remember` where the file is none, or can not be written: it stays as it was."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from skillbag.fs.read import LIMIT
from tests.install.worlds import contents, make_workspace, write
from tests.lifecycle.user_contexts import text_of
from tests.support import PROJECT, Run
from tests.transaction.workspaces import snapshot as states
from tests.transaction.workspaces import timeless
from tests.unprivileged import unprivileged


def test_a_link_in_the_place_of_the_file_is_refused(run: Run, tmp_path: Path) -> None:
    workspace = write(make_workspace(tmp_path / "workspace"), {"notes.md": "# Notes\n"})
    for target in ("notes.md", "nothing.md", "../outside.md", "USER_CONTEXT.md"):
        write(tmp_path, {"outside.md": "# Outside\n"})
        (workspace / "USER_CONTEXT.md").symlink_to(target)
        before = timeless(states(tmp_path))
        outcome = run("remember", "a=1", cwd=workspace)
        assert outcome.code in (2, 4)
        assert "link" in outcome.err
        assert timeless(states(tmp_path)) == before
        (workspace / "USER_CONTEXT.md").unlink()


@pytest.mark.parametrize("what", ["a folder", "a pipe", "too large"])
def test_what_is_no_readable_file_is_refused(run: Run, tmp_path: Path, what: str) -> None:
    workspace, path = make_workspace(tmp_path), tmp_path / "USER_CONTEXT.md"
    if what == "a folder":
        path.mkdir()
    elif what == "a pipe":
        os.mkfifo(path)
    else:
        path.write_bytes(b"x" * (LIMIT + 1))
    outcome = run("remember", "a=1", cwd=workspace)
    assert outcome.code == 2
    assert outcome.err.startswith("skillbag: USER_CONTEXT.md:1: ")


def test_the_file_never_becomes_larger_than_can_be_read(run: Run, tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path, user_context="x\n" * (LIMIT // 2))
    before = text_of(workspace)
    outcome = run("remember", "a=1", cwd=workspace)
    assert outcome.code == 2
    assert "would be larger than 1 MiB" in outcome.err
    assert text_of(workspace) == before


@pytest.mark.parametrize("existing", [False, True])
def test_a_workspace_that_can_not_be_written_stays_as_it_was(tmp_path: Path, existing: bool) -> None:
    workspace = make_workspace(tmp_path / "workspace", user_context="# Mine\n" if existing else "")
    before = contents(workspace)
    workspace.chmod(0o555)
    done = unprivileged(workspace, "remember", "a=1")
    workspace.chmod(0o755)
    assert done.returncode == 4
    assert done.stderr.count("\n") == 1
    assert "Permission denied" in done.stderr
    assert contents(workspace) == before


def test_the_file_keeps_its_permissions(run: Run, tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path, user_context="# Mine\n")
    (workspace / "USER_CONTEXT.md").chmod(0o600)
    assert run("remember", "a=1", cwd=workspace).code == 0
    assert (workspace / "USER_CONTEXT.md").stat().st_mode & 0o777 == 0o600


# The system lets a process write no file beyond this size: what a full disk is to it.
FULL = """
import resource, signal, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv.pop(1)),) * 2)
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
sys.argv[0] = "skillbag"
from skillbag.cli import main
main()
"""


@pytest.mark.skipif(os.name != "posix", reason="limits of this kind are POSIX's")
@pytest.mark.parametrize("size", [1, 100, 2_000])
def test_a_full_disk_leaves_the_old_file(tmp_path: Path, size: int) -> None:
    workspace = make_workspace(tmp_path, user_context="# Mine\n" * 1_000)
    before = contents(workspace)
    command = [sys.executable, "-c", FULL, str(size), "remember", "a=1", "--workspace", str(workspace)]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert done.returncode == 4, done.stderr
    assert "File too large" in done.stderr
    assert contents(workspace) == before
