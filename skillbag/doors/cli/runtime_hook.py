"""`skillbag runtime hook`: one event of an agent with hooks of its own."""

from __future__ import annotations

import click

from skillbag.agents.hosts.answering import HOSTS
from skillbag.doors.cli.answers import CliCommand
from skillbag.doors.cli.options import json_option

_EXAMPLES = """\b
Examples:
  skillbag init --agents claude --hooks     write the entries into .claude/settings.json
  skillbag runtime hook --host claude < event.json

\b
The host writes its event to standard input as JSON, and reads the answer from standard output. The exit code is 0
whatever goes wrong: errors are messages to the user. Only a hook of a skill cancels a call, or that it can't be asked.
"""


@click.command("hook", cls=CliCommand, epilog=_EXAMPLES)
@click.option("--host", "name", type=click.Choice(list(HOSTS)), required=True, help="The agent whose event it is.")
@json_option
def hook(name: str, as_json: bool) -> None:
    """Answer an event of an agent: active skills are activated, and their hooks fire."""
    from skillbag.doors.cli.hook_event import answer_event

    answer_event(name, as_json=as_json)
