"""`skillbag enter`, also as the hook of an agent that runs a command at the start of a session."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from skillbag.doors.cli.answers import CliCommand, CommandOutput, answering
from skillbag.doors.cli.exit_codes import EXIT_QUESTION
from skillbag.doors.cli.host_hook import HookEvent, answer_hook
from skillbag.doors.cli.options import SESSION_TYPE, common_options, session_option, without_option
from skillbag.doors.cli.stdin import piped_input
from skillbag.doors.cli.streams import write
from skillbag.doors.cli.workspaces import session_at
from skillbag.kernel.base.errors import UserError

if TYPE_CHECKING:
    from skillbag.session.entry.entry import EntryReport

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

_EMPTIED = ("compact", "resume", "clear")
"""Sources of a start after which the agent has lost the report."""


@click.command("enter", cls=CliCommand, epilog=_EXAMPLES)
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
        source = click.get_current_context().get_parameter_source("folder")
        named = folder if source is ParameterSource.COMMANDLINE else None
        answer_hook(lambda: _enter_by_hook(named, session, again, without))

    from skillbag.report.entry import entry_text

    with answering("enter", as_json=as_json, trace=trace) as say:

        def deliver(report: EntryReport) -> None:
            code = 0 if report.ready else EXIT_QUESTION
            active = _active_skills(report)
            if as_json:
                from skillbag.report.answers.entry import entry_json

                say(CommandOutput(entry_json(report, active), "", code))
            else:
                say(CommandOutput((), entry_text(report, active=active), code))

        session_at(folder, session).enter(again=again, without=without, deliver=deliver)


def _enter_by_hook(folder: str | None, session: str | None, again: bool, without: tuple[str, ...]) -> None:
    from skillbag.report.entry import HOOK_PROSE, entry_text

    given = HookEvent.of(piped_input())

    def deliver(report: EntryReport) -> None:
        text = entry_text(report, most_prose=HOOK_PROSE, active=_active_skills(report))
        if not write(text, sys.stdout):
            # It was not read, so it does not count as delivered.
            sys.exit(0)

    entered = session_at(given.folder(folder), given.text("session_id") or session)
    entered.enter(again=again or given.text("source") in _EMPTIED, without=without, deliver=deliver)


def _active_skills(report: EntryReport) -> tuple[str, ...]:
    """The names of the active skills here. Entry does not depend on them: if their settings can't be used, there are
    none, and whatever uses them says why."""
    from skillbag.agents.hosts.active_skills import active_skill_names, has_active_skills
    from skillbag.agents.settings.scope import scope_in
    from skillbag.session.entry.entry import EntryStatus

    if report.status is EntryStatus.ALREADY:
        return ()
    try:
        scope = scope_in(report.root, None, report.session, os.environ.get(SESSION_TYPE) != "other")
        return active_skill_names(scope) if has_active_skills(scope) else ()
    except (UserError, OSError):
        return ()
