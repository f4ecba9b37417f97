"""`skillbag run`."""

from __future__ import annotations

import click

from skillbag.cli import EXIT_QUESTION
from skillbag.cli.inputs import (
    allow_option,
    inputs_option,
    prohibit_option,
    read_inputs,
    set_option,
)
from skillbag.cli.lifecycle import (
    Answer,
    Command,
    answer,
    common_options,
    session_option,
    workspace_at,
)

_EXAMPLES = """\b
Examples:
  skillbag run convert_to_pdf
  skillbag run convert_to_pdf --set input-path=docs/a.md --session s1
  skillbag run convert_to_pdf --incomplete        although declared skills are not installed
  skillbag run deploy_site --allow deploy-site    although USER_CONTEXT.md prohibits it

Exit codes: 0 it can run, 2 bad usage or a malformed file, 3 something must be asked first, 4 the environment failed.
"""


@click.command("run", cls=Command, epilog=_EXAMPLES)
@click.argument("identifier", metavar="EXECUTION_ID")
@set_option
@prohibit_option
@inputs_option
@click.option("--incomplete", is_flag=True, help="Run even if declared skills are not installed.")
@allow_option
@session_option
@common_options
def command(
    identifier: str,
    says: tuple[str, ...],
    prohibits: tuple[str, ...],
    source: str | None,
    incomplete: bool,
    allow: tuple[str, ...],
    session: str | None,
    folder: str,
    as_json: bool,
    trace: bool,
) -> None:
    """Print the instructions of a skill, with effective parameters, supporting files and companions.

    If something must be asked first, print the questions instead and exit with 3.
    """
    from skillbag.lifecycle.session import Session
    from skillbag.report.invocation import invocation_text, invocation_values
    from skillbag.report.lifecycle_text import pending_line
    from skillbag.report.order import left_out_lines
    from skillbag.report.refresh import refresh_values

    def work() -> Answer:
        invocation, pending, left_out = Session(workspace_at(folder), session).run(
            identifier, read_inputs(source), says=says, prohibits=prohibits, incomplete=incomplete, allow=allow
        )
        if not as_json:
            for line in left_out_lines(left_out):
                click.echo(line, err=True)
        values = {
            **invocation_values(invocation),
            "session": session,
            "pending": pending and refresh_values(pending),
        }
        parts = filter(None, [invocation_text(invocation, session), pending_line(pending)])
        return Answer(values, "\n\n".join(parts) + "\n", 0 if invocation.ready else EXIT_QUESTION)

    answer("run", work, as_json=as_json, trace=trace)
