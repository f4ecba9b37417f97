"""The path of an installation from the command line to the fetch of a source is short."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.supply.install.worlds import make_source
from tests.support import documented_path

MAX = 7
"""Named functions of the package on the stack, `main` and `fetch` included."""

SCRIPT = """
import sys
from skillbag.doors.cli import main
from skillbag.supply.sources.fetch import Fetcher

def fetch(self, *arguments):
    names, frame = ["fetch"], sys._getframe(1)
    while frame is not None:
        name = frame.f_code.co_name
        if frame.f_globals["__name__"].startswith("skillbag.") and not name.startswith("<"):
            names.append(name)
        frame = frame.f_back
    print(*reversed(names))
    raise SystemExit(0)

Fetcher.fetch = fetch
main()
"""


def test_few_functions_lead_from_the_command_line_to_a_fetch(tmp_path: Path, workspace: Path) -> None:
    make_source(tmp_path / "source", ["a"])
    command = [sys.executable, "-c", SCRIPT, "install", "a", "--source", "../source", "--yes"]
    done = subprocess.run(command, cwd=workspace, capture_output=True, text=True, check=True)
    frames = done.stdout.split()
    assert frames == documented_path("An installation")
    assert len(frames) <= MAX, frames
