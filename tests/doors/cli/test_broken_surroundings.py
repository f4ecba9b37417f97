"""A current folder that is gone, and a standard output that takes nothing: the message says where it is wrong."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path

import pytest

from tests.session.agents import command
from tests.supply.install.worlds import make_workspace

pytestmark = pytest.mark.boundary


@pytest.mark.skipif(os.name != "posix", reason="other systems keep the current folder of a process")
@pytest.mark.parametrize("arguments", [("check",), ("check", "/"), ("init",), ("new", "tidy"), ("list",)], ids=" ".join)
def test_a_current_folder_that_is_gone_is_said(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    script = f"rmdir {shlex.quote(str(gone))}; exec {shlex.join(command(*arguments))}"
    done = subprocess.run(["sh", "-c", script], cwd=gone, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr == "error: .: the current folder is gone; change into one that is there\n"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the system has no device that is always full")
@pytest.mark.parametrize("arguments", [("check",), ("check", "--json"), ("list",)], ids=" ".join)
def test_a_full_standard_output_is_named(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    root = make_workspace(tmp_path / "work")
    with open("/dev/full", "w") as full:
        done = subprocess.run(command(*arguments), cwd=root, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 4
    assert done.stderr.splitlines()[0] == "error: standard output: No space left on device"
