"""What the commands about installed skills share: the workspace around, the report, the exit code."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, NamedTuple, NoReturn, TextIO

import click

from skillbag.base.errors import UserError, format_error
from skillbag.cli.recovery import recovered
from skillbag.cli.streams import columns, write
from skillbag.install.outcome import Outcome, Problem, ProblemKind
from skillbag.transaction.errors import CleanUpError, RecoveryError

if TYPE_CHECKING:
    from skillbag.report.outcome_text import Look

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
workspace_option = click.option(
    "--workspace",
    "folder",
    type=click.Path(file_okay=False),
    default=".",
    help="The workspace, or a folder in it.  [default: the current folder]",
)
offline_option = click.option("--offline", is_flag=True, help="Use only cached sources.")
wait_option = click.option(
    "--wait",
    type=click.FloatRange(0),
    default=60.0,
    metavar="SECONDS",
    help="Time to wait for another process.  [default: 60]",
)


def root_of(folder: str) -> str:
    """The root of the workspace around `folder`, as it was left by whoever wrote into it last."""
    from skillbag.workspace.discovery import workspace_root

    if not folder or not os.path.isdir(folder):
        raise UserError(f"--workspace {folder!r}: there is no such folder")
    return workspace_root(recovered(os.path.abspath(folder)))


def check_names(names: Iterable[str], instead: str) -> None:
    """Refuse an address in the place of a name: what a hurried user writes first. `instead` is what to do.

    It may hold a secret, so it is not repeated.

    Raises:
        UserError: one of the names is an address or a path.
    """
    if any(mark in name for name in names for mark in "/\\:@"):
        raise UserError(f"an address or a path stands where the name of a skill belongs; {instead}")


def finish(command: str, as_json: bool, work: Callable[[], Outcome]) -> NoReturn:
    """Do the work, print its outcome, and end with its exit code; with `--json` mistakes are JSON as well."""
    # Nothing here makes reference cycles in number; the collector would only walk over what is still in use.
    gc.disable()
    try:
        outcome = _with_links(work())
    except UserError as error:
        if not as_json:
            raise
        outcome = Outcome(command, problems=(Problem(ProblemKind.USAGE, str(error)),))
    except OSError as error:
        if not as_json and isinstance(error, CleanUpError | RecoveryError):
            # These alone leave something else than the old state, and say so.
            raise
        outcome = Outcome(command, problems=(Problem(ProblemKind.ENVIRONMENT, format_error(error)),))
    _print(outcome, as_json)
    sys.exit(outcome.exit)


def _with_links(outcome: Outcome) -> Outcome:
    """The outcome, with what other agents are shown brought along; most commands change nothing and don't load it."""
    if not outcome.changed:
        return outcome
    from skillbag.links.commands import relinked

    return relinked(outcome)


def tell_waiting(as_json: bool) -> Callable[[], None]:
    """What says that another writer has to end first; nothing where the output is for a program."""

    def tell() -> None:
        if not as_json:
            click.echo("skillbag: another skillbag is writing here; waiting for it to end", err=True)

    return tell


def _print(outcome: Outcome, as_json: bool) -> None:
    if as_json:
        from skillbag.report.outcome_json import render_json

        write(render_json(outcome), sys.stdout)
        return
    from skillbag.report.outcome_text import render_problems, render_remark, render_text

    write(render_text(outcome, look_of(sys.stdout), planned=outcome.is_planned and not outcome.dry_run), sys.stdout)
    write(render_remark(outcome), sys.stderr)
    if outcome.problems:
        write(render_problems(outcome, look_of(sys.stderr)), sys.stderr)


def look_of(stream: TextIO) -> Look:
    """How to write to a stream: as wide as its terminal and in colour, or plain into a file or a pipe."""
    from skillbag.report.outcome_text import PLAIN, Look

    if not stream.isatty():
        return PLAIN
    color = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return Look(columns(stream), color)


class Progress(NamedTuple):
    """`tell` says what is under way; within `paused` the terminal is free for a question."""

    tell: Callable[[str], None]
    paused: Callable[[], AbstractContextManager[None]]


@contextmanager
def progress(as_json: bool) -> Iterator[Progress]:
    """A line on a terminal that comes and goes, else silence."""
    if as_json or not sys.stderr.isatty():
        yield Progress(lambda _line: None, nullcontext)
        return
    # Heavy, and of use on a terminal alone.
    from rich.console import Console
    from rich.markup import escape

    from skillbag.report.columns import head_or_more
    from skillbag.report.sanitize import shown

    console = Console(stderr=True)
    with console.status("Looking at the workspace") as status:

        @contextmanager
        def paused() -> Iterator[None]:
            # It draws itself anew ten times a second, over whatever is asked meanwhile.
            status.stop()
            try:
                yield
            finally:
                status.start()

        def tell(line: str) -> None:
            status.update(escape(head_or_more(shown(line), console.width - 3)))

        yield Progress(tell, paused)
