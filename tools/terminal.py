"""A real terminal, as a grid of coloured cells: programs run in a pseudo-terminal, and pyte keeps its screen."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import termios
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import pyte
from wcwidth import wcwidth

_FAINT = (b"\x1b[2m", b"\x1b[90m")
"""pyte knows no faint text: it is shown as grey."""


class Style(NamedTuple):
    """How a run of characters looks: colours by their name or as six digits, `default` for none."""

    ink: str = "default"
    paper: str = "default"
    bold: bool = False
    italic: bool = False
    underlined: bool = False


PLAIN = Style()


class Run(NamedTuple):
    """Characters of one style that begin at a column."""

    column: int
    text: str
    style: Style = PLAIN

    @property
    def width(self) -> int:
        """The columns that it takes."""
        return width_of(self.text)


def width_of(text: str) -> int:
    """The columns that a text takes: as the terminal counts them."""
    return sum(max(wcwidth(char), 0) for char in text)


Row = tuple[Run, ...]
Rows = tuple[Row, ...]


class Terminal:
    """A program in a pseudo-terminal of this size."""

    def __init__(self, columns: int, lines: int) -> None:
        self.screen = pyte.Screen(columns, lines)
        self._stream = pyte.ByteStream(self.screen)
        self._master = -1
        self._process = 0

    def start(self, command: list[str], folder: Path, env: Mapping[str, str]) -> None:
        """Start a program, with the screen as it is."""
        self._process, self._master = pty.fork()
        if not self._process:
            # By the child itself: a program may look at the size as soon as it starts.
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", self.screen.lines, self.screen.columns, 0, 0))
            os.chdir(folder)
            os.execvpe(command[0], command, {"TERM": "xterm-256color", **env})  # noqa: S606 - no shell is wanted

    def write(self, keys: str) -> None:
        """Type."""
        os.write(self._master, keys.encode("utf-8"))

    def show(self, text: str) -> None:
        """Put a text on the screen that no program printed: what somebody types at a prompt."""
        self._stream.feed(text.encode("utf-8"))

    def finish(self) -> int:
        """Read until the program ends; gives its exit code."""
        while self._read(600):
            pass
        os.close(self._master)
        return os.waitstatus_to_exitcode(os.waitpid(self._process, 0)[1])

    def wait(self, condition: Callable[[str], bool], seconds: float = 60) -> None:
        """Read until the text of the screen is so, and nothing follows for a moment.

        Raises:
            TimeoutError: with the screen as it was.
        """
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if not self._read(0.3) and condition("\n".join(self.screen.display)):
                return
        raise TimeoutError("\n".join(self.screen.display))

    def _read(self, seconds: float) -> bool:
        """Whether the program has written something, which is on the screen now."""
        if not select.select([self._master], [], [], seconds)[0]:
            return False
        try:
            written = os.read(self._master, 65536)
        except OSError:  # its end, on Linux
            return False
        self._stream.feed(written.replace(*_FAINT))
        return bool(written)

    def rows(self) -> Rows:
        """What is on the screen now."""
        return tuple(self._row(line) for line in range(self.screen.lines))

    def _row(self, line: int) -> Row:
        runs: list[Run] = []
        for column in range(self.screen.columns):
            char = self.screen.buffer[line][column]
            style = _style(char)
            # The second half of a wide character is empty.
            if runs and runs[-1].style == style and char.data:
                runs[-1] = runs[-1]._replace(text=runs[-1].text + char.data)
            elif char.data:
                runs.append(Run(column, char.data, style))
        return tuple(run for run in runs if run.text.strip() or run.style.paper != "default")


def _style(char: pyte.screens.Char) -> Style:
    ink, paper = (char.bg, char.fg) if char.reverse else (char.fg, char.bg)
    if char.reverse and (ink, paper) == ("default", "default"):
        ink, paper = "paper", "ink"
    return Style(ink, paper, char.bold, char.italics, char.underscore)
