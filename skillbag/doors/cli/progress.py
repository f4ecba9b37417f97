"""What is under way, shown on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from typing import NamedTuple

from skillbag.doors.cli.streams import columns, is_live, write

_CLEAR = "\r\x1b[K"
"""Back to the beginning of the line, and erase it."""


class Progress(NamedTuple):
    """`tell` shows what is under way; within `paused` the terminal is free for a question."""

    tell: Callable[[str], None]
    paused: Callable[[], AbstractContextManager[None]]


class _Line:
    """A line that is written over itself."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.is_shown = True
        self._draw()

    def tell(self, text: str) -> None:
        self.text = text
        self._draw()

    @contextmanager
    def hidden(self) -> Iterator[None]:
        self.clear()
        try:
            yield
        finally:
            self.is_shown = True
            self._draw()

    def clear(self) -> None:
        self.is_shown = False
        write(_CLEAR, sys.stderr)

    def _draw(self) -> None:
        from skillbag.report.columns import head_or_more
        from skillbag.report.sanitize import shown

        # A thread may tell something while a question is asked.
        if self.is_shown:
            write(_CLEAR + head_or_more(shown(self.text), columns(sys.stderr) - 1), sys.stderr)


@contextmanager
def progress(as_json: bool) -> Iterator[Progress]:
    """A line on a terminal that comes and goes, else silence."""
    if as_json or not is_live(sys.stderr):
        yield Progress(lambda _line: None, nullcontext)
        return
    line = _Line("Looking at the workspace")
    try:
        yield Progress(line.tell, line.hidden)
    finally:
        line.clear()


@contextmanager
def bars() -> Iterator[Callable[[str, int], Callable[[], None]]]:
    """A function that begins a bar on the terminal, of a title and a total, and gives one that advances it by one."""
    import click

    with ExitStack() as stack:

        def begin(title: str, total: int) -> Callable[[], None]:
            bar = click.progressbar(length=total, label=title, show_pos=True, file=sys.stderr)
            stack.enter_context(bar)
            return lambda: bar.update(1)

        yield begin
