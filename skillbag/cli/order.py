"""`skillbag order`."""

from __future__ import annotations

import click

from skillbag.cli import EXIT_QUESTION
from skillbag.cli.inputs import allow_option
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
  skillbag order                                  what runs before every response
  skillbag order convert-to-pdf review-text       and these two, chosen for this one
  skillbag order convert_to_pdf --without sign-off
  skillbag order deploy-site --allow deploy-site  although USER_CONTEXT.md prohibits it
  skillbag order --session s1 --json              with the reasons

Exit codes: 0 done, 2 bad usage or a malformed file, 3 something must be asked first, 4 the environment failed.
"""


@click.command("order", cls=Command, epilog=_EXAMPLES)
@click.argument("skills", nargs=-1, metavar="[SKILL]...")
@click.option("--without", multiple=True, metavar="SKILL", help="A skill that the user excludes in this conversation.")
@allow_option
@session_option
@common_options
def command(
    skills: tuple[str, ...],
    without: tuple[str, ...],
    allow: tuple[str, ...],
    session: str | None,
    folder: str,
    as_json: bool,
    trace: bool,
) -> None:
    """Print the skills to run before a response, one per line: #run/always, chosen ones, companions, #run/last.

    If a context file prohibits a chosen skill, print a question instead and exit with 3.
    """
    from skillbag.lifecycle.session import Session
    from skillbag.report.lifecycle_text import pending_line, question_lines
    from skillbag.report.lifecycle_values import question_values
    from skillbag.report.order import left_out_lines, order_text, order_values
    from skillbag.report.refresh import refresh_values

    def work() -> Answer:
        ordered = Session(workspace_at(folder), session).order(skills, without=without, allow=allow)
        order, pending, questions, left_out = ordered
        if not as_json:
            # Standard output has the names alone.
            for line in filter(None, [pending_line(pending), *left_out_lines(left_out)]):
                click.echo(line, err=True)
        values = {
            **order_values(order),
            "questions": [question_values(one) for one in questions],
            "session": session,
            "pending": pending and refresh_values(pending),
        }
        if questions:
            return Answer(values, "".join(f"{line}\n" for line in question_lines(questions)), EXIT_QUESTION)
        return Answer(values, order_text(order))

    answer("order", work, as_json=as_json, trace=trace)
