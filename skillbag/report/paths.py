"""Where a file is, as reports write it."""

from __future__ import annotations

import os

from skillbag.report.sanitize import shown


def located(path: str, cwd: str) -> str:
    """An absolute path, with `/`: relative to `cwd` where it lies within it (`.` for `cwd` itself), else as it is."""
    if path == cwd:
        return "."
    base = cwd.rstrip(os.sep) + os.sep
    inside = path[len(base) :] if path.startswith(base) else path
    return inside if os.sep == "/" else inside.replace(os.sep, "/")


def shown_path(path: str, cwd: str) -> str:
    """The same for people: masked, and safe for a terminal or a log."""
    return shown(located(path, cwd))
