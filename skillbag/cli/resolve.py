"""`skillbag resolve`."""

from __future__ import annotations

import click

from skillbag.cli import EXIT_QUESTION
from skillbag.cli.inputs import inputs_option, prohibit_option, read_inputs, set_option
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
  skillbag resolve convert-to-pdf
  skillbag resolve convert-to-pdf --set input-path=docs/a.md --set 'formats=[pdf, html]'
  skillbag resolve convert-to-pdf --prohibit format=docx    even if CONTEXT.md sets it
  skillbag resolve publish --set confirm=publish            the user has agreed

Exit codes: 0 it can run, 2 bad usage or a malformed file, 3 something must be asked first, 4 the environment failed.
"""


@click.command("resolve", cls=Command, epilog=_EXAMPLES)
@click.argument("skill")
@set_option
@prohibit_option
@inputs_option
@session_option
@common_options
def command(
    skill: str,
    says: tuple[str, ...],
    prohibits: tuple[str, ...],
    source: str | None,
    session: str | None,
    folder: str,
    trace: bool,
    as_json: bool,
) -> None:
    """Resolve the inputs of SKILL: print each value, where it is set, what it hides, and what must be asked."""
    from skillbag.lifecycle.session import Session
    from skillbag.report.inputs import resolution_text, resolution_values

    def work() -> Answer:
        found = Session(workspace_at(folder), session).resolve(
            skill, read_inputs(source), says=says, prohibits=prohibits
        )
        code = 0 if found.ready else EXIT_QUESTION
        if as_json:
            return Answer(resolution_values(found), "", code)
        return Answer({}, resolution_text(found), code)

    answer("resolve", work, as_json=as_json, trace=trace)
