"""`skillbag help`."""

from __future__ import annotations

import sys

import click

from skillbag.cli.answers import Command
from skillbag.cli.streams import write

_EXAMPLES = """\b
Examples:
  skillbag help
  skillbag help check
  skillbag help runtime call
"""


@click.command("help", cls=Command, epilog=_EXAMPLES, add_help_option=True)
@click.argument("words", nargs=-1, metavar="[COMMAND]...")
@click.pass_context
def help_(context: click.Context, words: tuple[str, ...]) -> None:
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
    page = here.get_help()
    write(f"{page}\n" if here.color else click.unstyle(f"{page}\n"), sys.stdout)
