"""`skillbag runtime host`: active skills for an agent that is written in any language."""

from __future__ import annotations

import gc
import sys

import click

from skillbag import DOCUMENTATION
from skillbag.doors.cli.answers import CliCommand
from skillbag.doors.cli.options import json_option

_EXAMPLES = f"""\b
Examples:
  skillbag runtime host
  printf '{{"id": 1, "do": "start", "protocol": 1}}\\n' | skillbag runtime host

\b
Each line of standard input is a request, each line of standard output an answer or a question. The process is one
session of the agent, and ends with its input. The protocol: {DOCUMENTATION}/runtime-hosts.md
"""


@click.command("host", cls=CliCommand, epilog=_EXAMPLES)
@json_option
def host(as_json: bool) -> None:
    """Serve active skills to an agent, by lines of JSON on standard input and output.

    With --json, errors of the command line are JSON as well.
    """
    from skillbag.agents.hosts.lines import Lines
    from skillbag.agents.hosts.protocol import serve

    source, sink = sys.stdin.buffer, sys.stdout.buffer

    def write(data: bytes) -> None:
        sink.write(data)
        sink.flush()

    gc.enable()
    try:
        serve(Lines(source.readline, write))
    except BrokenPipeError:
        # The host has gone.
        sys.stdout = sys.stderr
