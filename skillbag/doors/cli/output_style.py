"""How a command speaks: in colour or not, and how much. The command line decides once, all that prints asks here.

A plain check imports this: keep its imports few.
"""

from __future__ import annotations

import os

from skillbag.kernel.base import verbose
from skillbag.kernel.base.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TextIO

ALWAYS, NEVER, AUTO = "always", "never", "auto"
COLORS = (AUTO, ALWAYS, NEVER)
"""The values of `--color`."""

_OFF = ("0", "false")


class OutputStyle(NamedTuple):
    """What `--color`, `--quiet` and `--verbose` say."""

    color: str = AUTO
    quiet: bool = False
    verbose: bool = False


_output_style = [OutputStyle()]


def output_style() -> OutputStyle:
    """How this process speaks."""
    return _output_style[0]


def set_output_style(chosen: OutputStyle, inform: Callable[[str], None] | None = None) -> None:
    """Set the style of the process; `inform` prints the steps of `--verbose`."""
    _output_style[0] = chosen
    verbose.listener = inform if chosen.verbose else None


def colored(stream: TextIO) -> bool:
    """Whether to write to a stream in colour: `--color`, then `NO_COLOR`, `FORCE_COLOR`, `TERM`, then the stream."""
    if output_style().color != AUTO:
        return output_style().color == ALWAYS
    if os.environ.get("NO_COLOR"):
        return False
    if forced := os.environ.get("FORCE_COLOR"):
        return forced.lower() not in _OFF
    return os.environ.get("TERM") != "dumb" and stream.isatty()


def foreseen(arguments: Sequence[str]) -> OutputStyle:
    """What a command line that can't be read says about it."""
    given = with_color_values(arguments)
    # The value of the option is behind it, or behind its equals sign.
    colors = " ".join(given).replace("--color=", "--color ").split("--color ")[1:]
    known = [color for words in colors for color in words.split()[:1] if color in COLORS]
    return OutputStyle(known[-1] if known else AUTO, "-q" in given or "--quiet" in given)


def with_color_values(arguments: Sequence[str]) -> list[str]:
    """The arguments with a value for each `--color`: alone it means `always`; `--no-color` means `never`."""
    values: list[str] = []
    for index, argument in enumerate(arguments):
        if argument == "--":
            return [*values, *arguments[index:]]
        following = arguments[index + 1 : index + 2]
        if argument == "--color" and (not following or following[0].startswith("-")):
            argument = f"--color={ALWAYS}"
        values.append(f"--color={NEVER}" if argument == "--no-color" else argument)
    return values
