"""Ctrl-C while servers are silent: the command ends at once, and so does every git that it started."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.install.declared import need
from tests.install.worlds import make_workspace, snapshot
from tests.sources.servers import serve, stalling


@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT")
@pytest.mark.parametrize("count", [1, 3])
def test_ctrl_c_ends_the_command_while_servers_are_silent(tmp_path: Path, count: int) -> None:
    with serve({"/": stalling(b"", seconds=30)}) as server:
        addresses = [f"{server.url}/{number}/x.{kind}" for number in range(count) for kind in ("git", "zip")]
        declared = [need(f"s{number}", address, "main") for number, address in enumerate(addresses)]
        workspace = make_workspace(tmp_path / "work", declared)
        before = snapshot(workspace)
        process = subprocess.Popen(
            [sys.executable, "-m", "skillbag", "install"],
            cwd=workspace,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, "GIT_TRACE": str(tmp_path / "trace")},
        )
        deadline = time.monotonic() + 120
        while len(server.requests) < 2 and time.monotonic() < deadline:
            time.sleep(0.05)
        begin = time.monotonic()
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=300)[0].decode()
        assert time.monotonic() - begin < 50
        assert process.returncode == 130, said
        assert "Traceback" not in said
        assert snapshot(workspace) == before
        left = subprocess.run(["pgrep", "-f", f"{server.url}/"], capture_output=True, text=True, check=False).stdout
        assert left == ""


def running(word: str) -> list[str]:
    """The command lines in which the word stands, of whatever runs."""
    said = subprocess.run(["pgrep", "-f", "-a", word], capture_output=True, text=True, check=False).stdout
    return said.splitlines()


@pytest.mark.skipif(os.name != "posix", reason="sends signals of Unix")
@pytest.mark.parametrize("name", ["SIGHUP", "SIGTERM", "SIGKILL"])
@pytest.mark.parametrize("count", [1, 3])
def test_no_git_outlives_the_command_however_it_ends(tmp_path: Path, name: str, count: int) -> None:
    with serve({"/": stalling(b"", seconds=60)}) as server:
        declared = [need(f"s{number}", f"{server.url}/{number}/x.git", "main") for number in range(count)]
        workspace = make_workspace(tmp_path / "work", declared)
        before = snapshot(workspace)
        process = subprocess.Popen(
            [sys.executable, "-m", "skillbag", "install"],
            cwd=workspace,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        deadline = time.monotonic() + 120
        while len(server.requests) < count and time.monotonic() < deadline:
            time.sleep(0.05)
        assert len([line for line in running(f"{server.url}/") if "git-remote-http" in line]) >= count
        process.send_signal(getattr(signal, name))
        said = process.communicate(timeout=300)[0].decode()
        if name == "SIGKILL":
            assert process.returncode == -signal.SIGKILL
        else:
            assert (process.returncode, "Traceback" in said) == (128 + getattr(signal, name), False)
        while running(f"{server.url}/") and time.monotonic() < deadline + 60:
            time.sleep(0.05)
        assert running(f"{server.url}/") == []
        assert snapshot(workspace) == before


@pytest.mark.skipif(os.name != "posix", reason="sends SIGHUP")
def test_a_hangup_that_is_ignored_stays_ignored(tmp_path: Path) -> None:
    code = "import signal, os; signal.signal(signal.SIGHUP, signal.SIG_IGN); import skillbag.cli as cli\n"
    code += "cli._interrupt_at_signals(); os.kill(os.getpid(), signal.SIGHUP); print('on')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "on\n")
