"""`skillbag order`."""

from __future__ import annotations

import click

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
  skillbag order --session s1 --json              with the reasons
"""


@click.command("order", cls=Command, epilog=_EXAMPLES)
@click.argument("skills", nargs=-1, metavar="[SKILL]...")
@click.option("--without", multiple=True, metavar="SKILL", help="A skill that the conversation rules out.")
@session_option
@common_options
def command(
    skills: tuple[str, ...], without: tuple[str, ...], session: str | None, folder: str, as_json: bool, trace: bool
) -> None:
    """Print what runs before a response, one name a line: #run/always, the chosen, their companions, #run/last."""
    from skillbag.lifecycle.session import Session
    from skillbag.report.lifecycle_text import pending_line
    from skillbag.report.order import order_text, order_values
    from skillbag.report.refresh import refresh_values

    def work() -> Answer:
        order, pending = Session(workspace_at(folder), session).order(skills, without=without)
        if not as_json and (line := pending_line(pending)):
            # Standard output has the names alone.
            click.echo(line, err=True)
        values = {**order_values(order), "session": session, "pending": pending and refresh_values(pending)}
        return Answer(values, order_text(order))

    answer("order", work, as_json=as_json, trace=trace)
