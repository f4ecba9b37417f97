"""`skillbag mcp`."""

from __future__ import annotations

import gc
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import click

from skillbag.cli.exit_codes import EXIT_ENVIRONMENT
from skillbag.cli.options import scope_options
from skillbag.cli.streams import print_error
from skillbag.cli.workspaces import scope_from_options

if TYPE_CHECKING:
    from collections.abc import Callable

_EXAMPLES = """\b
Examples:
  skillbag mcp                                  over standard input and output, for an agent that starts it
  skillbag mcp --workspace ~/work/notes
  skillbag mcp --http 8000                      for clients on this machine: http://127.0.0.1:8000/mcp
  skillbag mcp --http 0                         on any port that is free; it is printed

\b
Over HTTP a client sends `Authorization: Bearer TOKEN`. Each start creates a token in a file that only you can
read, and prints its path.

\b
An agent's configuration names the command and its arguments, for instance:
  {"mcpServers": {"skillbag": {"command": "skillbag", "args": ["mcp", "--workspace", "/home/me/notes"]}}}

Needs the extra mcp: pip install 'skillbag[mcp]'. Ends with its input, or by a signal.

Exit codes: 0 ended, 2 bad usage, 4 the environment failed, or the extra is not installed.
"""


@click.command("mcp", epilog=_EXAMPLES)
@click.option("--http", "place", metavar="[HOST:]PORT", help="Serve streamable HTTP on this machine, at /mcp.")
@scope_options
def command(place: str | None, **reach: Any) -> None:
    """Serve the tools over the Model Context Protocol, and the skills as resources and prompts.

    Without --http, the protocol uses standard input and output. Other messages go to standard error.
    """
    if find_spec("mcp") is None:
        print_error("skillbag: skillbag mcp needs the MCP SDK, which is not installed: pip install 'skillbag[mcp]'")
        raise SystemExit(EXIT_ENVIRONMENT)
    from skillbag.permissions.active import clear_active_skill

    scope = scope_from_options(**reach)
    clear_active_skill(scope)
    if place is None:
        from skillbag.mcp_server.greeting import greet

        serve, greeting = greet(_server)
        serve(scope, greeting)
        return
    from skillbag.mcp_server.gate import token_file
    from skillbag.mcp_server.http import address_of, listening, parse_endpoint, token_name

    server = listening(parse_endpoint(place))
    with token_file(token_name(server)) as token:

        def ready() -> None:
            print_error(f"skillbag: serving at {address_of(server)}")
            print_error(f"skillbag: clients send `Authorization: Bearer TOKEN`; the token is in {token.path}")

        _server()(scope, server, ready, token.value)


def _server() -> Callable[..., None]:
    """The function that serves, with the collector on. It skips what the import creates, which lives as long."""
    from skillbag.mcp_server.serving import serve

    gc.freeze()
    gc.enable()
    return serve
