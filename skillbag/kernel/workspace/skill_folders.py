"""The skills that files are in, by the `SKILL.md` in a folder above them."""

from __future__ import annotations

import os

from skillbag.kernel.fs import tracked
from skillbag.kernel.workspace.target import SKILL_FILE


class SkillFolders:
    """The folders of skills, each path looked at once."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def of(self, path: str, root: str) -> str:
        """The folder of the innermost skill that a file of the target at `root` is in; empty outside of skills."""
        below = os.path.join(root, "")
        folder, passed = os.path.dirname(path), []
        while folder not in self._known:
            passed.append(folder)
            if tracked.exists(os.path.join(folder, SKILL_FILE)):
                self._known[folder] = folder
            elif not folder.startswith(below):
                self._known[folder] = ""
            else:
                folder = os.path.dirname(folder)
        found = self._known[folder]
        self._known.update(dict.fromkeys(passed, found))
        return found
