"""`skillbag skill VERB`: the verbs of the program that active skills come from, as names of our commands (skill
runtime, section 10)."""

from __future__ import annotations

import click

from skillbag.doors.cli.answers import CliGroup
from skillbag.doors.cli.skill_verbs import ALIASES

_EXAMPLES = """\b
Examples:
  skillbag skill create kubernetes --type tool
  skillbag skill why kubernetes --message "deploy to kubernetes"
  skillbag skill lint .skills/kubernetes

Arguments and options are those of the command.
"""


class _Aliases(CliGroup):
    """Its commands are those that the verbs stand for."""

    aliases = ALIASES

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order of the table."""
        return list(ALIASES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command that a verb stands for."""
        if cmd_name not in ALIASES:
            return None
        from skillbag.doors.cli.app import app

        found: click.Command | None = app
        for word in ALIASES[cmd_name]:
            found = found.get_command(ctx, word) if isinstance(found, click.Group) else None
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The table of verbs."""
        with formatter.section("Verbs, and what they stand for"):
            formatter.write_dl([(verb, " ".join(("skillbag", *words))) for verb, words in ALIASES.items()])


@click.group("skill", cls=_Aliases, epilog=_EXAMPLES)
def command() -> None:
    """Other names for the commands about skills."""
