"""The site of the documentation, as `make site` builds it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.support import PROJECT


def build(folder: Path) -> str:
    """Build the site as `make site` does; a warning fails it."""
    command = [sys.executable, str(PROJECT / "tools/docs_site.py"), "build", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "No issues found" in done.stderr, done.stderr
    return str(folder / "pages")
