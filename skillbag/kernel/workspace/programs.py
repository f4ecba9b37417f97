"""Find programs by name, tracked, so that a change of the search path or of a program is noticed."""

from __future__ import annotations

import os
import stat

from skillbag.kernel.fs import tracked
from skillbag.kernel.fs.trace import mark_uncacheable


def find(name: str) -> str | None:
    """The path of the program `name`; None where there is none."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    for folder in folders:
        if not os.path.isabs(folder):
            # A relative path depends on the working directory.
            mark_uncacheable()
        path = os.path.join(folder, name)
        mode = tracked.version(path)
        if mode is not None and stat.S_ISREG(mode) and os.access(path, os.X_OK):
            return path
    return None
