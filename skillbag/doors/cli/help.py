"""`skillbag help`."""

from __future__ import annotations

import click

from skillbag.doors.cli.answers import CliCommand, CommandOutput, answering
from skillbag.doors.cli.options import json_option
from skillbag.report.answers.commands import HelpJson

_EXAMPLES = """\b
Examples:
  skillbag help
  skillbag help check
  skillbag help runtime call
"""


@click.command("help", cls=CliCommand, epilog=_EXAMPLES, add_help_option=True)
@click.argument("words", nargs=-1, metavar="[COMMAND]...")
@json_option
@click.pass_context
def help_(context: click.Context, words: tuple[str, ...], as_json: bool) -> None:
    """Show the help of a command, as its option --help does; without one, list all commands."""
    here = context.find_root()
    command = here.command
    rest = list(words)
    while rest:
        if not isinstance(command, click.Group):
            raise click.UsageError(f"{here.command_path} has no commands of its own.", here)
        name, found, rest = command.resolve_command(here, rest)
        # Only an unknown name has no command, and that was an error.
        assert found is not None  # noqa: S101
        here, command = found.context_class(found, parent=here, info_name=name, **found.context_settings), found
    page = f"{here.get_help()}\n"
    with answering("help", as_json=as_json) as say:
        say(CommandOutput(HelpJson(click.unstyle(page)), page if here.color else click.unstyle(page)))
