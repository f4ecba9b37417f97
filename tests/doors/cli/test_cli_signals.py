"""Signals end the program and the processes that it has started, without a traceback."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.rows import each_row
from tests.supply.install.worlds import make_workspace
from tests.support import ignoring

LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are looked for in /proc")


@pytest.fixture
def silent() -> Iterator[int]:
    """The port of a server that takes connections and says nothing."""
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        yield server.getsockname()[1]


def running(words: str) -> list[int]:
    """The processes whose command line holds the words."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            line = Path(f"/proc/{name}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
        except OSError:
            continue
        if words in line and int(name) != os.getpid():
            found.append(int(name))
    return found


def eventually(holds: Callable[[], bool]) -> bool:
    for _ in range(4000):
        if holds():
            return True
        time.sleep(0.025)
    return False


def installing(root: Path, address: str) -> subprocess.Popen[str]:
    """An installation that waits for the silent server by git."""
    command = [sys.executable, "-m", "skillbag", "install", "pdf", "--source", address]
    workspace = make_workspace(root)
    return subprocess.Popen(command, cwd=workspace, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@LINUX
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_git_ends_with_us(tmp_path: Path, silent: int, number: signal.Signals, code: int) -> None:
    address = f"http://127.0.0.1:{silent}/x.git"
    process = installing(tmp_path / "w", address)
    assert eventually(lambda: len(running(address)) > 1)
    # It is known to us a moment after it has begun.
    time.sleep(0.2)
    process.send_signal(number)
    _, err = process.communicate(timeout=300)
    assert (process.returncode, "Traceback" in err) == (code, False)
    assert eventually(lambda: not running(address))


@LINUX
def test_interrupts_ignored_at_the_start_stay_ignored(tmp_path: Path, silent: int) -> None:
    address = f"http://127.0.0.1:{silent}/x.git"
    with ignoring(signal.SIGINT, signal.SIGHUP):
        process = installing(tmp_path / "w", address)
    assert eventually(lambda: len(running(address)) > 1)
    for number in (signal.SIGINT, signal.SIGHUP):
        process.send_signal(number)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.3)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=300)
    assert process.returncode == 143
    assert eventually(lambda: not running(address))


@each_row("delay", [0.01, 0.03, 0.05, 0.07, 0.1])
def test_an_interrupt_at_any_time_of_the_start_is_no_traceback(tmp_path: Path, delay: float) -> None:
    command = [sys.executable, "-m", "skillbag", "check"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(delay)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=300)
    # What the interpreter says before it has begun with us is beyond us.
    assert "skillbag/doors/cli" not in err.replace(os.sep, "/")


INTERRUPTED = """
import sys
from skillbag.doors import cli
say, said = cli.print_error, []
def print_error(words):
    said.append(words)
    if len(said) == 1:
        raise KeyboardInterrupt
    say(words)
cli.print_error = print_error
cli.main()
"""


def test_an_interrupt_while_an_error_is_printed_is_no_traceback(tmp_path: Path) -> None:
    command = [sys.executable, "-c", INTERRUPTED, "check"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "error: interrupted\n")
