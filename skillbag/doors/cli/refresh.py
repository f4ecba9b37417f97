"""`skillbag session refresh`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from skillbag.doors.cli.answers import CliCommand, CommandOutput, answering, error_answer, json_line
from skillbag.doors.cli.options import common_options, session_option
from skillbag.doors.cli.streams import write
from skillbag.doors.cli.workspaces import root_at
from skillbag.kernel.base.errors import UserError

if TYPE_CHECKING:
    from skillbag.kernel.base.json_records import JsonRecord
    from skillbag.session.refresh.refresh import Refresh

_EXAMPLES = """\b
Examples:
  skillbag session refresh --session s1                   before a response: what to read again
  skillbag session refresh --session s1 convert-to-pdf    and this skill, which is chosen for the first time
  skillbag session refresh --session s1 --watch           a line of JSON for each change, until stopped

Exit codes: 0 done, 2 bad usage or a malformed file, 4 the environment failed.
"""


@click.command("refresh", cls=CliCommand, epilog=_EXAMPLES)
@click.argument("skills", nargs=-1, metavar="[SKILL]...")
@session_option
@click.option("--watch", is_flag=True, help="Print each change as a line of JSON, without marking it as seen.")
@common_options
def command(skills: tuple[str, ...], session: str | None, watch: bool, folder: str, as_json: bool, trace: bool) -> None:
    """Show what changed since the session read it, and what to read again. SKILLs are newly chosen ones.

    Files are compared by content. What was shown once counts as read.
    """
    if watch and (skills or trace):
        raise click.UsageError("--watch goes with neither skills nor --trace.")

    with answering("refresh", as_json=as_json, trace=trace) as say:
        from skillbag.session.refresh.state import named

        root, session = root_at(folder), named(session)
        if watch:
            _watch(root, session)
            sys.exit(0)
        from skillbag.report.refresh import refresh_text
        from skillbag.session.refresh.refresh import refresh

        def deliver(found: Refresh) -> None:
            say(CommandOutput(_json(found), "") if as_json else CommandOutput((), refresh_text(found)))

        refresh(root, session, skills, deliver)


def _json(found: Refresh) -> JsonRecord:
    from skillbag.report.answers.refresh import RefreshJson

    return RefreshJson.of(found)


def _watch(root: str, session: str) -> None:
    """Print the refresh as it is now, then one for each change, each a line of JSON; an error in a file is one too."""
    from skillbag.doors.cli.watching import EndSignal
    from skillbag.kernel.base.extras import require
    from skillbag.session.refresh.watch import watch

    require("watchfiles", "--watch", "watch")
    ended = EndSignal()

    def deliver(found: Refresh | UserError) -> None:
        answer = error_answer(found) if isinstance(found, UserError) else CommandOutput(_json(found), "")
        if not write(json_line("refresh", answer), sys.stdout):
            ended.ended = True

    watch(root, session, deliver, ended)
