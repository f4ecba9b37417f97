"""What the commands about installed skills share: the workspace around, the report, the exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NoReturn

import click

from skillbag.errors import UserError
from skillbag.install.outcome import Outcome, Trouble, TroubleKind

json_option = click.option("--json", "as_json", is_flag=True, help="Print the outcome as JSON.")
workspace_option = click.option(
    "--workspace",
    "folder",
    type=click.Path(file_okay=False),
    default=".",
    help="Work on the workspace around this folder.  [default: this one]",
)
offline_option = click.option("--offline", is_flag=True, help="Fetch nothing: use what the cache holds.")


def root_of(folder: str) -> str:
    """The root of the workspace around `folder`, as it was left by whoever wrote into it last."""
    from skillbag.install.state import workspace_root
    from skillbag.transaction.recovery import recover

    if not folder or not os.path.isdir(folder):
        raise click.UsageError(f"--workspace {folder!r}: there is no such folder.")
    root = workspace_root(os.path.abspath(folder))
    recover(root)
    return root


def finish(command: str, as_json: bool, work: Callable[[], Outcome]) -> NoReturn:
    """Do the work, print its outcome, and end with its exit code; with `--json` mistakes are JSON as well."""
    try:
        outcome = work()
    except UserError as error:
        if not as_json:
            raise
        outcome = Outcome(command, troubles=(Trouble(TroubleKind.USAGE, str(error)),))
    except OSError as error:
        if not as_json:
            raise
        message = f"{error.filename}: {error.strerror}" if error.filename else str(error)
        outcome = Outcome(command, troubles=(Trouble(TroubleKind.ENVIRONMENT, message),))
    _print(outcome, as_json)
    sys.exit(outcome.exit)


def _print(outcome: Outcome, as_json: bool) -> None:
    if as_json:
        from skillbag.report.outcome_json import render_json

        click.echo(render_json(outcome), nl=False)
        return
    from skillbag.report.outcome_text import render_text, render_troubles

    if text := render_text(outcome):
        click.echo(text, nl=False)
    if outcome.troubles:
        click.echo(render_troubles(outcome), nl=False, err=True)


@contextmanager
def progress(as_json: bool) -> Iterator[Callable[[str], None]]:
    """Something that is told what is under way: a line on a terminal that comes and goes, else silence."""
    if as_json or not sys.stderr.isatty():
        yield lambda _line: None
        return
    # Heavy, and of use on a terminal alone.
    from rich.console import Console
    from rich.markup import escape

    from skillbag.report.shown import shown

    console = Console(stderr=True)
    with console.status("Looking at the workspace") as status:
        yield lambda line: status.update(escape(shown(line)))
