"""Ctrl-C while servers are silent: the command ends at once, and so does every git that it started."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from tests.supply.install.declared import need
from tests.supply.install.worlds import make_workspace, snapshot
from tests.supply.sources.servers import serve, stalling


def _declaring(folder: Path, addresses: Iterable[str]) -> Path:
    """A workspace that declares a skill from each address."""
    return make_workspace(folder, [need(f"s{number}", address, "main") for number, address in enumerate(addresses)])


def _install(workspace: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "skillbag", "install"]
    return subprocess.Popen(command, cwd=workspace, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def _wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 120
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.02)


def _running(word: str) -> list[str]:
    """The command lines of running processes that contain the word."""
    done = subprocess.run(["pgrep", "-f", "-a", word], capture_output=True, text=True, check=False)
    return done.stdout.splitlines()


@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT")
@pytest.mark.parametrize("count", [1, 3])
def test_ctrl_c_ends_the_command_while_servers_are_silent(tmp_path: Path, count: int) -> None:
    with serve({"/": stalling(b"", seconds=30)}) as server:
        addresses = [f"{server.url}/{number}/x.{kind}" for number in range(count) for kind in ("git", "zip")]
        workspace = _declaring(tmp_path / "work", addresses)
        before = snapshot(workspace)
        process = _install(workspace)
        _wait_until(lambda: len(server.requests) >= 2)
        begin = time.monotonic()
        process.send_signal(signal.SIGINT)
        printed = process.communicate(timeout=300)[0].decode()
        assert time.monotonic() - begin < 50
        assert process.returncode == 130, printed
        assert "Traceback" not in printed
        assert snapshot(workspace) == before
        _wait_until(lambda: not _running(f"{server.url}/"))
        assert _running(f"{server.url}/") == []


@pytest.mark.skipif(os.name != "posix", reason="sends signals of Unix")
@pytest.mark.parametrize("name", ["SIGHUP", "SIGTERM", "SIGKILL"])
@pytest.mark.parametrize("count", [1, 3])
def test_no_git_outlives_the_command_however_it_ends(tmp_path: Path, name: str, count: int) -> None:
    number = getattr(signal, name)
    with serve({"/": stalling(b"", seconds=60)}) as server:
        workspace = _declaring(tmp_path / "work", (f"{server.url}/{source}/x.git" for source in range(count)))
        before = snapshot(workspace)
        process = _install(workspace)
        _wait_until(lambda: len(server.requests) >= count)
        assert len([line for line in _running(f"{server.url}/") if "git-remote-http" in line]) >= count
        process.send_signal(number)
        printed = process.communicate(timeout=300)[0].decode()
        assert process.returncode == (-number if name == "SIGKILL" else 128 + number)
        assert "Traceback" not in printed
        _wait_until(lambda: not _running(f"{server.url}/"))
        assert _running(f"{server.url}/") == []
        assert snapshot(workspace) == before


@pytest.mark.skipif(os.name != "posix", reason="sends SIGHUP")
def test_a_hangup_that_is_ignored_stays_ignored(tmp_path: Path) -> None:
    code = "import signal, os; signal.signal(signal.SIGHUP, signal.SIG_IGN); import skillbag.doors.cli as cli\n"
    code += "cli._interrupt_at_signals(); os.kill(os.getpid(), signal.SIGHUP); print('on')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "on\n")
