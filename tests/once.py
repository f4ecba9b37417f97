"""What takes long to build is built once, also where several processes share the tests."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock


def once(factory: pytest.TempPathFactory, name: str, build: Callable[[Path], str]) -> str:
    """The text that `build` gives for a fresh folder; the first process to ask builds, the others wait for it."""
    temporary = factory.getbasetemp()
    shared = temporary.parent if "PYTEST_XDIST_WORKER" in os.environ else temporary
    result = shared / f"{name}.txt"
    with FileLock(shared / f"{name}.lock"):
        if not result.exists():
            # Left by a process in which the build failed.
            shutil.rmtree(shared / name, ignore_errors=True)
            (shared / name).mkdir()
            result.write_text(build(shared / name), "utf-8")
    return result.read_text("utf-8")
