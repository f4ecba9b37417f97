"""`skillbag turn`: what an agent does before a response, also as the hook of each prompt."""

from __future__ import annotations

from typing import Any

import click
from click.core import ParameterSource

from skillbag.doors.cli.answers import CliCommand, CommandOutput, answering
from skillbag.doors.cli.exit_codes import EXIT_QUESTION
from skillbag.doors.cli.options import (
    allow_option,
    common_options,
    prohibit_option,
    session_option,
    set_option,
    without_option,
)
from skillbag.doors.cli.prompt_hook import answer_prompt
from skillbag.doors.cli.turn_run import session_id, text_of
from skillbag.doors.cli.workspaces import root_at
from skillbag.session.entry.turn import take_turn
from skillbag.session.entry.turn_report import TurnReport, TurnRequest

_EXAMPLES = """\b
Examples:
  skillbag turn --session s1                       prints nothing if nothing changed
  skillbag turn convert-to-pdf --session s1 --set input-path=docs/a.md
  skillbag turn --session s1 --without sign-off
  skillbag turn --hook                             in the hook of each prompt

\b
The session is entered if it has not been; without --session that is a new one.
A hook gives JSON on standard input: {"session_id": ..., "cwd": ...}; the exit code is 0.

Exit codes: 0 go on, 2 bad usage or a malformed file, 3 something must be asked first, 4 the environment failed.
"""


@click.command("turn", cls=CliCommand, epilog=_EXAMPLES)
@click.argument("skills", nargs=-1, metavar="[SKILL]...")
@set_option
@prohibit_option
@without_option
@allow_option
@click.option("--incomplete", is_flag=True, help="Run even if declared skills are not installed.")
@session_option
@click.option("--hook", is_flag=True, help="Run as an agent's hook of each prompt, see below.")
@common_options
def command(session: str | None, hook: bool, folder: str, as_json: bool, trace: bool, **request: Any) -> None:
    """Before each response: print what changed, the skills to run in order, and texts that are new.

    SKILLs are those that you choose for the response. Exit code 3: ask the user first.
    """
    if hook:
        source = click.get_current_context().get_parameter_source("folder")
        answer_prompt(folder if source is ParameterSource.COMMANDLINE else None, session)

    with answering("turn", as_json=as_json, trace=trace) as say:

        def deliver(report: TurnReport) -> None:
            code = EXIT_QUESTION if report.questions else 0
            if as_json:
                from skillbag.report.answers.turn import turn_json

                say(CommandOutput(turn_json(report), "", code))
            else:
                say(CommandOutput((), text_of(report), code))

        take_turn(root_at(folder), session_id(session), TurnRequest(**request), deliver)
