"""`skillbag agent mcp`."""

from __future__ import annotations

import gc
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import click

from skillbag.doors.cli.answers import CliCommand, CommandOutput, json_line
from skillbag.doors.cli.messages import note
from skillbag.doors.cli.options import json_option, scope_options
from skillbag.doors.cli.streams import write
from skillbag.doors.cli.workspaces import scope_from_options
from skillbag.kernel.base.extras import to_install
from skillbag.report.answers.commands import ServedJson

if TYPE_CHECKING:
    from collections.abc import Callable

_EXAMPLES = """\b
Examples:
  skillbag agent mcp                                  over standard input and output, for an agent that starts it
  skillbag agent mcp --workspace ~/work/notes
  skillbag agent mcp --http 8000                      for clients on this machine: http://127.0.0.1:8000/mcp
  skillbag agent mcp --http 0                         on any port that is free; it is printed

\b
Over HTTP a client sends `Authorization: Bearer TOKEN`. Each start creates a token in a file that only you can
read, and prints its path.

\b
An agent's configuration names the command and its arguments, for instance:
  {"mcpServers": {"skillbag": {"command": "skillbag", "args": ["agent", "mcp", "--workspace", "/home/me/notes"]}}}

Needs the extra mcp: pip install 'skillbag[mcp]'. Ends with its input, or by a signal.

Exit codes: 0 ended, 2 bad usage, 4 the environment failed, or the extra is not installed.
"""


@click.command("mcp", cls=CliCommand, epilog=_EXAMPLES)
@click.option("--http", "place", metavar="[HOST:]PORT", help="Serve streamable HTTP on this machine, at /mcp.")
@scope_options
@json_option
def command(place: str | None, as_json: bool, **reach: Any) -> None:
    """Serve the tools over the Model Context Protocol, and the skills as resources and prompts.

    Without --http, the protocol uses standard input and output. Other messages go to standard error. With --json, the
    address is printed as JSON, or why nothing is served.
    """
    if find_spec("mcp") is None:
        raise OSError(f"skillbag agent mcp needs the MCP SDK, which is not installed: {to_install('mcp')}")
    from skillbag.agents.permissions.active import clear_active_skill

    scope = scope_from_options(**reach)
    clear_active_skill(scope)
    if place is None:
        from skillbag.agents.mcp_server.greeting import greet

        serve, greeting = greet(_server)
        serve(scope, greeting)
        return
    from skillbag.agents.mcp_server.gate import token_file
    from skillbag.agents.mcp_server.http import address_of, listening, parse_endpoint, token_name

    server = listening(parse_endpoint(place))
    with token_file(token_name(server)) as token:

        def ready() -> None:
            if as_json:
                served = ServedJson(address_of(server), str(token.path))
                write(json_line("mcp", CommandOutput(served, "")), sys.stdout)
                return
            note(f"serving at {address_of(server)}")
            note(f"clients send `Authorization: Bearer TOKEN`; the token is in {token.path}")

        _server()(scope, server, ready, token.value)


def _server() -> Callable[..., None]:
    """The function that serves, with the collector on. It skips what the import creates, which lives as long."""
    from skillbag.agents.mcp_server.serving import serve

    gc.freeze()
    gc.enable()
    return serve
