"""`skillbag enter`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from skillbag.cli import EXIT_QUESTION
from skillbag.cli.answers import Answer, Command, answering
from skillbag.cli.options import common_options, session_option, without_option
from skillbag.cli.workspaces import workspace_at

if TYPE_CHECKING:
    from skillbag.lifecycle.entry import EntryReport

_EXAMPLES = """\b
Examples:
  skillbag enter                      a new session; the report has its id
  skillbag enter --session s1 --json
  skillbag enter --session s1 --again    the report once more, after the context was shortened
  skillbag enter --hook               in the session-start hook of an agent

\b
A hook gives JSON on standard input: {"session_id": ..., "cwd": ..., "source": ...}. The report is plain text
and includes errors. The exit code is 0. Outside of a workspace nothing is printed.

Exit codes: 0 entered, 2 bad usage or a malformed file, 3 something must be asked first, 4 the environment failed.
"""


@click.command("enter", cls=Command, epilog=_EXAMPLES)
@session_option
@click.option("--again", is_flag=True, help="Print the report once more.")
@without_option
@click.option("--hook", is_flag=True, help="Run as an agent's session-start hook, see below.")
@common_options
def command(
    session: str | None, again: bool, without: tuple[str, ...], hook: bool, folder: str, as_json: bool, trace: bool
) -> None:
    """Start a session: print the settings, the catalog, and what to run or ask first."""
    if hook:
        from skillbag.cli.entry_hook import Hook, run_hook

        source = click.get_current_context().get_parameter_source("folder")
        is_named = source is ParameterSource.COMMANDLINE
        run_hook(Hook(folder if is_named else None, session, again, without))

    from skillbag.lifecycle.session import Session
    from skillbag.report.entry import entry_text, entry_values

    with answering("enter", as_json=as_json, trace=trace) as say:

        def deliver(report: EntryReport) -> None:
            code = 0 if report.ready else EXIT_QUESTION
            say(Answer(entry_values(report), "", code) if as_json else Answer({}, entry_text(report), code))

        Session(workspace_at(folder), session).enter(again=again, without=without, deliver=deliver)
