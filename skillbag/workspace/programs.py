"""Programs that are run: which one a name means here, so that it is noticed when it comes to mean another."""

from __future__ import annotations

import os
import stat

from skillbag.fs import tracked


def find(name: str) -> str | None:
    """The path of the program that `name` means; None where there is none."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    for folder in folders:
        if not os.path.isabs(folder):
            # It means another folder for each one that a command is called from.
            tracked.mark_uncacheable()
        path = os.path.join(folder, name)
        mode = tracked.version(path)
        if mode is not None and stat.S_ISREG(mode) and os.access(path, os.X_OK):
            return path
    return None
