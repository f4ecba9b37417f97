"""The screen that the README shows: what the program really prints for the examples."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

COMMAND = ("check", "examples")


def screen(root: Path) -> str:
    """A fenced block with the command and its output.

    Raises:
        SystemExit: the command failed; the README shows a run that passes.
    """
    done = subprocess.run(
        [sys.executable, "-m", "skillbag", *COMMAND],
        cwd=root,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"skillbag {' '.join(COMMAND)} failed: {done.stdout}{done.stderr}")
    return f"```console\n$ skillbag {' '.join(COMMAND)}\n{done.stdout}```"
