"""What all reports of findings share: their options, which the command line decides, and how they write paths."""

from __future__ import annotations

import os

from skillbag.base.records import NamedTuple
from skillbag.report.sanitize import shown


class ReportOptions(NamedTuple):
    """`cwd` is absolute: paths within it are printed relative to it.

    `width` is in terminal columns; with 0, for a pipe or a file, each line is as long as it is.

    `quiet` leaves out the summary, so that a clean run prints nothing. `strict` says that warnings fail the run,
    `exit` how it ends.
    `color`, `width`, `quiet` and `statistics` are for people: the machine formats print the same whatever they say.
    """

    cwd: str
    color: bool = False
    width: int = 80
    quiet: bool = False
    statistics: bool = False
    strict: bool = False
    exit: int = 0


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
