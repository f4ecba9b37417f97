"""The contents of folders."""

from __future__ import annotations

import os
from pathlib import Path


def contents(root: Path) -> dict[str, tuple[bytes, bool]]:
    """Each file below `root`: its bytes, and whether it is executable."""
    files = (path for path in root.rglob("*") if path.is_file())
    return {path.relative_to(root).as_posix(): (path.read_bytes(), os.access(path, os.X_OK)) for path in files}
