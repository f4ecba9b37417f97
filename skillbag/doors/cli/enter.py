"""`skillbag enter`, also as the hook of an agent that runs a command at the start of a session."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, NoReturn

import click
from click.core import ParameterSource

from skillbag.doors.cli.answers import CliCommand, CommandOutput, answering
from skillbag.doors.cli.exit_codes import EXIT_QUESTION
from skillbag.doors.cli.options import SESSION_TYPE, common_options, session_option, without_option
from skillbag.doors.cli.stdin import piped_input
from skillbag.doors.cli.streams import silence, write
from skillbag.doors.cli.workspaces import session_at
from skillbag.kernel.base.errors import UserError, format_error
from skillbag.kernel.fs.read import LIMIT
from skillbag.kernel.workspace.discovery import NoWorkspaceError
from skillbag.report.sanitize import shown

if TYPE_CHECKING:
    from collections.abc import Callable

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
        _run_hook(folder if source is ParameterSource.COMMANDLINE else None, session, again, without)

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


class _BadHookError(UserError):
    """Standard input holds something else than a hook's JSON."""


def _run_hook(folder: str | None, session: str | None, again: bool, without: tuple[str, ...]) -> NoReturn:
    """Enter and print the report; an error is a line of text, and the exit code is 0.

    `folder` and `session` are None unless they are given on the command line.
    """
    try:
        try:
            _enter_by_hook(folder, session, again, without)
        except NoWorkspaceError:
            # Users start agents in other folders, too.
            pass
        except (UserError, OSError) as error:
            _print_line(format_error(error))
        except Exception as error:
            import traceback

            traceback.print_exc()
            kind = type(error).__name__
            _print_line(f"entry failed ({kind}), which is a bug in skillbag; skillbag enter shows more")
    except OSError:
        # Standard output takes nothing: a full disk, say.
        silence(sys.stdout)
        silence(sys.stderr)
    sys.exit(0)


def _enter_by_hook(folder: str | None, session: str | None, again: bool, without: tuple[str, ...]) -> None:
    from skillbag.report.entry import HOOK_PROSE, entry_text

    given = _hook_texts()
    folder = folder or given("cwd") or "."
    if not os.path.isdir(folder):
        raise _BadHookError(f"{folder}: there is no such folder, so no workspace was entered")

    def deliver(report: EntryReport) -> None:
        text = entry_text(report, most_prose=HOOK_PROSE, active=_active_skills(report))
        if not write(text, sys.stdout):
            # It was not read, so it does not count as delivered.
            sys.exit(0)

    entered = session_at(folder, given("session_id") or session)
    entered.enter(again=again or given("source") in _EMPTIED, without=without, deliver=deliver)


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


def _hook_texts() -> Callable[[str], str | None]:
    """What gives the texts of the JSON object on standard input, by their keys: none where there is no object."""
    data = piped_input()
    if len(data) > LIMIT:
        raise _BadHookError("the standard input of the hook is too long; run skillbag enter instead")
    try:
        values = json.loads(data if data.strip() else "{}")
    except (ValueError, RecursionError):
        raise _BadHookError("the standard input of the hook is not valid JSON; run skillbag enter instead") from None
    if not isinstance(values, dict):
        raise _BadHookError("the standard input of the hook is not a JSON object; run skillbag enter instead")

    def text(key: str) -> str | None:
        value = values.get(key)
        if value is not None and not isinstance(value, str):
            raise _BadHookError(f"`{key}` on the standard input of the hook is not text; run skillbag enter instead")
        return value

    return text


def _print_line(message: str) -> None:
    click.echo(f"skillbag: {shown('; '.join(message.splitlines()))}")
