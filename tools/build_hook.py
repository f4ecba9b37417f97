"""What building adds to the wheel: the manual, made of the commands' help."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ManualHook(BuildHookInterface[Any]):
    """Writes the manual pages into a folder beside the source for as long as the build takes."""

    _pages: tempfile.TemporaryDirectory[str] | None = None

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Make the pages, where `man` finds them beside the program; an installation that is edited needs none."""
        if version == "editable":
            return
        self._pages = tempfile.TemporaryDirectory()
        # A process of its own: the program's modules are no part of the build.
        command = [sys.executable, "-B", os.path.join("tools", "man_pages.py"), self._pages.name]
        # pip's environment for building is nothing but entries of the path.
        path = os.pathsep.join([self.root, *sys.path])
        subprocess.run(command, cwd=self.root, env={**os.environ, "PYTHONPATH": path}, check=True)
        build_data["shared_data"][self._pages.name] = "share/man/man1"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove them."""
        if self._pages is not None:
            self._pages.cleanup()
