"""Ctrl-C while servers are silent: the command ends at once, and so does every git that it started."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.install.servers import serve, stalling
from tests.install.worlds import make_workspace, snapshot


@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT")
@pytest.mark.parametrize("count", [1, 3])
def test_ctrl_c_ends_the_command_while_servers_are_silent(tmp_path: Path, count: int) -> None:
    with serve({"/": stalling(b"", seconds=30)}) as server:
        addresses = [f"{server.url}/{number}/x.{kind}" for number in range(count) for kind in ("git", "zip")]
        workspace = make_workspace(
            tmp_path / "work",
            [{"name": f"s{n}", "version": "main", "source": address} for n, address in enumerate(addresses)],
        )
        before = snapshot(workspace)
        process = subprocess.Popen(
            [sys.executable, "-m", "skillbag", "install"],
            cwd=workspace,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, "GIT_TRACE": str(tmp_path / "trace")},
        )
        deadline = time.monotonic() + 20
        while len(server.requests) < 2 and time.monotonic() < deadline:
            time.sleep(0.05)
        begin = time.monotonic()
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=20)[0].decode()
        assert time.monotonic() - begin < 10
        assert process.returncode == 130, said
        assert "Traceback" not in said
        assert snapshot(workspace) == before
        left = subprocess.run(["pgrep", "-f", f"{server.url}/"], capture_output=True, text=True, check=False).stdout
        assert left == ""
