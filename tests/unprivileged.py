"""The command line without root's power to read and write everything, so that permissions count."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

# Root without capabilities is an owner like any other.
DROP = ("setpriv", "--bounding-set=-all", "--inh-caps=-all")


def unprivileged(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `skillbag ARGUMENTS` in `folder`, held to the permissions of its files; skip where that is not possible."""
    if os.name != "posix":
        pytest.skip("permissions of this kind are POSIX's")
    return _run(folder, [*dropped(folder), sys.executable, "-m", "skillbag", *arguments])


@cache
def dropped(folder: Path) -> tuple[str, ...]:
    """What to put before a command so that it is held to the permissions of files; skip where that is not possible."""
    if os.geteuid() != 0:
        return ()
    if shutil.which(DROP[0]) is None:
        pytest.skip("root cannot lay down its power here: there is no setpriv")
    probe = folder / ".probe"
    probe.touch(mode=0)
    done = _run(folder, [*DROP, sys.executable, "-c", "open('.probe')"])
    probe.unlink()
    if "PermissionError" not in done.stderr:
        pytest.skip(f"root cannot lay down its power here: {done.stderr.strip() or 'it may still read everything'}")
    return DROP


def _run(folder: Path, command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
