"""How a report is to look; decided by the command line, which knows the terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from skillbag.base.records import NamedTuple
from skillbag.model.result import Result


class ReportOptions(NamedTuple):
    """`cwd` is absolute: paths within it are printed relative to it.

    `width` is in terminal columns; with 0, for a pipe or a file, each line is as long as it is.

    `quiet` leaves out the summary, so that a clean run prints nothing. `strict` says that warnings fail the run.
    `color`, `width`, `quiet` and `statistics` are for people: the machine formats print the same whatever they say.
    """

    cwd: str
    color: bool = False
    width: int = 80
    quiet: bool = False
    statistics: bool = False
    strict: bool = False


Report = Callable[[Result, ReportOptions], Iterator[str]]
"""A report yields its text in pieces, line ends included; joined, they are the whole output."""
