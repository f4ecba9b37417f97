"""What is under way, shown on a terminal; `rich` is heavy, so it is loaded only there."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from rich.progress import Progress as Bars


class Progress(NamedTuple):
    """`tell` shows what is under way; within `paused` the terminal is free for a question."""

    tell: Callable[[str], None]
    paused: Callable[[], AbstractContextManager[None]]


@contextmanager
def progress(as_json: bool) -> Iterator[Progress]:
    """A line on a terminal that comes and goes, else silence."""
    if as_json or not sys.stderr.isatty():
        yield Progress(lambda _line: None, nullcontext)
        return
    from rich.console import Console
    from rich.markup import escape

    from skillbag.report.columns import head_or_more
    from skillbag.report.sanitize import shown

    console = Console(stderr=True)
    with console.status("Looking at the workspace") as status:

        @contextmanager
        def paused() -> Iterator[None]:
            # The status line is redrawn ten times a second, over any question.
            status.stop()
            try:
                yield
            finally:
                status.start()

        def tell(line: str) -> None:
            status.update(escape(head_or_more(shown(line), console.width - 3)))

        yield Progress(tell, paused)


@contextmanager
def bars() -> Iterator[Bars]:
    """Bars on the terminal, each with a title and an estimate of the time left; they vanish at the end."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, speed_estimate_period=300) as progress:
        yield progress
