"""`skillbag runtime hook`: one event of an agent with hooks of its own."""

from __future__ import annotations

import json
import sys

import click

from skillbag.agent.hosts.known import HOSTS
from skillbag.cli.stdin import piped_input
from skillbag.cli.streams import write

_EXAMPLES = """\b
Examples:
  skillbag init --agents claude --hooks     write the entries into .claude/settings.json
  skillbag runtime hook --host claude < event.json

\b
The host writes its event to standard input as JSON, and reads the answer from standard output. The exit code is 0
whatever goes wrong: errors are messages to the user. Only a hook of a skill cancels a call, or that it can't be asked.
"""


@click.command("hook", epilog=_EXAMPLES)
@click.option("--host", "name", type=click.Choice(list(HOSTS)), required=True, help="The agent whose event it is.")
def hook(name: str) -> None:
    """Answer an event of an agent: active skills are activated, and their hooks fire."""
    from skillbag.agent.hosts.answering import answer, unanswered

    try:
        data = piped_input()
    except Exception as error:
        answered = unanswered(HOSTS[name], b"", error)
    else:
        answered = answer(HOSTS[name], data)
    if answered:
        write(json.dumps(answered) + "\n", sys.stdout)
